//! The least a Tauri window can be: one page, no command. What `bench_window` measures the app against.

fn main() -> tauri::Result<()> {
    tauri::Builder::default().run(tauri::generate_context!("examples/bare/tauri.conf.json"))
}
