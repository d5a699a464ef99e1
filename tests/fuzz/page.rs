//! Pages from the network: their text is bounded, whatever the tags say.

use crate::campaign;
use assent_agent::tools::page_text;
use url::Url;

/// R23
#[test]
fn page() {
    let base = Url::parse("https://example.org/a/b").expect("an address");
    campaign::run("page", |input| {
        let text = page_text(&String::from_utf8_lossy(input), &base);
        // Every link's address is written out beside its words.
        let bound = 64 * (input.len() + 64);
        assert!(text.len() <= bound, "{} bytes of text from {}", text.len(), input.len());
        format!(
            "{} {} {} {}",
            text.lines().count().min(8),
            text.len().checked_ilog2().unwrap_or_default(),
            text.contains("](") || text.contains("(http"),
            text.contains('|')
        )
    });
}
