//! One measured value beside its target, and the table of all.

use serde_json::{Value, json};

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    pub name: String,
    pub value: f64,
    pub unit: String,
    /// In words; empty where there is none.
    pub target: String,
    /// Whether the target is met, where whoever measured can tell.
    pub met: Option<bool>,
}

impl Figure {
    /// One that may be `limit` at most.
    pub fn at_most(name: &str, value: f64, limit: f64, unit: &str) -> Self {
        Self {
            name: name.to_owned(),
            value,
            unit: unit.to_owned(),
            target: format!("≤ {limit:.0} {unit}"),
            met: Some(value <= limit),
        }
    }

    /// Reads a line of a benchmark: an object with name, value, unit and target.
    pub fn parse(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            name: text("name")?,
            value: value.get("value")?.as_f64()?,
            unit: text("unit").unwrap_or_default(),
            target: text("target").unwrap_or_default(),
            met: value.get("met").and_then(Value::as_bool),
        })
    }

    /// As such a line.
    pub fn line(&self) -> String {
        json!({ "name": self.name, "value": self.value, "unit": self.unit, "target": self.target, "met": self.met })
            .to_string()
    }
}

/// All of them, one a row.
pub fn table(figures: &[Figure]) -> String {
    let width = |of: fn(&Figure) -> usize| figures.iter().map(of).max().unwrap_or_default();
    let (names, units) = (width(|one| one.name.len()), width(|one| one.unit.len()));
    figures
        .iter()
        .map(|Figure { name, value, unit, target, met }| {
            let target = if target.is_empty() { String::new() } else { format!("  target {target}") };
            let missed = if *met == Some(false) { "  MISSED" } else { "" };
            format!("{name:<names$}  {value:>12.2} {unit:<units$}{target}{missed}").trim_end().to_owned()
                + "\n"
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Figure, table};

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let figure = Figure::at_most("first_token", 42.5, 50.0, "ms");
        assert_eq!(Figure::parse(&figure.line()), Some(figure));
        assert_eq!(Figure::parse("bench: 3 tasks"), None);
        assert_eq!(Figure::parse("{\"name\": \"a\", \"value\": \"much\"}"), None);
        let plain = Figure::parse(r#"{"name":"a","value":1,"unit":"MB","target":""}"#);
        assert_eq!(plain.map(|figure| figure.met), Some(None));
    }

    #[test]
    fn a_missed_target_stands_out() {
        let figures = [
            Figure::at_most("painted", 700.0, 650.0, "ms"),
            Figure::at_most("idle_memory", 200.25, 250.0, "MiB"),
            Figure { target: String::new(), met: None, ..Figure::at_most("bare", 1.0, 2.0, "ms") },
        ];
        assert_eq!(
            table(&figures),
            "painted            700.00 ms   target ≤ 650 ms  MISSED\n\
             idle_memory        200.25 MiB  target ≤ 250 MiB\n\
             bare                 1.00 ms\n"
        );
    }
}
