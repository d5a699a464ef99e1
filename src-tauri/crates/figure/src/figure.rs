//! One measured value, and what becomes of its promise.

use crate::promise::{Limit, Promise};
use serde_json::{Value, json};
use std::fmt;

/// What was measured, or why it couldn't be.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Which one; promised where [`crate::PROMISES`] has it.
    pub name: String,
    /// `None` where nothing could be measured here.
    pub value: Option<f64>,
    /// What the value is counted in.
    pub unit: String,
    /// `None` where nothing is promised.
    pub limit: Option<Limit>,
    /// Why nothing was measured; empty otherwise.
    pub why: String,
}

/// What became of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The value keeps its limit.
    Met,
    /// It doesn't.
    Missed,
    /// There is no value here, so nothing is known.
    NotMeasured,
    /// A value that nothing is promised of.
    Unbound,
}

impl Figure {
    /// A value of `name`, with the limit that is promised of that name. What is no finite number was not measured.
    pub fn measured(name: &str, value: f64, unit: &str) -> Self {
        let promise = Promise::of(name);
        let value = value.is_finite().then_some(value);
        Self {
            name: name.to_owned(),
            value,
            unit: promise.map_or(unit, |promise| promise.unit).to_owned(),
            limit: promise.map(|promise| promise.limit),
            why: if value.is_some() { String::new() } else { "nothing was measured".to_owned() },
        }
    }

    /// No value of `name`, and why.
    pub fn not_measured(name: &str, why: &str) -> Self {
        Self { why: why.to_owned(), ..Self::measured(name, f64::NAN, "") }
    }

    /// What became of its promise.
    pub fn verdict(&self) -> Verdict {
        match (self.value, self.limit) {
            (None, _) => Verdict::NotMeasured,
            (Some(_), None) => Verdict::Unbound,
            (Some(value), Some(limit)) if limit.holds(value) => Verdict::Met,
            (Some(_), Some(_)) => Verdict::Missed,
        }
    }

    /// As a line of JSON.
    pub fn line(&self) -> String {
        let (limit, direction) = self.limit.map(Limit::parts).unzip();
        let met = match self.verdict() {
            Verdict::Met => Some(true),
            Verdict::Missed => Some(false),
            Verdict::NotMeasured | Verdict::Unbound => None,
        };
        json!({
            "name": self.name, "value": self.value, "unit": self.unit, "limit": limit, "direction": direction,
            "met": met, "why": self.why,
        })
        .to_string()
    }

    /// Reads such a line. Whether the limit is met is worked out, never believed; `None` for anything else.
    pub fn parse(line: &str) -> Option<Self> {
        let line: Value = serde_json::from_str(line).ok()?;
        let text = |name: &str| line.get(name).and_then(Value::as_str);
        let value = match line.get("value")? {
            Value::Null => None,
            value => Some(value.as_f64()?),
        };
        let limit = match line.get("limit") {
            None | Some(Value::Null) => None,
            Some(limit) => Some(Limit::from_parts(limit.as_f64()?, text("direction")?)?),
        };
        let own = |name: &str| text(name).unwrap_or_default().to_owned();
        Some(Self { name: text("name")?.to_owned(), value, unit: own("unit"), limit, why: own("why") })
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, unit, limit, why } = self;
        write!(to, "{name}")?;
        if let Some(value) = value {
            write!(to, " {value:.2} {unit}")?;
        }
        if let Some(limit) = limit {
            write!(to, " (target {limit} {unit})")?;
        }
        match self.verdict() {
            Verdict::Met | Verdict::Unbound => Ok(()),
            Verdict::Missed => write!(to, ": MISSED"),
            Verdict::NotMeasured => write!(to, ": not measured: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Figure, Verdict};
    use crate::Limit;

    fn figure(value: Option<f64>, limit: Option<Limit>) -> Figure {
        Figure { name: "a".to_owned(), value, unit: "ms".to_owned(), limit, why: String::new() }
    }

    #[test]
    fn every_line_is_read_as_it_was_written() {
        for (figure, verdict, met) in [
            (figure(Some(42.5), Some(Limit::AtMost(50.0))), Verdict::Met, "\"met\":true"),
            (figure(Some(51.0), Some(Limit::AtMost(50.0))), Verdict::Missed, "\"met\":false"),
            (figure(Some(51.0), Some(Limit::AtLeast(50.0))), Verdict::Met, "\"met\":true"),
            (figure(Some(42.5), Some(Limit::AtLeast(50.0))), Verdict::Missed, "\"met\":false"),
            (figure(Some(42.5), None), Verdict::Unbound, "\"met\":null"),
            (figure(None, Some(Limit::AtMost(50.0))), Verdict::NotMeasured, "\"met\":null"),
            (figure(None, None), Verdict::NotMeasured, "\"met\":null"),
            (Figure::not_measured("verify", "no log"), Verdict::NotMeasured, "\"why\":\"no log\""),
        ] {
            let line = figure.line();
            assert!(line.contains(met), "{line}");
            assert_eq!(Figure::parse(&line).as_ref(), Some(&figure), "{line}");
            assert_eq!(figure.verdict(), verdict, "{line}");
        }
    }

    #[test]
    fn other_lines_are_none() {
        for line in [
            "bench: 3 tasks",
            "",
            "3",
            r#"{"name":"a"}"#,
            r#"{"value":1}"#,
            r#"{"name":1,"value":1}"#,
            r#"{"name":"a","value":"much"}"#,
            r#"{"name":"a","value":1,"limit":"5","direction":"at_most"}"#,
            r#"{"name":"a","value":1,"limit":5}"#,
            r#"{"name":"a","value":1,"limit":5,"direction":"about"}"#,
        ] {
            assert_eq!(Figure::parse(line), None, "{line}");
        }
    }

    #[test]
    fn what_a_line_says_of_itself_is_not_believed() {
        let line = r#"{"name":"a","value":9,"limit":5,"direction":"at_most","met":true}"#;
        assert_eq!(Figure::parse(line).map(|figure| figure.verdict()), Some(Verdict::Missed));
    }

    #[test]
    fn a_promised_name_brings_its_limit_and_nothing_measured_meets_none() {
        for (name, value, verdict) in [
            ("verify", 200_001.0, Verdict::Met),
            ("verify", 199_999.0, Verdict::Missed),
            ("verify", f64::INFINITY, Verdict::NotMeasured),
            ("panel_open", 301.0, Verdict::Missed),
            ("panel_open", f64::NEG_INFINITY, Verdict::NotMeasured),
            ("panel_open", f64::NAN, Verdict::NotMeasured),
            ("of_no_promise", 1.0, Verdict::Unbound),
        ] {
            assert_eq!(Figure::measured(name, value, "ms").verdict(), verdict, "{name} {value}");
        }
        assert_eq!(Figure::measured("verify", 1.0, "").unit, "records/s");
    }
}
