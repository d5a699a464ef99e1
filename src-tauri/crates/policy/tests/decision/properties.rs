//! What holds for every call: participants only add strictness, order never matters, missing facts never allow.

use crate::world::{World, context, fetch, glob, grep, read, rules, shell, shell_with, windows, write};
use assent_policy::rule::{Layer, RuleFile};
use assent_policy::{
    Behavior, Context, Facts, Mode, Needs, Os, PreparedCall, Rules, SandboxState, ShellKind, Source, Verdict,
    evaluate,
};
use proptest::prelude::*;

fn calls() -> impl Strategy<Value = PreparedCall> {
    let path = prop_oneof![
        Just("src/a.rs".to_owned()),
        Just(".env".to_owned()),
        Just(".git/config".to_owned()),
        Just("../x".to_owned()),
        Just("/etc/passwd".to_owned()),
        Just("/home/u/.config/assent/policy.toml".to_owned()),
        "[a-z./~\\\\:]{1,12}",
    ];
    let command = prop_oneof![
        Just("ls".to_owned()),
        Just("git push".to_owned()),
        Just("cargo test && rm -r build".to_owned()),
        Just("sudo reboot".to_owned()),
        Just("echo x > .git/hooks/y".to_owned()),
        "[a-z$(){}|;&<>'\" /.-]{0,30}",
    ];
    prop_oneof![
        path.clone().prop_map(|path| read(&path)),
        path.clone().prop_map(|path| write(&path)),
        path.clone().prop_map(|path| glob(&path)),
        path.prop_map(|path| grep(&path, None)),
        command.clone().prop_map(|command| shell(&command)),
        command.prop_map(|command| shell_with(&command, Needs { unsandboxed: true, ..Needs::default() })),
        "https?://[a-z.]{1,12}/".prop_map(|url| fetch(&url)),
    ]
}

fn contexts() -> impl Strategy<Value = Context> {
    let modes = prop_oneof![Just(Mode::Strict), Just(Mode::Balanced), Just(Mode::Sandboxed)];
    let sandbox = prop_oneof![Just(SandboxState::InForce), Just(SandboxState::NotInForce)];
    let places = prop_oneof![Just(context()), Just(windows())];
    (modes, sandbox, places).prop_map(|(mode, sandbox, place)| Context { mode, sandbox, ..place })
}

const RULES: &[&str] = &[
    "[[rules]]\nname = \"a\"\nbehavior = \"allow\"\ntools = [\"shell\"]\ncommands = [\"*\"]\nreason = \"A.\"\n",
    "[[rules]]\nname = \"b\"\nbehavior = \"allow\"\ntools = [\"write_file\", \"read_file\"]\npaths = [\"**\"]\nreason = \"B.\"\n",
    "[[rules]]\nname = \"c\"\nbehavior = \"ask\"\ntools = [\"read_file\"]\npaths = [\"src/**\"]\nreason = \"C.\"\n",
    "[[rules]]\nname = \"d\"\nbehavior = \"deny\"\ntools = [\"shell\"]\ncommands = [\"git push *\"]\nreason = \"D.\"\n",
    "[[rules]]\nname = \"e\"\nbehavior = \"allow\"\nreason = \"E.\"\n",
    "[[rules]]\nname = \"f\"\nbehavior = \"deny\"\ntools = [\"grep\"]\nreason = \"F.\"\n",
];

fn chosen(which: &[usize]) -> Rules {
    let text: Vec<&str> = which.iter().filter_map(|place| RULES.get(*place).copied()).collect();
    rules(&text.concat())
}

