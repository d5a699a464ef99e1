//! What a session has used: tokens by model, how full the model's context is, and what that costs.

use crate::view;
use assent_agent::model::Usage;
use assent_agent::model::prices::PriceTable;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The table of prices, shared by all sessions.
pub type Prices = Arc<RwLock<PriceTable>>;

/// The counters of one session.
#[derive(Default)]
pub struct Spending {
    prices: Prices,
    by_model: BTreeMap<String, Usage>,
    model: String,
    run: Usage,
    context: Option<(u64, Option<u64>)>,
}

impl Spending {
    /// Nothing spent yet.
    pub fn new(prices: Prices) -> Self {
        Self { prices, ..Self::default() }
    }

    /// A run with `model` begins.
    pub fn begin(&mut self, model: &str) {
        model.clone_into(&mut self.model);
        self.run = Usage::default();
    }

    /// A request of the run was counted by its provider.
    pub fn add(&mut self, usage: Usage) {
        add(&mut self.run, usage);
        add(self.by_model.entry(self.model.clone()).or_default(), usage);
    }

    /// The run's model, and the tokens of all its requests.
    pub fn run(&self) -> (&str, Usage) {
        (&self.model, self.run)
    }

    /// A run of before, as it was stored.
    pub fn retell(&mut self, model: &str, usage: Usage) {
        add(self.by_model.entry(model.to_owned()).or_default(), usage);
    }

    /// About so many tokens of the model's window are filled.
    pub fn fill(&mut self, used: u64, window: Option<u64>) {
        self.context = Some((used, window));
    }

    /// As the window shows it. What has no price in the table is not in the sum.
    pub fn view(&self) -> view::Usage {
        let mut total = Usage::default();
        self.by_model.values().for_each(|usage| add(&mut total, *usage));
        let prices = self.prices.read().unwrap_or_else(PoisonError::into_inner);
        let costs = self.by_model.iter().filter_map(|(model, usage)| prices.cost(model, *usage));
        let (used, window) = self.context.unzip();
        let window = window.flatten().filter(|window| *window > 0);
        let percent = used.zip(window).map(|(used, window)| (used.saturating_mul(100) / window).min(100));
        view::Usage {
            input_tokens: total.input,
            output_tokens: total.output,
            context_tokens: used,
            context_window: window,
            context_percent: percent.and_then(|percent| u8::try_from(percent).ok()),
            cost: costs.reduce(|one, other| one + other),
        }
    }
}

fn add(to: &mut Usage, usage: Usage) {
    to.input = to.input.saturating_add(usage.input);
    to.output = to.output.saturating_add(usage.output);
}

#[cfg(test)]
mod tests {
    use super::{Prices, Spending};
    use assent_agent::model::Usage;
    use assent_agent::model::prices::PriceTable;
    use std::sync::{Arc, RwLock};

    #[test]
    fn costs_are_summed_by_model_and_context_is_a_share_of_the_window() {
        let text = "[[models]]\nmodel = \"dear\"\ninput = 10.0\noutput = 20.0\n";
        let prices: Prices = Arc::new(RwLock::new(PriceTable::parse(text).unwrap()));
        let mut spending = Spending::new(Arc::clone(&prices));
        assert_eq!(spending.view().cost, None);
        spending.retell("local", Usage { input: 5, output: 5 });
        assert_eq!(spending.view().cost, None);
        spending.begin("dear");
        spending.add(Usage { input: 100_000, output: 50_000 });
        spending.add(Usage { input: 100_000, output: 0 });
        assert_eq!(spending.run(), ("dear", Usage { input: 200_000, output: 50_000 }));
        spending.fill(30_000, Some(120_000));
        let view = spending.view();
        assert_eq!((view.input_tokens, view.output_tokens, view.cost), (200_005, 50_005, Some(3.0)));
        assert_eq!(
            (view.context_tokens, view.context_window, view.context_percent),
            (Some(30_000), Some(120_000), Some(25))
        );
        spending.fill(1_000, None);
        assert_eq!(spending.view().context_percent, None);
        *prices.write().unwrap() = PriceTable::default();
        assert_eq!(spending.view().cost, None);
    }
}
