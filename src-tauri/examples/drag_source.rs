//! A small window to drag the named files out of, for the window tests: another program, as a file manager is one.

#[cfg(target_os = "linux")]
#[expect(clippy::print_stdout, reason = "what the test waits for")]
fn main() -> anyhow::Result<()> {
    use gtk::prelude::*;

    gtk::init()?;
    let uris: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|path| gtk::glib::filename_to_uri(path, None).map(String::from))
        .collect::<Result<_, _>>()?;
    let area = gtk::EventBox::new();
    area.add(&gtk::Label::new(Some("Drag me")));
    area.drag_source_set(gtk::gdk::ModifierType::BUTTON1_MASK, &[], gtk::gdk::DragAction::COPY);
    area.drag_source_add_uri_targets();
    area.connect_drag_data_get(move |_, _, data, _, _| {
        let uris: Vec<&str> = uris.iter().map(String::as_str).collect();
        data.set_uris(&uris);
    });
    // That what is under the pointer takes it, and that the drag is over.
    area.connect_drag_begin(|_, drag| {
        drag.connect_action_changed(|_, action| {
            if !action.is_empty() {
                println!("over");
            }
        });
    });
    area.connect_drag_end(|_, _| println!("end"));
    let window = gtk::Window::new(gtk::WindowType::Toplevel);
    window.set_title("Drag source");
    window.set_default_size(160, 80);
    window.set_keep_above(true);
    window.set_accept_focus(false);
    window.add(&area);
    window.connect_destroy(|_| gtk::main_quit());
    window.show_all();
    window.move_(0, 0);
    gtk::main();
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn main() {}
