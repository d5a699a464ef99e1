//! All figures, one a row, and what becomes of the whole.

use assent_figure::{Figure, PROMISES, Promise, Verdict};
use std::collections::HashSet;

/// The promised figures first, in the order they are promised, then the others. Limits are the promised ones, whoever
/// measured, and what no benchmark said is there as not measured.
pub fn complete(said: Vec<Figure>) -> Vec<Figure> {
    let missing = |promise: &Promise| Figure::not_measured(promise.name, "no benchmark said it");
    let of = |promise: &Promise| {
        let found = said.iter().find(|figure| figure.name == promise.name);
        found.map_or_else(|| missing(promise), |figure| bound(figure.clone(), promise))
    };
    let mut all: Vec<Figure> = PROMISES.iter().map(of).collect();
    let promised: HashSet<&str> = PROMISES.iter().map(|promise| promise.name).collect();
    all.extend(said.into_iter().filter(|figure| !promised.contains(figure.name.as_str())));
    all
}

/// With a closing line of how many promises were met, missed and not measured.
pub fn table(figures: &[Figure]) -> String {
    let width = |of: fn(&Figure) -> usize| figures.iter().map(of).max().unwrap_or_default();
    let (names, units) = (width(|one| one.name.len()), width(|one| one.unit.chars().count()));
    let row = |figure: &Figure| {
        let Figure { name, value, unit, limit, why } = figure;
        let value = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
        let target = limit.map(|limit| format!("  target {limit} {unit}")).unwrap_or_default();
        let verdict = match figure.verdict() {
            Verdict::Met => "  met".to_owned(),
            Verdict::Missed => "  MISSED".to_owned(),
            Verdict::NotMeasured => format!("  not measured: {why}"),
            Verdict::Unbound => String::new(),
        };
        format!("{name:<names$}  {value:>12} {unit:<units$}{target}{verdict}").trim_end().to_owned() + "\n"
    };
    let rows: String = figures.iter().map(row).collect();
    let count = |verdict| figures.iter().filter(|figure| figure.verdict() == verdict).count();
    let (met, missed) = (count(Verdict::Met), count(Verdict::Missed));
    format!("{rows}{met} met, {missed} missed, {} not measured\n", count(Verdict::NotMeasured))
}

/// Whether no promise was missed. What can't be measured here is said, and is neither.
pub fn none_missed(figures: &[Figure]) -> bool {
    figures.iter().all(|figure| figure.verdict() != Verdict::Missed)
}

fn bound(figure: Figure, promise: &Promise) -> Figure {
    Figure { limit: Some(promise.limit), unit: promise.unit.to_owned(), ..figure }
}

#[cfg(test)]
mod tests {
    use super::{complete, none_missed, table};
    use assent_figure::{Figure, Limit, PROMISES, Verdict};

    #[test]
    fn each_row_says_what_became_of_its_promise() {
        let figures = [
            Figure::measured("panel_open", 412.0, ""),
            Figure::measured("verify", 310_000.0, ""),
            Figure::measured("grep_10k_files_per_ripgrep", 1.25, ""),
            Figure::not_measured("glob_10k_files_per_ripgrep", "`rg` isn't here"),
            Figure::measured("bare_fsync_p50", 1.5, "µs"),
        ];
        assert_eq!(
            table(&figures),
            "panel_open                        412.00 ms         target ≤ 300 ms  MISSED\n\
             verify                         310000.00 records/s  target ≥ 200000 records/s  met\n\
             grep_10k_files_per_ripgrep          1.25 ×          target ≤ 1.5 ×  met\n\
             glob_10k_files_per_ripgrep             - ×          target ≤ 1.5 ×  not measured: `rg` isn't here\n\
             bare_fsync_p50                      1.50 µs\n\
             2 met, 1 missed, 1 not measured\n"
        );
    }

    #[test]
    fn only_a_missed_promise_makes_the_whole_fail() {
        let (met, missed) = (Figure::measured("verify", 3e5, ""), Figure::measured("verify", 1e5, ""));
        let (unbound, unknown) =
            (Figure::measured("rows", 1.0, ""), Figure::not_measured("verify", "no log"));
        for (figures, well) in [
            (vec![], true),
            (vec![met.clone(), unbound.clone()], true),
            (vec![met.clone(), unknown.clone()], true),
            (vec![unknown, missed.clone()], false),
            (vec![missed, met, unbound], false),
        ] {
            assert_eq!(none_missed(&figures), well, "{figures:?}");
        }
    }

    #[test]
    fn every_promise_has_its_row() {
        let all = complete(Vec::new());
        assert_eq!(all.len(), PROMISES.len());
        assert!(all.iter().all(|figure| figure.verdict() == Verdict::NotMeasured));
        assert!(table(&all).contains("javascript_gzip  "));

        let said = vec![
            Figure::measured("rows", 1.0, ""),
            // A limit of the benchmark's own, or none at all, changes nothing.
            Figure { limit: Some(Limit::AtMost(9e9)), ..Figure::measured("panel_open", 301.0, "s") },
            Figure { limit: None, ..Figure::measured("frame_long_chat", 51.0, "ms") },
        ];
        let all = complete(said);
        assert_eq!(all.len(), PROMISES.len() + 1);
        assert_eq!(all.last().map(|figure| figure.name.as_str()), Some("rows"));
        let missed = all.iter().filter(|figure| figure.verdict() == Verdict::Missed);
        let missed: Vec<&str> = missed.map(|figure| figure.name.as_str()).collect();
        assert_eq!(missed, ["panel_open", "frame_long_chat"]);
    }
}
