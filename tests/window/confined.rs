//! A confined command can't press Allow: not by keys through the X server, not by the accessibility bus, though it
//! knows where both are. The same program without the sandbox can.

use crate::accessibility::Node;
use crate::app::App;
use crate::desktop::Desktop;
use crate::driver::until;
use crate::keys;
use crate::model_server::{ModelServer, calls, text};
use serde_json::json;
use std::path::Path;

const WRITE: &str = "Write a file?";
const ALLOW: &str = "Allow once";

/// Runs each attempt as soon as it is there; what became of it stands in `done-N` then.
const ATTACKER: &str = "for n in 1 2; do until [ -e go-$n ]; do sleep 0.1; done; \
    bash press-$n.sh > said-$n 2>&1; mv said-$n done-$n; done";

/// Real keys, by which a person reaches the allow button and presses it.
fn by_keys(_allow: &Node) -> String {
    "xdotool key --delay 30 Tab Tab Tab Return".to_owned()
}

/// The button's own action, by its address.
fn by_accessibility(allow: &Node) -> String {
    let (owner, path) = allow.address();
    format!(
        "set -o pipefail\n\
         bus=$(gdbus call --session --dest org.a11y.Bus --object-path /org/a11y/bus \
           --method org.a11y.Bus.GetAddress | cut -d \"'\" -f 2) || exit\n\
         DBUS_SESSION_BUS_ADDRESS=$bus gdbus call --session --dest {owner} --object-path {path} \
           --method org.a11y.atspi.Action.DoAction 0"
    )
}

/// A command line that presses the button.
type Press = fn(&Node) -> String;

/// R30, R50: nothing is pressed and nothing written; without the sandbox the same program presses it, so it could.
#[tokio::test]
async fn a_confined_command_presses_nothing() {
    let attacker = calls(&[("c0", "shell", json!({"command": ATTACKER, "background": true}))]);
    let write = |file: &str| calls(&[(file, "write_file", json!({"path": file, "content": "x\n"}))]);
    let attempts: [(&str, Press); 2] = [("one.txt", by_keys), ("two.txt", by_accessibility)];
    let mut replies = vec![attacker];
    replies.extend(attempts.map(|(file, _)| write(file)));
    replies.push(text("Done."));
    let server = ModelServer::start(replies);
    let (app, shop) = App::start_at_work(Desktop::start().unwrap(), &server, &[]).await.unwrap();
    app.say("Go.").await.unwrap();
    let allow = app.native.button_when_sensitive("in the background?", ALLOW).await.unwrap();
    app.native.press(&allow).await.unwrap();

    for (number, (file, attempt)) in (1..).zip(attempts) {
        let allow = app.native.button_when_sensitive(WRITE, ALLOW).await.unwrap();
        keys::focused(&app.desktop, WRITE).await.unwrap();
        let script = shop.join(format!("press-{number}.sh"));
        std::fs::write(&script, by_hand(&app, &attempt(&allow))).unwrap();
        std::fs::write(shop.join(format!("go-{number}")), "").unwrap();
        let said = until("the attempt to be over", || async {
            Ok(std::fs::read_to_string(shop.join(format!("done-{number}"))).ok())
        })
        .await
        .unwrap();
        // It had its tools, and they reached nothing.
        assert!(said.contains("tools found\n") && !said.contains("pressed\n"), "{said}");
        let still = app.native.dialog(WRITE).await.unwrap();
        assert!(still.button("Deny").unwrap().focused && still.button(ALLOW).unwrap().is(&allow), "{said}");
        app.waiting(1).await.unwrap();
        assert!(!shop.join(file).exists(), "{said}");

        let free = outside(&app, &shop, &script);
        assert!(free.contains("pressed\n"), "{free}");
        until("the file that was allowed", || async { Ok(shop.join(file).exists().then_some(())) })
            .await
            .unwrap();
    }
    app.page.see("Done.").await.unwrap();
}

/// A program that was told where display and bus are, and says how far it came.
fn by_hand(app: &App, attempt: &str) -> String {
    let variables = app.desktop.variables().map(|(name, value)| format!("export {name}='{value}'\n"));
    format!(
        "command -v xdotool gdbus > /dev/null && echo 'tools found'\n{}{attempt}\nstatus=$?\n\
         [ $status = 0 ] && echo pressed || echo \"failed with $status\"\n",
        variables.concat()
    )
}

/// The same program without the sandbox; what it says.
fn outside(app: &App, folder: &Path, script: &Path) -> String {
    let output = app.desktop.command("bash").arg(script).current_dir(folder).output().unwrap();
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
