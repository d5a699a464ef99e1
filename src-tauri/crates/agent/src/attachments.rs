//! What a person sends along with a message: files they picked, dropped or named with `@`. Text goes as text, marked
//! as data; images as images; nothing else, and nothing that a reading call would not be allowed unasked.

use crate::circumstances::SessionCircumstances;
use crate::facts;
use crate::gate::Circumstances as _;
use crate::model::Attachment;
use crate::workspace::Workspace;
use crate::workspace::text::{SNIFF_BYTES, Sniffed, sniff};
use assent_policy::{Access, Behavior, FileAccess, Origin, PreparedCall, Subject, ToolEffect};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use std::io::Read as _;

/// Longest text of one file that is sent, bytes of UTF-8.
pub const TEXT_LIMIT: usize = 256 * 1024;
/// Largest image that is sent, bytes.
pub const IMAGE_LIMIT: usize = 5 * 1024 * 1024;

/// A file that is not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("attach {name}: {why}")]
pub struct NotAttached {
    /// Its name, or its path in the workspace.
    pub name: String,
    /// Why, in words for the person.
    pub why: String,
}

/// A file that was picked, pasted or dropped. Its content decides what it is, whatever it calls itself.
///
/// # Errors
/// When it is neither an image that models read nor text, or too large.
pub fn received(name: &str, bytes: &[u8]) -> Result<Attachment, NotAttached> {
    let refused = |why: &str| Err(NotAttached { name: name.to_owned(), why: why.to_owned() });
    if let Some(media_type) = image_type(bytes) {
        if bytes.len() > IMAGE_LIMIT {
            return refused("the image is larger than 5 MiB");
        }
        return Ok(Attachment {
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            data: STANDARD.encode(bytes),
            cut: false,
        });
    }
    let head = bytes.get(..TEXT_LIMIT.saturating_add(4)).unwrap_or(bytes);
    let Sniffed::Text(encoding, mark) = sniff(head.get(..SNIFF_BYTES).unwrap_or(head)) else {
        return refused("it is neither text nor an image (PNG, JPEG, GIF, WebP)");
    };
    let (text, _) = encoding.decode_without_bom_handling(head.get(mark..).unwrap_or_default());
    let end = (0..=TEXT_LIMIT.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let kept = text.get(..end).unwrap_or_default();
    Ok(Attachment {
        name: name.to_owned(),
        media_type: "text/plain".to_owned(),
        data: kept.to_owned(),
        cut: kept.len() < text.len() || head.len() < bytes.len(),
    })
}

/// The same for base64, as the window sends it.
///
/// # Errors
/// As [`received`], or when it is no base64.
pub fn received_base64(name: &str, base64: &str) -> Result<Attachment, NotAttached> {
    match STANDARD.decode(base64.trim()) {
        Ok(bytes) => received(name, &bytes),
        Err(_) => Err(NotAttached { name: name.to_owned(), why: "it did not arrive whole".to_owned() }),
    }
}

/// A file of the workspace that a person named with `@`; `None` for a folder. It is judged as a reading call would
/// be: the boundary, sensitive files and rules hold, and what would ask is not sent.
///
/// # Errors
/// When it would not be allowed unasked, isn't there, or is nothing that can be sent.
pub fn mentioned(
    path: &str,
    workspace: &Workspace,
    circumstances: &SessionCircumstances,
) -> Result<Option<Attachment>, NotAttached> {
    let refused = |why: String| NotAttached { name: path.to_owned(), why };
    let (context, rules) = circumstances.current().map_err(refused)?;
    let call = reading(path);
    let (evaluation, facts) = facts::judge(&call, &context, &rules, &[]);
    match evaluation.behavior {
        Behavior::Allow => {}
        Behavior::Passthrough | Behavior::Ask | Behavior::Deny => {
            return Err(refused(evaluation.reason.as_str().to_owned()));
        }
    }
    let approved = workspace.approved(&facts, path).map_err(|error| refused(error.to_string()))?;
    if approved.real.is_dir() {
        return Ok(None);
    }
    let file = workspace.open_file(&approved).map_err(|error| refused(error.to_string()))?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(IMAGE_LIMIT.saturating_add(1)).unwrap_or(u64::MAX);
    file.into_std().take(limit).read_to_end(&mut bytes).map_err(|error| refused(error.to_string()))?;
    received(path, &bytes).map(Some)
}

/// The call that would read `path`.
fn reading(path: &str) -> PreparedCall {
    let arguments: Map<String, Value> = [("path".to_owned(), Value::from(path))].into_iter().collect();
    PreparedCall {
        tool: "read_file".to_owned(),
        schema_version: 1,
        arguments,
        effect: ToolEffect::Read,
        subject: Subject::Files {
            accesses: vec![FileAccess { path: path.to_owned(), access: Access::Read }],
        },
        origin: Origin::Task,
    }
}

/// The type of an image that models read, by its first bytes.
fn image_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{IMAGE_LIMIT, TEXT_LIMIT, received, received_base64};

    const PNG: [u8; 9] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', 0];

    #[test]
    fn content_decides_what_a_file_is() {
        let image = received("a.txt", &PNG).unwrap();
        assert_eq!((image.media_type.as_str(), image.data.as_str()), ("image/png", "iVBORw0KGgoA"));
        let text = received("a.png", "né\n".as_bytes()).unwrap();
        assert_eq!((text.media_type.as_str(), text.data.as_str(), text.cut), ("text/plain", "né\n", false));
        let utf16 = [0xff, 0xfe, b'h', 0, b'i', 0];
        assert_eq!(received("a", &utf16).unwrap().data, "hi");
        assert_eq!(received("a", b"").unwrap().data, "");
        assert!(received("a.bin", &[0, 1, 2, 3, 0, 0, 7]).is_err());
        assert_eq!(received_base64("a", "aGk=").unwrap().data, "hi");
        assert!(received_base64("a", "?").is_err());
    }

    #[test]
    fn what_is_too_long_is_cut_between_characters_or_refused() {
        let cut = received("a", "é".repeat(TEXT_LIMIT).as_bytes()).unwrap();
        assert!(cut.cut && cut.data.len() <= TEXT_LIMIT && cut.data.chars().all(|it| it == 'é'));
        let mut image = PNG.to_vec();
        image.resize(IMAGE_LIMIT + 1, 0);
        assert!(received("a.png", &image).is_err());
    }
}
