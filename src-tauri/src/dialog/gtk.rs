//! The dialog on Linux, through Tauri's own GTK 3: the whole text scrolls, deny has the focus, the window is
//! its parent, and it closes when the request ends elsewhere.
//!
//! Allow stays insensitive for [`reading_time`] and until the end of the text was in view. Tab goes from
//! Deny to Cancel, then to the text, then to Allow, so that Tab and Enter typed in a hurry deny.

use super::layout;
use super::{ApprovalDialog, Press, Prompt, reading_time};
use ::gtk::atk::prelude::AtkObjectExt as _;
use ::gtk::gdk::keys::constants as key;
use ::gtk::prelude::*;
use ::gtk::{
    Button, DialogFlags, MessageDialog, MessageType, PolicyType, ResponseType, ScrolledWindow, TextView,
};
use ::gtk::{glib, pango};
use async_trait::async_trait;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use tauri::{AppHandle, Manager as _};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

const DENY: ResponseType = ResponseType::Other(1);
const ALLOW: ResponseType = ResponseType::Other(2);
const CANCEL: ResponseType = ResponseType::Other(3);
/// The text's height, pixels: with title, hint and buttons the window stays below 720.
const MAX_TEXT_HEIGHT: i32 = 380;
/// Rows that are put into the view at once. GTK draws every row that it hasn't measured yet as if it were in view, so
/// the whole of a large text at once would hold the window up for seconds.
const AT_ONCE: usize = 2_000;

thread_local! {
    /// The dialog on screen; GTK objects live on the main thread only.
    static ON_SCREEN: RefCell<Option<MessageDialog>> = const { RefCell::new(None) };
}

/// GTK's message dialog.
pub struct GtkDialog {
    app: AppHandle,
}

impl GtkDialog {
    /// A dialog in front of the app's window.
    #[must_use]
    pub fn new(app: AppHandle) -> Self {
        Self { app }
    }
}

#[async_trait]
impl ApprovalDialog for GtkDialog {
    fn name(&self) -> &'static str {
        "gtk"
    }

    async fn ask(&self, prompt: Prompt, withdraw: &CancellationToken) -> Press {
        let (answer, answered) = oneshot::channel();
        let app = self.app.clone();
        let sheet = Sheet::of(&prompt);
        if let Err(error) = self.app.run_on_main_thread(move || open(&app, &prompt, sheet, answer)) {
            return Press::Failed(format!("reach the window system: {error}"));
        }
        tokio::select! {
            biased;
            () = withdraw.cancelled() => {
                if let Err(error) = self.app.run_on_main_thread(close_open_one) {
                    tracing::warn!(%error, "the dialog of an ended request stays on screen");
                }
                Press::Withdrawn
            }
            press = answered => press.unwrap_or_else(|_| Press::Failed("the dialog vanished".to_owned())),
        }
    }
}

fn close_open_one() {
    if let Some(dialog) = ON_SCREEN.take() {
        dialog.close();
    }
}

/// The text of a prompt, laid out.
struct Sheet {
    /// What stands above the text that scrolls.
    sentences: Option<String>,
    rows: Vec<String>,
}

impl Sheet {
    fn of(prompt: &Prompt) -> Self {
        let sentences = prompt.lines.iter().take_while(|line| line.label.is_empty()).count();
        let (sentences, labelled) = prompt.lines.split_at(sentences);
        let sentences: Vec<&str> = sentences.iter().map(|line| line.value.as_str()).collect();
        Self {
            sentences: (!sentences.is_empty()).then(|| sentences.join("\n")),
            rows: layout::sheet(labelled),
        }
    }
}