fn judge(rules: Rules, call: &PreparedCall, context: &Context) -> Behavior {
    World { rules, ..World::default() }.judge(call, context).behavior
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..crate::effort::cases(96) })]

    /// R10: the same rules in another order decide the same.
    #[test]
    fn order_never_matters(call in calls(), context in contexts(), order in Just((0..RULES.len()).collect::<Vec<_>>()).prop_shuffle(), take in 0..RULES.len()) {
        let taken: Vec<usize> = order.iter().copied().take(take).collect();
        let mut sorted = taken.clone();
        sorted.sort_unstable();
        let world = |which: &[usize]| World { rules: chosen(which), ..World::default() }.judge(&call, &context);
        prop_assert_eq!(world(&taken), world(&sorted));
    }

    /// R10, R21: one more deny or ask, one more opinion, never weakens.
    #[test]
    fn more_opinions_never_weaken(call in calls(), context in contexts(), behavior in prop_oneof![Just(Behavior::Passthrough), Just(Behavior::Allow), Just(Behavior::Ask), Just(Behavior::Deny)]) {
        let world = World::default();
        let before = world.judge(&call, &context).behavior;
        let advice = [Verdict::new(Source::HOOKS, behavior, "A hook says so.")];
        let after = world.judge_with(&call, &context, &advice).behavior;
        prop_assert!(after >= before);
        prop_assert!(behavior < Behavior::Ask || after >= behavior);
        for tightening in [2, 3, 5] {
            prop_assert!(judge(chosen(&[tightening]), &call, &context) >= before);
        }
    }

    /// R20: allow rules lift the two defaults and nothing else.
    #[test]
    fn allow_rules_lift_only_the_defaults(call in calls(), context in contexts()) {
        let bare = World::default().judge(&call, &context);
        let freed = World { rules: chosen(&[0, 1, 4]), ..World::default() }.judge(&call, &context);
        let fixed = |evaluation: &assent_policy::Evaluation| {
            evaluation
                .verdicts
                .iter()
                .filter(|verdict| ![Source::SHELL_DEFAULT, Source::EFFECT_DEFAULT, Source::DEFAULT].contains(&verdict.source))
                .filter(|verdict| verdict.behavior > Behavior::Allow)
                .map(|verdict| verdict.behavior)
                .max()
        };
        prop_assert_eq!(fixed(&bare), fixed(&freed));
        prop_assert!(Some(freed.behavior) >= fixed(&bare));
    }

    /// R10: a fact that nobody has looked up never ends in allow.
    #[test]
    fn missing_facts_never_allow(call in calls(), context in contexts()) {
        let evaluation = evaluate(&call, &Facts::default(), &context, &chosen(&[0, 1, 4]), &[]);
        prop_assert!(evaluation.inquiries.is_empty() || evaluation.behavior >= Behavior::Ask);
    }

    /// R10: a broken file denies every call.
    #[test]
    fn a_problem_denies(call in calls(), context in contexts()) {
        let broken = chosen(&[0, 1, 4]).with_problem("broken");
        prop_assert_eq!(judge(broken, &call, &context), Behavior::Deny);
    }

    /// R10: source and reason are never empty, and only a denial has a code.
    #[test]
    fn every_decision_explains_itself(call in calls(), context in contexts()) {
        let evaluation = World::default().judge(&call, &context);
        prop_assert!(!evaluation.source.as_str().is_empty() && !evaluation.reason.as_str().is_empty());
        prop_assert!(!evaluation.verdicts.is_empty());
        prop_assert_ne!(evaluation.behavior, Behavior::Passthrough);
        prop_assert_eq!(evaluation.error_code.is_some(), evaluation.behavior == Behavior::Deny);
        prop_assert!(!evaluation.risk.sentence().is_empty());
    }

    /// R12: no text makes the rule parser panic, and an error always has a place.
    #[test]
    fn the_rule_parser_survives_anything(text in "(version = 1\n)?(\\[\\[rules\\]\\]\n)?([a-z_]{1,9} = (\"[^\"\n]{0,12}\"|\\[(\"[^\"\n]{0,9}\",?){0,2}\\]|[0-9]+)\n){0,6}") {
        if let Err(error) = RuleFile::parse(&text, Layer::User, ShellKind::Bash, Os::Linux) {
            prop_assert!(error.line >= 1 && error.column >= 1 && !error.message.is_empty());
        }
    }
}
