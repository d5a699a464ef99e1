//! Lists the window's commands for the access control, and lets the crate be checked before the UI was built.

#[path = "src/commands/names.rs"]
mod names;

use std::path::Path;

/// Shown when the app was built without its UI.
const PLACEHOLDER: &str = "<!doctype html><meta charset=\"utf-8\"><title>Assent</title>\
<p>The user interface isn't built yet: <code>npm --prefix ui run build</code>.</p>\n";

fn main() {
    let dist = Path::new("../ui/dist");
    if !dist.join("index.html").exists() {
        let written =
            std::fs::create_dir_all(dist).and_then(|()| std::fs::write(dist.join("index.html"), PLACEHOLDER));
        if let Err(error) = written {
            println!("cargo::error=write ../ui/dist/index.html: {error}");
        }
    }
    println!("cargo::rerun-if-changed=../ui/dist");
    let attributes = tauri_build::Attributes::new()
        .app_manifest(tauri_build::AppManifest::new().commands(names::COMMANDS));
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo::error={error:#}");
    }
}