fn open(app: &AppHandle, prompt: &Prompt, sheet: Sheet, answer: oneshot::Sender<Press>) {
    close_open_one();
    let parent = app
        .get_webview_window(crate::window::MAIN)
        .filter(|window| window.is_visible().unwrap_or(false))
        .and_then(|window| window.gtk_window().ok());
    let flags = DialogFlags::MODAL | DialogFlags::DESTROY_WITH_PARENT;
    let dialog = MessageDialog::new(
        parent.as_ref(),
        flags,
        MessageType::Warning,
        ::gtk::ButtonsType::None,
        &prompt.title,
    );
    dialog.set_title(&prompt.title);
    dialog.set_resizable(true);
    // By itself GTK calls it by its kind, "Warning", and a screen reader would too.
    if let Some(accessible) = dialog.accessible() {
        accessible.set_name(&prompt.title);
    }
    dialog.add_button(&prompt.labels.deny, DENY);
    dialog.add_button(&prompt.labels.allow, ALLOW);
    dialog.add_button(&prompt.labels.cancel, CANCEL);
    dialog.set_default_response(DENY);

    dialog.set_secondary_text(sheet.sentences.as_deref());
    let Sheet { mut rows, .. } = sheet;
    let count = rows.len();
    let rest = rows.split_off(count.min(AT_ONCE));
    let view = text_view(&rows.join("\n"));
    let scroller = ScrolledWindow::builder()
        .hscrollbar_policy(PolicyType::Automatic)
        .vscrollbar_policy(PolicyType::Automatic)
        .shadow_type(::gtk::ShadowType::In)
        .min_content_height(text_height(&view, count))
        .propagate_natural_width(true)
        .build();
    scroller.add(&view);
    let hint = ::gtk::Label::new(Some(&prompt.labels.read_on));
    hint.set_halign(::gtk::Align::Start);
    hint.set_no_show_all(true);
    let area = dialog.message_area().downcast::<::gtk::Box>();
    if let Ok(area) = &area {
        area.pack_start(&scroller, true, true, 0);
        area.pack_start(&hint, false, false, 0);
        scroller.show_all();
    }

    order_tab_keys(&dialog, &view, &scroller);
    let Some(allow) = button(&dialog, ALLOW) else {
        drop(answer.send(Press::Failed("the dialog has no buttons".to_owned())));
        return;
    };
    let whole = Rc::new(Cell::new(rest.is_empty()));
    let look = arm_when_read(&allow, &scroller, &view, &hint, (count, Rc::clone(&whole)));
    add(&view, rest, move || {
        whole.set(true);
        look();
    });
    if let Some(deny) = button(&dialog, DENY) {
        deny.grab_focus();
    }

    let answer = Cell::new(Some(answer));
    dialog.connect_response(move |dialog, response| {
        if let Some(answer) = answer.take() {
            ON_SCREEN.take();
            let sensitive = button(dialog, ALLOW).is_some_and(|allow| allow.is_sensitive());
            drop(answer.send(match response {
                ALLOW if sensitive => Press::Allow,
                DENY => Press::Deny,
                _ => Press::Dismissed,
            }));
            dialog.close();
        }
    });
    ON_SCREEN.replace(Some(dialog.clone()));
    dialog.show();
    // GTK draws the focus only once a key was pressed; here it says beforehand what Enter does.
    dialog.set_focus_visible(true);
    dialog.present();
}

fn button(dialog: &MessageDialog, response: ResponseType) -> Option<Button> {
    dialog.widget_for_response(response).and_then(|widget| widget.downcast().ok())
}

fn text_view(text: &str) -> TextView {
    let view = TextView::builder()
        .editable(false)
        .cursor_visible(false)
        .monospace(true)
        .accepts_tab(false)
        .wrap_mode(::gtk::WrapMode::None)
        .left_margin(10)
        .right_margin(10)
        .top_margin(8)
        .bottom_margin(8)
        .build();
    if let Some(buffer) = view.buffer() {
        buffer.set_text(text);
        buffer.place_cursor(&buffer.start_iter());
    }
    // Glyphs from other fonts are a little wider than their cells.
    let width = line_size(&view, &"0".repeat(layout::COLUMNS + layout::COLUMNS / 16)).0;
    view.set_width_request(width + 20);
    view
}

/// Adds `rest` to `view` bit by bit, whenever what is there was measured and nothing else is to be done; then says so.
fn add(view: &TextView, rest: Vec<String>, done: impl Fn() + 'static) {
    let Some(buffer) = view.buffer().filter(|_| !rest.is_empty()) else { return };
    let (buffer, mut rest) = (buffer.downgrade(), rest.into_iter());
    let put = move || {
        let Some(buffer) = buffer.upgrade() else { return glib::ControlFlow::Break };
        if rest.len() == 0 {
            done();
            return glib::ControlFlow::Break;
        }
        let next: String = rest.by_ref().take(AT_ONCE).flat_map(|row| ["\n".to_owned(), row]).collect();
        buffer.insert(&mut buffer.end_iter(), &next);
        glib::ControlFlow::Continue
    };
    // GTK measures before anything of this priority.
    glib::source::idle_add_local_full(glib::Priority::LOW, put);
}

/// The height of `rows` lines, pixels, as far as a small screen has room for them.
fn text_height(view: &TextView, rows: usize) -> i32 {
    let line = line_size(view, "0|").1.max(1);
    let rows = i32::try_from(rows).unwrap_or(i32::MAX);
    line.saturating_mul(rows).saturating_add(line + 16).min(MAX_TEXT_HEIGHT)
}

