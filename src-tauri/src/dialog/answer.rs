//! What a toolkit reports, read for the buttons that were offered: allow is one value, deny is all others.

use super::{Labels, Press};
use ::rfd::MessageDialogResult as Reported;

/// How a backend of rfd names the second button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// GTK 3 in async use: by place (`Yes`, `No`, `Cancel`), whatever the labels.
    Places,
    /// Windows and macOS: by label.
    Names,
}

impl Backend {
    /// The one this build uses.
    pub const HERE: Self = if cfg!(target_os = "linux") { Self::Places } else { Self::Names };
}

/// What the second of the three buttons was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Middle {
    /// The whole text was in view: the allow button.
    Allow,
    /// There is more to read.
    Next,
}

/// One reading of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It ends the question.
    Press(Press),
    /// Show the next page.
    Next,
}

/// Reads `reported` for three buttons `deny, middle, cancel` labelled by `labels`.
#[must_use]
pub fn read(reported: &Reported, middle: Middle, labels: &Labels, backend: Backend) -> Reading {
    let label = match middle {
        Middle::Allow => &labels.allow,
        Middle::Next => &labels.next,
    };
    let pressed_middle = match reported {
        Reported::Custom(name) => name == label,
        Reported::No => backend == Backend::Places,
        Reported::Yes | Reported::Ok | Reported::Cancel => false,
    };
    match (pressed_middle, middle) {
        (true, Middle::Allow) => Reading::Press(Press::Allow),
        (true, Middle::Next) => Reading::Next,
        (false, Middle::Allow | Middle::Next) => Reading::Press(match reported {
            Reported::Custom(name) if *name == labels.deny => Press::Deny,
            Reported::Yes if backend == Backend::Places => Press::Deny,
            Reported::Custom(_) | Reported::Yes | Reported::No | Reported::Ok | Reported::Cancel => {
                Press::Dismissed
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Backend, Middle, Reading, Reported, read};
    use crate::dialog::{Labels, Press};

    fn labels() -> Labels {
        Labels {
            deny: "Deny".into(),
            allow: "Allow once".into(),
            cancel: "Cancel".into(),
            next: "Next".into(),
            read_on: "Scroll".into(),
        }
    }

    fn every_report() -> Vec<Reported> {
        let names = ["Deny", "Allow once", "Cancel", "Next", "", "allow once", "Allow once ", "Yes"];
        let mut reports = vec![Reported::Yes, Reported::No, Reported::Ok, Reported::Cancel];
        reports.extend(names.map(|name| Reported::Custom(name.to_owned())));
        reports
    }

    /// R30, R31: over every report, every button offered and every backend, allow is one value each.
    #[test]
    fn only_the_offered_allow_button_allows() {
        let mut allowed = Vec::new();
        for backend in [Backend::Places, Backend::Names] {
            for middle in [Middle::Allow, Middle::Next] {
                for reported in every_report() {
                    if read(&reported, middle, &labels(), backend) == Reading::Press(Press::Allow) {
                        allowed.push((backend, middle, reported));
                    }
                }
            }
        }
        let named = Reported::Custom("Allow once".into());
        assert_eq!(
            allowed,
            [
                (Backend::Places, Middle::Allow, Reported::No),
                (Backend::Places, Middle::Allow, named.clone()),
                (Backend::Names, Middle::Allow, named),
            ]
        );
    }

    #[test]
    fn paging_on_never_answers() {
        for backend in [Backend::Places, Backend::Names] {
            let next = read(&Reported::Custom("Next".into()), Middle::Next, &labels(), backend);
            assert_eq!(next, Reading::Next);
            let stale = read(&Reported::Custom("Next".into()), Middle::Allow, &labels(), backend);
            assert_eq!(stale, Reading::Press(Press::Dismissed));
        }
    }

    #[test]
    fn the_first_button_is_told_from_a_closed_window() {
        let read_one = |reported, backend| read(&reported, Middle::Allow, &labels(), backend);
        assert_eq!(read_one(Reported::Yes, Backend::Places), Reading::Press(Press::Deny));
        assert_eq!(read_one(Reported::Custom("Deny".into()), Backend::Names), Reading::Press(Press::Deny));
        assert_eq!(read_one(Reported::Cancel, Backend::Places), Reading::Press(Press::Dismissed));
        assert_eq!(read_one(Reported::Yes, Backend::Names), Reading::Press(Press::Dismissed));
    }
}
