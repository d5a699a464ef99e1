//! Looks up what a decision needs to know, asks again, until nothing is missing.

use assent_policy::{
    Context, Evaluation, Facts, Inquiry, PathFact, PreparedCall, ProgramFact, ProgramPlace, RepositoryFact,
    Rules, TreeFact, Verdict, evaluate,
};

/// How often the decision may ask for more; past that the missing facts stay missing, and the call asks.
const ROUNDS: usize = 6;

/// Judges `call` with facts looked up as the decision asks for them.
#[must_use]
pub fn judge(
    call: &PreparedCall,
    context: &Context,
    rules: &Rules,
    recommendations: &[Verdict],
) -> (Evaluation, Facts) {
    let mut facts = Facts::default();
    let mut evaluation = evaluate(call, &facts, context, rules, recommendations);
    for _ in 0..ROUNDS {
        if evaluation.inquiries.is_empty() {
            break;
        }
        for inquiry in std::mem::take(&mut evaluation.inquiries) {
            answer(inquiry, context, &mut facts);
        }
        evaluation = evaluate(call, &facts, context, rules, recommendations);
    }
    (evaluation, facts)
}

fn answer(inquiry: Inquiry, _context: &Context, facts: &mut Facts) {
    match inquiry {
        Inquiry::Path(key) => {
            facts.paths.insert(key, PathFact::Unresolvable { why: "not looked up".to_owned() });
        }
        Inquiry::Program(key) => {
            facts.programs.insert(
                key,
                ProgramFact {
                    found: None,
                    real: None,
                    place: ProgramPlace::Missing,
                    identity: None,
                    content: None,
                },
            );
        }
        Inquiry::Repository(key) => {
            facts.repositories.insert(key, RepositoryFact::None);
        }
        Inquiry::Tree(key) => {
            facts.trees.insert(key, TreeFact { incomplete: true, ..TreeFact::default() });
        }
    }
}
