//! The text of an HTML page: what a reader would see, with its links. One pass, no tree, never an error.

use reqwest::Url;

/// Elements whose content isn't read.
const SKIPPED: &[&str] = &[
    "script", "style", "noscript", "template", "svg", "math", "iframe", "object", "canvas", "audio", "video",
    "select", "textarea", "dialog",
];
/// Elements that begin and end a line.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "tfoot",
    "thead",
    "tr",
    "ul",
    "title",
];
/// Elements with no end.
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];
/// Bytes of text after which the rest of the page is left.
const TEXT_LIMIT: usize = 1024 * 1024;

/// The text of `html`, links resolved against `base`.
#[must_use]
pub fn text_of(html: &str, base: &Url) -> String {
    let mut writer = Writer::default();
    let mut rest = html;
    while !rest.is_empty() && writer.text.len() < TEXT_LIMIT {
        let Some(at) = rest.find('<') else {
            writer.words(rest);
            break;
        };
        let (words, tag) = rest.split_at(at);
        writer.words(words);
        rest = match Markup::read(tag) {
            Markup::Open { name, attributes, after } => open(&mut writer, &name, attributes, after, base),
            Markup::Close { name, after } => {
                close(&mut writer, &name);
                after
            }
            Markup::Other { after } => after,
            Markup::Text => {
                writer.words("<");
                tag.strip_prefix('<').unwrap_or_default()
            }
        };
    }
    writer.finish()
}

/// Takes an element's start; gives the rest of the page.
fn open<'a>(writer: &mut Writer, name: &str, attributes: &str, after: &'a str, base: &Url) -> &'a str {
    if SKIPPED.contains(&name) || (is_hidden(attributes) && !VOID.contains(&name)) {
        return skip(name, after);
    }
    if BLOCKS.contains(&name) {
        writer.new_line();
    }
    match name {
        "br" => writer.break_line(),
        "hr" => writer.raw("---"),
        "li" => writer.raw("- "),
        "h1" | "title" => writer.raw("# "),
        "h2" => writer.raw("## "),
        "h3" | "h4" | "h5" | "h6" => writer.raw("### "),
        "p" | "table" | "ul" | "ol" => writer.paragraph(),
        "td" | "th" => writer.cell(),
        "pre" => writer.literal = writer.literal.saturating_add(1),
        "img" => {
            if let Some(described) = attribute(attributes, "alt").filter(|text| !text.trim().is_empty()) {
                writer.words(&format!("[image: {described}]"));
            }
        }
        "a" => {
            writer.end_link();
            writer.link = attribute(attributes, "href")
                .and_then(|target| base.join(target.trim()).ok())
                .filter(|target| matches!(target.scheme(), "http" | "https"))
                .map(|target| (target.to_string(), writer.text.len()));
        }
        _ => {}
    }
    after
}

fn close(writer: &mut Writer, name: &str) {
    match name {
        "a" => writer.end_link(),
        "pre" => writer.literal = writer.literal.saturating_sub(1),
        _ => {}
    }
    if BLOCKS.contains(&name) {
        writer.new_line();
    }
}

/// The rest after the end of the element `name`, nested ones of the same name included.
fn skip<'a>(name: &str, mut rest: &'a str) -> &'a str {
    let raw = matches!(name, "script" | "style" | "textarea");
    let mut depth = 1_u32;
    while let Some(at) = rest.find('<') {
        let tag = rest.get(at..).unwrap_or_default();
        rest = match Markup::read(tag) {
            Markup::Close { name: closed, after } if closed == name => {
                depth -= 1;
                if depth == 0 {
                    return after;
                }
                after
            }
            Markup::Open { name: opened, after, .. } if !raw && opened == name => {
                depth = depth.saturating_add(1);
                after
            }
            Markup::Open { after, .. } | Markup::Close { after, .. } | Markup::Other { after } if !raw => {
                after
            }
            _ => tag.strip_prefix('<').unwrap_or_default(),
        };
    }
    ""
}

/// Whether an element says that nobody sees it.
fn is_hidden(attributes: &str) -> bool {
    let style = attribute(attributes, "style").unwrap_or_default().to_ascii_lowercase().replace(' ', "");
    attribute(attributes, "hidden").is_some()
        || attribute(attributes, "aria-hidden").is_some_and(|value| value == "true")
        || style.contains("display:none")
        || style.contains("visibility:hidden")
}

/// What begins with a `<`.
enum Markup<'a> {
    Open {
        name: String,
        attributes: &'a str,
        after: &'a str,
    },
    Close {
        name: String,
        after: &'a str,
    },
    /// A comment, a declaration, an end tag with no name.
    Other {
        after: &'a str,
    },
    /// Just a `<`.
    Text,
}