fn line_size(view: &TextView, text: &str) -> (i32, i32) {
    let layout: pango::Layout = view.create_pango_layout(Some(text));
    let mut font = pango::FontDescription::new();
    font.set_family("monospace");
    layout.set_font_description(Some(&font));
    layout.pixel_size()
}

/// Lets `allow` be pressed once the reading time is over and the end of the text was in view, and with it the
/// end of its longest line: of all `rows`, so not before the view is `whole`. What looks at it anew is given back.
fn arm_when_read(
    allow: &Button,
    scroller: &ScrolledWindow,
    view: &TextView,
    hint: &::gtk::Label,
    (rows, whole): (usize, Rc<Cell<bool>>),
) -> Rc<dyn Fn()> {
    allow.set_sensitive(false);
    let at_least = f64::from(line_size(view, "0").1) * f64::from(u32::try_from(rows).unwrap_or(u32::MAX));
    let (bottom_seen, right_seen, ripe) =
        (Rc::new(Cell::new(false)), Rc::new(Cell::new(false)), Rc::new(Cell::new(false)));
    let look: Rc<dyn Fn()> = {
        let (allow, hint) = (allow.clone(), hint.clone());
        let (down, right) = (scroller.vadjustment(), scroller.hadjustment());
        let ripe = Rc::clone(&ripe);
        Rc::new(move || {
            let shown = down.page_size() > 1.0 && right.page_size() > 1.0;
            // The view measures its lines bit by bit: until all are, it reports less than `at_least`, and a width that
            // the longest may still exceed.
            let measured = shown && whole.get() && down.upper() + 1.0 >= at_least;
            if measured && ends_in_view(&down) {
                bottom_seen.set(true);
            }
            if measured && ends_in_view(&right) {
                right_seen.set(true);
            }
            let read = bottom_seen.get() && right_seen.get();
            hint.set_visible(shown && !read);
            allow.set_sensitive(read && ripe.get());
        })
    };
    for adjustment in [scroller.vadjustment(), scroller.hadjustment()] {
        let on_scroll = Rc::clone(&look);
        adjustment.connect_value_changed(move |_| on_scroll());
        let on_layout = Rc::clone(&look);
        adjustment.connect_changed(move |_| on_layout());
    }
    let when_ripe = Rc::clone(&look);
    glib::timeout_add_local_once(reading_time(), move || {
        ripe.set(true);
        when_ripe();
    });
    look
}

fn ends_in_view(adjustment: &::gtk::Adjustment) -> bool {
    adjustment.value() + adjustment.page_size() >= adjustment.upper() - 1.0
}

/// Tab order Deny, Cancel, text, Allow; paging keys scroll the text wherever the focus is.
fn order_tab_keys(dialog: &MessageDialog, view: &TextView, scroller: &ScrolledWindow) {
    let (view, adjustment) = (view.clone(), scroller.vadjustment());
    dialog.connect_key_press_event(move |dialog, event| {
        let stops: Vec<::gtk::Widget> = [
            button(dialog, DENY).map(Cast::upcast),
            button(dialog, CANCEL).map(Cast::upcast),
            Some(view.clone().upcast()),
            button(dialog, ALLOW).filter(|allow| allow.is_sensitive()).map(Cast::upcast),
        ]
        .into_iter()
        .flatten()
        .collect();
        let focused = stops.iter().position(|stop| stop.has_focus());
        let pressed = event.keyval();
        let page = adjustment.page_increment();
        let scroll = |to: f64| {
            adjustment.set_value(to.clamp(0.0, (adjustment.upper() - adjustment.page_size()).max(0.0)));
            glib::Propagation::Stop
        };
        if pressed == key::Tab || pressed == key::KP_Tab || pressed == key::ISO_Left_Tab {
            let last = stops.len().saturating_sub(1);
            let next = match (focused, pressed == key::ISO_Left_Tab) {
                (Some(at), false) => {
                    if at == last {
                        0
                    } else {
                        at + 1
                    }
                }
                (Some(at), true) => at.checked_sub(1).unwrap_or(last),
                (None, _) => 0,
            };
            if let Some(stop) = stops.get(next) {
                stop.grab_focus();
            }
            glib::Propagation::Stop
        } else if pressed == key::Page_Down {
            scroll(adjustment.value() + page)
        } else if pressed == key::Page_Up {
            scroll(adjustment.value() - page)
        } else if pressed == key::End {
            scroll(adjustment.upper())
        } else if pressed == key::Home {
            scroll(0.0)
        } else {
            glib::Propagation::Proceed
        }
    });
}
