//! What the window does with commands that run: they are listed and stopped, and none outlives the app.

use crate::app::App;
use crate::desktop::Desktop;
use crate::driver::until;
use crate::keys;
use crate::model_server::{ModelServer, calls, text};
use serde_json::json;
use std::path::{Path, PathBuf};

const QUESTION: &str = "Quit while a run is active?";
const QUESTION_OF_COMMANDS: &str = "Quit while commands go on?";

/// R52: closing the window asks while a run is on, no being the default; yes ends the app and every process it started.
#[tokio::test]
async fn quitting_a_run_asks_and_ends_everything() {
    let command = json!({"command": "touch started; setsid tail -f /dev/null & tail -f /dev/null"});
    let server = ModelServer::start(vec![calls(&[("c1", "shell", command)])]);
    let app = on_a_trusted_folder(&server).await;
    let running = started(&app).await;

    stays(&app, QUESTION, "quit").await;
    let sessions = app.sessions().await.unwrap();
    assert_eq!(sessions[0]["running"], true, "Enter keeps it running");

    app.activate().unwrap();
    keys::press(&app.desktop, &["alt+F4"]).unwrap();
    let yes = app.native.button_when_sensitive(QUESTION, "Quit").await.unwrap();
    app.native.press(&yes).await.unwrap();
    ended(&running).await;
}

/// R52: a command that goes on is listed in the window, closing that asks, and Stop ends it with what it started; the app
/// goes on.
#[tokio::test]
async fn a_background_command_is_listed_and_stopped() {
    let command = "touch started; setsid tail -f /dev/null & tail -f /dev/null";
    let command = json!({"command": command, "background": true});
    let server = ModelServer::start(vec![calls(&[("c1", "shell", command)]), text("It runs.")]);
    let app = on_a_trusted_folder(&server).await;
    let app_alone = below(app.page.app_pid().unwrap());
    let running = started(&app).await;
    app.end_of_run().await.unwrap();
    app.page.see("It runs.").await.unwrap();
    app.page.find("ul.running").await.unwrap();
    app.picture("background").unwrap();
    stays(&app, QUESTION_OF_COMMANDS, "quit-commands").await;
    assert!(running.iter().all(|process| process.join("exe").exists()), "Enter keeps them running");

    app.page.click("ul.running button.button").await.unwrap();
    let tails: Vec<PathBuf> = running.into_iter().filter(|process| !app_alone.contains(process)).collect();
    ended(&tails).await;
    until("the list to be empty", || async {
        Ok((app.page.run("return document.querySelector('ul.running')").await?.is_null()).then_some(()))
    })
    .await
    .unwrap();
}

/// Closing the window asks, and Enter is a no.
async fn stays(app: &App, question: &str, picture: &str) {
    app.activate().unwrap();
    keys::press(&app.desktop, &["alt+F4"]).unwrap();
    keys::focused(&app.desktop, question).await.unwrap();
    app.picture(picture).unwrap();
    app.native.button_when_sensitive(question, "Quit").await.unwrap();
    keys::press(&app.desktop, &["Return"]).unwrap();
    app.native.gone(question).await.unwrap();
}

/// The app with the served model and a folder that is trusted for commands.
async fn on_a_trusted_folder(server: &ModelServer) -> App {
    let desktop = Desktop::start().unwrap();
    desktop.write_settings(&server.settings()).unwrap();
    let shop = desktop.home().canonicalize().unwrap().join("code/shop");
    std::fs::write(
        desktop.path("config").join("assent/folders.toml"),
        format!("[[folders]]\npath = {shop:?}\nlast_used_ms = 1\ntrusted_ms = 1\n"),
    )
    .unwrap();
    std::fs::create_dir_all(&shop).unwrap();
    let app = App::start_on(desktop, &[]).await.unwrap();
    app.first_run(&shop).await.unwrap();
    app.invoke("select_model", json!({"profileId": "served", "model": "scripted"})).await.unwrap();
    app
}

/// Allows the command of the first reply; the app and its processes once it runs.
async fn started(app: &App) -> Vec<PathBuf> {
    app.say("Go on.").await.unwrap();
    let allow = app.native.button_when_sensitive("Run a command", "Allow once").await.unwrap();
    app.native.press(&allow).await.unwrap();
    until("both processes to run", || async {
        let running = below(app.page.app_pid()?);
        Ok((names(&running).iter().filter(|name| *name == "tail").count() == 2).then_some(running))
    })
    .await
    .unwrap()
}

async fn ended(processes: &[PathBuf]) {
    until("the processes to end", || async {
        Ok(processes.iter().all(|process| !process.join("exe").exists()).then_some(()))
    })
    .await
    .unwrap();
}

/// The process `pid` and everything below it, as folders of `/proc`.
pub fn below(pid: u32) -> Vec<PathBuf> {
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        next += 1;
        for task in std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            found.extend(children.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
        }
    }
    found.into_iter().map(|pid| Path::new("/proc").join(pid.to_string())).collect()
}

/// What these processes are called.
pub fn names(processes: &[PathBuf]) -> Vec<String> {
    let name = |process: &PathBuf| std::fs::read_to_string(process.join("comm")).unwrap_or_default();
    processes.iter().map(|process| name(process).trim().to_owned()).collect()
}