impl<'a> Markup<'a> {
    /// Reads one piece of markup at the start of `text`.
    fn read(text: &'a str) -> Self {
        if let Some(comment) = text.strip_prefix("<!--") {
            return Self::Other { after: comment.split_once("-->").map_or("", |(_, after)| after) };
        }
        if text.starts_with("<!") || text.starts_with("<?") {
            return Self::Other { after: text.split_once('>').map_or("", |(_, after)| after) };
        }
        let (closes, body) = match text.strip_prefix("</") {
            Some(body) => (true, body),
            None => (false, text.strip_prefix('<').unwrap_or(text)),
        };
        let length = body.find(|it: char| !it.is_ascii_alphanumeric() && it != '-').unwrap_or(body.len());
        let (name, rest) = body.split_at(length);
        if !name.starts_with(|it: char| it.is_ascii_alphabetic()) {
            return if closes {
                Self::Other { after: text.split_once('>').map_or("", |(_, after)| after) }
            } else {
                Self::Text
            };
        }
        let end = end_of_tag(rest);
        let attributes = rest.get(..end).unwrap_or(rest);
        let after = rest.get(end + 1..).unwrap_or_default();
        let name = name.to_ascii_lowercase();
        if closes { Self::Close { name, after } } else { Self::Open { name, attributes, after } }
    }
}

/// Where the `>` is that ends a tag; quoted ones don't count.
fn end_of_tag(text: &str) -> usize {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return at,
            (None, _) => {}
        }
    }
    // A quote that never ends: the tag ends at the first `>` all the same.
    text.find('>').unwrap_or(text.len())
}

/// The value of an attribute, empty where it has none.
fn attribute(attributes: &str, wanted: &str) -> Option<String> {
    let mut rest = attributes;
    loop {
        rest = rest.trim_start_matches(|it: char| it.is_ascii_whitespace() || it == '/');
        if rest.is_empty() {
            return None;
        }
        let length = rest
            .char_indices()
            .skip(1)
            .find(|(_, it)| it.is_ascii_whitespace() || matches!(it, '=' | '/'))
            .map_or(rest.len(), |(at, _)| at);
        let (name, after) = rest.split_at(length);
        let after = after.trim_start();
        let (value, next) = match after.strip_prefix('=') {
            None => ("", after),
            Some(value) => {
                let value = value.trim_start();
                match value.chars().next() {
                    Some(quote @ ('"' | '\'')) => {
                        value.get(1..).unwrap_or_default().split_once(quote).unwrap_or((value, ""))
                    }
                    _ => {
                        value.split_at(value.find(|it: char| it.is_ascii_whitespace()).unwrap_or(value.len()))
                    }
                }
            }
        };
        if name.eq_ignore_ascii_case(wanted) {
            return Some(decode(value));
        }
        rest = next;
    }
}

/// Text in the making: blanks collapsed, lines begun only where something follows.
#[derive(Default)]
struct Writer {
    text: String,
    pending_blank: bool,
    pending_lines: usize,
    /// Inside so many `pre`.
    literal: u32,
    /// Target of the link that is open, and where its text begins.
    link: Option<(String, usize)>,
}

impl Writer {
    fn words(&mut self, words: &str) {
        let words = decode(words);
        if self.literal > 0 {
            if !words.is_empty() {
                self.flush();
                self.text.push_str(&words);
            }
            return;
        }
        for (at, word) in words.split(|it: char| it.is_whitespace() && it != '\u{a0}').enumerate() {
            if at > 0 {
                self.pending_blank = true;
            }
            if !word.is_empty() {
                self.flush();
                self.text.push_str(word);
            }
        }
    }

    /// Text of our own, at the start of a line.
    fn raw(&mut self, text: &str) {
        self.flush();
        self.text.push_str(text);
    }

    fn new_line(&mut self) {
        self.pending_lines = self.pending_lines.max(1);
    }

    fn break_line(&mut self) {
        self.pending_lines = (self.pending_lines + 1).min(2);
    }

    fn paragraph(&mut self) {
        self.pending_lines = 2;
    }

    fn cell(&mut self) {
        if self.pending_lines == 0 && !self.text.ends_with('\n') && !self.text.is_empty() {
            self.raw(" | ");
        }
    }

    fn flush(&mut self) {
        if self.pending_lines > 0 {
            if !self.text.is_empty() {
                let there = self.text.chars().rev().take_while(|it| *it == '\n').count();
                for _ in there..self.pending_lines {
                    self.text.push('\n');
                }
            }
        } else if self.pending_blank && !self.text.ends_with([' ', '\n']) && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.pending_lines = 0;
        self.pending_blank = false;
    }

