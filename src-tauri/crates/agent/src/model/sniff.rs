//! What a body really is. Its content decides, not its content type: servers label event streams as JSON and
//! answer a streaming request with a whole JSON document; captive portals answer with HTML and status 200.

/// The kind of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// One JSON document: a whole response or an error.
    Json,
    /// A web page: whatever answered is no model API.
    Html,
    /// Server-sent events.
    EventStream,
}

/// Decides from the first byte that says something; `None` while only blanks have arrived.
#[must_use]
pub fn sniff(head: &[u8]) -> Option<BodyKind> {
    const BOM: &[u8] = b"\xef\xbb\xbf";
    // A mark that was cut in two must not be taken for content.
    if head.len() < BOM.len() && BOM.starts_with(head) {
        return None;
    }
    let head = head.strip_prefix(BOM).unwrap_or(head);
    let first = head.iter().find(|byte| !byte.is_ascii_whitespace())?;
    Some(match first {
        b'{' | b'[' => BodyKind::Json,
        b'<' => BodyKind::Html,
        _ => BodyKind::EventStream,
    })
}

#[cfg(test)]
mod tests {
    use super::{BodyKind, sniff};

    #[test]
    fn content_decides() {
        let cases: &[(&[u8], Option<BodyKind>)] = &[
            (b"", None),
            (b"\n\n  ", None),
            (b"\xef\xbb", None),
            (b"\xef\xbb\xbf", None),
            (b"\xef\xbb\xbf{", Some(BodyKind::Json)),
            (b"\n\n{", Some(BodyKind::Json)),
            (b"[", Some(BodyKind::Json)),
            (b"<!doctype", Some(BodyKind::Html)),
            (b"data: {", Some(BodyKind::EventStream)),
            (b": ping", Some(BodyKind::EventStream)),
            (b"\xff", Some(BodyKind::EventStream)),
        ];
        for (head, expected) in cases {
            assert_eq!(sniff(head), *expected, "{head:?}");
        }
    }
}
