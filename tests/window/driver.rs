//! The web view, driven over the WebDriver protocol (<https://www.w3.org/TR/webdriver2/>).

use crate::desktop::Desktop;
use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// How long anything may take before a test gives up; the machine may be five times slower than usual.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A session with one running app.
pub struct Driver {
    child: Child,
    http: reqwest::Client,
    session: String,
}

/// An element of the page.
#[derive(Clone, Debug)]
pub struct Element(String);

impl Driver {
    /// Starts WebKitWebDriver on `desktop`, and through it the app at `binary` with `arguments`.
    pub async fn start(
        desktop: &Desktop,
        binary: &Path,
        env: &[(&str, &str)],
        arguments: &[&str],
    ) -> anyhow::Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let log = std::fs::File::options().create(true).append(true).open(desktop.path("app.log"))?;
        let child = desktop
            .command("WebKitWebDriver")
            .arg(format!("--port={port}"))
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .envs(env.iter().copied())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .context("start WebKitWebDriver (is webkit2gtk-driver installed?)")?;
        let http = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build()?;
        let mut driver = Self { child, http, session: format!("http://127.0.0.1:{port}") };
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "webkitgtk:browserOptions": {"binary": binary, "args": arguments}}}});
        let status = driver.session.clone() + "/status";
        until("the driver to listen", || {
            let request = driver.http.get(&status).send();
            async move { Ok(request.await.is_ok().then_some(())) }
        })
        .await?;
        let reply = driver.post("/session", &wanted).await.context("start the app")?;
        let id = reply["sessionId"].as_str().context("no session id")?.to_owned();
        driver.session = format!("{}/session/{id}", driver.session);
        Ok(driver)
    }

    /// The process id of the running app.
    pub fn app_pid(&self) -> anyhow::Result<u32> {
        let children = format!("/proc/{0}/task/{0}/children", self.child.id());
        std::fs::read_to_string(children)?
            .split_whitespace()
            .next()
            .and_then(|pid| pid.parse().ok())
            .context("the app isn't running")
    }

    /// The first element that matches `css`, waited for.
    pub async fn find(&self, css: &str) -> anyhow::Result<Element> {
        until(&format!("an element {css}"), || async {
            let found = self.post("/elements", &json!({"using": "css selector", "value": css})).await?;
            Ok(found[0][ELEMENT].as_str().map(|id| Element(id.to_owned())))
        })
        .await
    }

    /// Clicks the first visible button whose text or label contains `text`, waited for.
    pub async fn press(&self, text: &str) -> anyhow::Result<()> {
        let script = format!(
            "const wanted = {};\
             const button = [...document.querySelectorAll('button')].find((button) =>\
               button.checkVisibility() && !button.disabled &&\
               (button.innerText.includes(wanted) || (button.ariaLabel ?? '').includes(wanted)));\
             button?.click(); return button !== undefined;",
            json!(text)
        );
        until(&format!("a button {text:?}"), || async {
            Ok((self.run(&script).await? == true).then_some(()))
        })
        .await
    }

    /// Clicks the element that matches `css` with the pointer, as a person does: only such a click may copy.
    pub async fn click(&self, css: &str) -> anyhow::Result<()> {
        let element = self.find(css).await?;
        self.post(&format!("/element/{}/click", element.0), &json!({})).await?;
        Ok(())
    }

    /// Types `text` into `css`; `\u{e007}` is Enter.
    pub async fn type_into(&self, css: &str, text: &str) -> anyhow::Result<()> {
        let element = self.find(css).await?;
        self.post(&format!("/element/{}/value", element.0), &json!({"text": text})).await?;
        Ok(())
    }

    /// Runs `script` as a function body; what it returns.
    pub async fn run(&self, script: &str) -> anyhow::Result<Value> {
        self.post("/execute/sync", &json!({"script": script, "args": []})).await
    }

    /// Calls one of the app's commands as the page would; `Err` holds what it rejected with.
    pub async fn invoke(&self, command: &str, arguments: Value) -> anyhow::Result<Result<Value, Value>> {
        let script = "const [command, args, done] = arguments;\
             window.__TAURI_INTERNALS__.invoke(command, args)\
             .then(value => done({ok: value ?? null}), error => done({rejected: error ?? null}));";
        let reply =
            self.post("/execute/async", &json!({"script": script, "args": [command, arguments]})).await?;
        Ok(match reply.get("rejected") {
            Some(error) => Err(error.clone()),
            None => Ok(reply["ok"].clone()),
        })
    }

    /// The visible text of the whole page.
    pub async fn text(&self) -> anyhow::Result<String> {
        let text = self.run("return document.body.innerText").await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Waits until the page shows `text`.
    pub async fn see(&self, text: &str) -> anyhow::Result<()> {
        until(&format!("the page to show {text:?}"), || async {
            Ok(self.text().await?.contains(text).then_some(()))
        })
        .await
    }

    async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let reply: Value =
            self.http.post(format!("{}{path}", self.session)).json(body).send().await?.json().await?;
        let value = reply["value"].clone();
        if let Some(error) = value.get("error").and_then(Value::as_str) {
            bail!("{path}: {error}: {}", value["message"]);
        }
        Ok(value)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Ok(pid) = self.app_pid() {
            drop(std::process::Command::new("kill").args(["-9", &pid.to_string()]).status());
        }
        if self.child.kill().is_ok() {
            drop(self.child.wait());
        }
    }
}

/// Asks again and again until there is an answer, or patience ends.
pub async fn until<T, F, Fut>(what: &str, ask: F) -> anyhow::Result<T>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = anyhow::Result<Option<T>>>,
{
    until_within(PATIENCE, what, ask).await
}

/// The same for what takes its own time: gives up after `patience`.
pub async fn until_within<T, F, Fut>(patience: Duration, what: &str, mut ask: F) -> anyhow::Result<T>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = anyhow::Result<Option<T>>>,
{
    let start = Instant::now();
    loop {
        if let Some(found) = ask().await? {
            return Ok(found);
        }
        if start.elapsed() > patience {
            bail!("waited {} s for {what}", patience.as_secs());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