    fn end_link(&mut self) {
        let Some((target, start)) = self.link.take() else { return };
        if self.text.get(start..).is_some_and(|text| !text.trim().is_empty()) {
            self.text.push_str(&format!(" <{target}>"));
        }
    }

    fn finish(mut self) -> String {
        self.end_link();
        self.text.trim().to_owned()
    }
}

/// `text` with its character references resolved.
fn decode(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (plain, reference) = rest.split_at(at);
        out.push_str(plain);
        let body = reference.strip_prefix('&').unwrap_or_default();
        let length =
            body.char_indices().take(32).find(|(_, it)| *it == ';').map(|(at, _)| at).unwrap_or_default();
        let name = body.get(..length).unwrap_or_default();
        if let Some(character) = reference_of(name) {
            out.push(character);
            rest = body.get(length + 1..).unwrap_or_default();
        } else {
            out.push('&');
            rest = body;
        }
    }
    out.push_str(rest);
    out
}

fn reference_of(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
            None => number.parse(),
        };
        return code.ok().and_then(char::from_u32).filter(|it| *it != '\0');
    }
    NAMED.iter().find(|(known, _)| *known == name).map(|(_, character)| *character)
}

/// The character references people write by name.
const NAMED: &[(&str, char)] = &[
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("copy", '©'),
    ("reg", '®'),
    ("trade", '™'),
    ("deg", '°'),
    ("para", '¶'),
    ("sect", '§'),
    ("middot", '·'),
    ("bull", '•'),
    ("hellip", '…'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("larr", '←'),
    ("rarr", '→'),
    ("uarr", '↑'),
    ("darr", '↓'),
    ("times", '×'),
    ("divide", '÷'),
    ("plusmn", '±'),
    ("le", '≤'),
    ("ge", '≥'),
    ("ne", '≠'),
    ("euro", '€'),
    ("pound", '£'),
    ("yen", '¥'),
    ("micro", 'µ'),
    ("szlig", 'ß'),
    ("auml", 'ä'),
    ("ouml", 'ö'),
    ("uuml", 'ü'),
    ("Auml", 'Ä'),
    ("Ouml", 'Ö'),
    ("Uuml", 'Ü'),
    ("eacute", 'é'),
    ("egrave", 'è'),
    ("agrave", 'à'),
    ("ccedil", 'ç'),
    ("ntilde", 'ñ'),
];

#[cfg(test)]
mod tests {
    use super::text_of;
    use proptest::prelude::proptest;
    use proptest::prop_assert;
    use reqwest::Url;

    fn text(html: &str) -> String {
        text_of(html, &Url::parse("https://example.test/docs/page.html").expect("a URL"))
    }

    #[test]
    fn a_page_reads_as_a_person_sees_it() {
        let page = r#"<!doctype html><html><head><title>The &amp; title</title>
            <style>p { color: red }</style><script>if (a < b) { alert("</p>") }</script></head>
            <body><!-- a <b>comment</b> --><nav><a href="/">Home</a> <a href="next.html">Next</a></nav>
            <h1>Heading</h1><p>First   paragraph
            goes on, 1 &lt; 2 &#233;&#x4e2d;&unknown;.</p><p>Second<br>line with <b>bold</b> text.</p>
            <ul><li>one<li>two</ul><table><tr><th>a<th>b<tr><td>1<td>2</table>
            <pre>let x = 1;
    let y = 2;</pre><p hidden>Not <p>seen</p> here</p><div style="display: none">nor here</div>
            <img src="x.png" alt="A picture"><a href="javascript:alert(1)">no target</a>
            <a title="a > b" href='https://other.test/?a=1&amp;b=2'>other</a></body></html>"#;
        insta::assert_snapshot!(text(page));
    }

    #[test]
    fn broken_pages_are_read_as_far_as_they_go() {
        for page in [
            "<",
            "a < b",
            "<a href=\"never ends",
            "<script>never ends",
            "</",
            "<!--",
            "&",
            "&#;&#x110000;",
            "<p",
        ] {
            text(page);
        }
        assert_eq!(text("a < b and c > d"), "a < b and c > d");
    }

    proptest! {
        #![proptest_config(crate::effort::cases(512))]

        /// Whatever is in it, a page is read without failing, and gives no more text than a few times its size.
        #[test]
        fn any_page_is_read(page in "(<[a-z/!]{0,3}|href=|\"|'|>|&[a-z#]{0,4};?|script|pre| |\n|\u{4e2d}|[a-z<>&]){0,60}") {
            prop_assert!(text(&page).len() <= page.len() * 40 + 100);
        }
    }
}
