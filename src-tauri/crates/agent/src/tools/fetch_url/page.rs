//! The text of an HTML page: what a reader would see, with its links. One pass, no tree, never an error.

mod markup;
mod references;
mod writer;

use markup::{Markup, attribute};
use reqwest::Url;
use writer::Writer;

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
