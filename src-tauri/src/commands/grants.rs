//! Grants beyond once: offered only where they would clear the gate, given only in a native question.

use super::Shared;
use crate::conversation::parse_call_id;
use crate::grants::{Origins, RuleOrigin, SessionGrant};
use crate::questions::Question;
use crate::shell::{NO_GRANT, OpenFolder, Reply};
use crate::stage::{Judged, Stage, layers, layers_everywhere};
use crate::view::{AppEvent, Asked, BackendError, GrantScope, RuleCandidate, shown};
use assent_agent::clock::{Clock as _, SystemClock, date};
use assent_agent::layers::{EditError, Layers};
use assent_policy::rule::{Grant, candidate};
use assent_policy::{Behavior, evaluate};
use serde_json::json;
use std::sync::Arc;

/// The grant for the session.
const SESSION: &str = "session";
/// Why a grant isn't offered.
const TOO_BROAD: &str = "It would cover too much, or this call would ask all the same.";
/// The rule for the user's file.
const RULE: &str = "rule";
/// How long a rule that is offered counts, ms: 90 days.
const OFFERED_MS: u64 = 90 * 24 * 60 * 60 * 1000;

/// What could be granted from this call, shown in full; grants nothing.
#[tauri::command]
pub async fn rule_candidates(shell: Shared<'_>, call_id: String) -> Reply<Vec<RuleCandidate>> {
    let (stage, judged, _) = judge_again(&shell, &call_id)?;
    let session = session_grant(&stage, &judged);
    let rule = candidate(&judged.call, &judged.facts, &stage.context, &stage.rules);
    let now = SystemClock.now_ms();
    let text = |grant: &Grant| shown(&format!("{}: {}", grant.tool, grant.operation));
    Ok(vec![
        RuleCandidate {
            candidate_id: SESSION.to_owned(),
            scope: GrantScope::Session,
            text: session.as_ref().map(text).unwrap_or_default(),
            refused: session.is_none().then(|| TOO_BROAD.into()),
        },
        RuleCandidate {
            candidate_id: RULE.to_owned(),
            scope: GrantScope::Rule,
            text: rule.as_ref().map(|rule| with_end(&rule.toml, now)).unwrap_or_default(),
            refused: rule.is_none().then(|| TOO_BROAD.into()),
        },
    ])
}

/// Asks natively whether the candidate becomes a grant. It is judged again first.
#[tauri::command]
pub async fn propose_rule(shell: Shared<'_>, call_id: String, candidate_id: String) -> Reply<Asked> {
    let words = shell.words();
    let (stage, judged, session) = judge_again(&shell, &call_id)?;
    let impossible = || Asked::impossible(TOO_BROAD);
    let now = SystemClock.now_ms();
    if candidate_id == SESSION {
        let Some(grant) = session_grant(&stage, &judged) else { return Ok(impossible()) };
        let question = Question::new(&words.ask_rule_title, &words.ask_rule_session, &words.ask_rule_yes)
            .sentence(&words.risk_loosens)
            .line(&words.label_grant, &format!("{}\n{}", grant.tool, grant.operation));
        if !shell.questions.confirmed(question, &words).await {
            return Ok(Asked::declined());
        }
        let details =
            json!({"scope": SESSION, "tool": grant.tool, "operation": grant.operation, "call": call_id});
        shell.record(
            "grant_added",
            "This exact call is allowed until the session ends.",
            details.clone(),
            "dialog",
        )?;
        let id = format!("session:{now}");
        let grant = SessionGrant { id, session, grant, origin: call_id, created_ms: now };
        if let Err(error) = shell.add_session_grant(grant) {
            shell.record("grant_failed", "It could not be granted after all.", details, "dialog")?;
            return Err(error);
        }
    } else {
        let Some(rule) = candidate(&judged.call, &judged.facts, &stage.context, &stage.rules) else {
            return Ok(impossible());
        };
        let toml = with_end(&rule.toml, now);
        let question = Question::new(&words.ask_rule_title, &words.ask_rule, &words.ask_rule_yes)
            .sentence(&words.risk_loosens)
            .line(&words.label_grant, toml.trim_end());
        if !shell.questions.confirmed(question, &words).await {
            return Ok(Asked::declined());
        }
        let layers = layers(&shell, &folder_of(&shell, &session)?.path)?;
        let details = json!({"scope": RULE, "rule": toml, "call": call_id});
        shell.record("grant_added", "A rule was added to the user's policy.", details.clone(), "dialog")?;
        if let Err(error) = layers.add_rule(&toml) {
            shell.record("grant_failed", "It could not be granted after all.", details, "dialog")?;
            return Ok(Asked::impossible(format!("Can't {error}.")));
        }
        let origin = RuleOrigin {
            rule: rule.rule.name.clone(),
            text: toml,
            call: call_id,
            created_ms: now,
            expires: Some(last_day(now)),
        };
        shell.add_rule_origin(origin);
    }
    shell.bridge.send(AppEvent::PermissionsChanged);
    Ok(Asked::done())
}

/// Takes a grant back at once, for waiting calls too: they are judged again before they start.
#[tauri::command]
pub async fn revoke_grant(shell: Shared<'_>, grant_id: String) -> Reply<()> {
    if let Some(name) = grant_id.strip_prefix("rule:") {
        // A person's own rules, and those that ask or forbid, are no grants: only they take them out, by hand.
        take_out(&layers_everywhere(&shell)?, &shell.origins.get(), name)?;
        shell.origins.update(|origins| origins.grants.retain(|origin| origin.rule != name));
    } else {
        shell.revoke_session_grant(&grant_id)?;
    }
    shell.bridge.send(AppEvent::PermissionsChanged);
    shell.record("grant_revoked", "A grant was taken back.", json!({"grant": grant_id}), "window")
}

/// Takes the rule called `name` out of the user's file, where the app wrote it and it allows something.
fn take_out(layers: &Layers, origins: &Origins, name: &str) -> Reply<()> {
    let missing = || BackendError::new("not_found", NO_GRANT);
    if !origins.has(name) {
        return Err(missing());
    }
    match layers.remove_allow_rule(name) {
        // Somebody may have taken it out by hand.
        Ok(()) | Err(EditError::NoSuchRule(_)) => Ok(()),
        Err(EditError::AllowsNothing(_)) => Err(missing()),
        Err(error @ (EditError::Broken(_) | EditError::Unusable(_) | EditError::Write(_))) => {
            Err(BackendError::new("io", format!("Can't {error}.")))
        }
    }
}

/// A rule that is offered ends by itself; whoever wants it longer changes the day in the file.
fn with_end(toml: &str, now: u64) -> String {
    format!("{}\nexpires = {}\n", toml.trim_end(), last_day(now))
}

fn last_day(now: u64) -> String {
    date(now.saturating_add(OFFERED_MS))
}

/// The grant for exactly this call, if with it nothing would ask any more.
fn session_grant(stage: &Stage, judged: &Judged) -> Option<Grant> {
    let grant = Grant::of(&judged.call)?;
    let rules = (*stage.rules).clone().with_grant(grant.clone());
    let then = evaluate(&judged.call, &judged.facts, &stage.context, &rules, &[]);
    (judged.evaluation.behavior == Behavior::Ask && then.behavior == Behavior::Allow).then_some(grant)
}

fn judge_again(shell: &Shared<'_>, call_id: &str) -> Reply<(Stage, Judged, String)> {
    let no_call = || BackendError::new("not_found", "There is no such call.");
    let (session, call) = parse_call_id(call_id).ok_or_else(no_call)?;
    let found = shell.transcript(session, |teller| {
        Some((teller.call(call)?.tool.clone(), teller.arguments(call)?.clone()))
    })?;
    let (tool, arguments) = found.ok_or_else(no_call)?;
    let open = folder_of(shell, session)?;
    let stage = Stage::set(shell, &open, Arc::new(layers(shell, &open.path)?))?;
    let judged = stage
        .judge(&tool, arguments)
        .map_err(|failure| BackendError::new("invalid_value", failure.reason))?;
    Ok((stage, judged, session.to_owned()))
}

fn folder_of(shell: &Shared<'_>, session: &str) -> Reply<OpenFolder> {
    Ok(OpenFolder { path: shell.record_of(session)?.workspace.into(), opened_as: None })
}

#[cfg(test)]
mod tests {
    use super::{Stage, session_grant, take_out, with_end};
    use crate::grants::{Origins, RuleOrigin};
    use assent_agent::gate::Circumstances as _;
    use assent_agent::layers::{LayerFiles, Layers};
    use assent_agent::machine::Machine;
    use assent_agent::places::Places;
    use assent_agent::tools::Registry;
    use assent_policy::{Behavior, Mode, ToolEffect};
    use e2e::bench;
    use serde_json::json;
    use std::sync::Arc;

    /// R32: a grant is offered where the call asks and with it nothing would; it lifts no protection and no boundary.
    #[test]
    fn a_session_grant_is_offered_only_where_it_would_allow() {
        let table = [
            (ToolEffect::Write, "a.txt", Behavior::Ask, true),
            (ToolEffect::Write, ".github/workflows/ci.yml", Behavior::Ask, false),
            (ToolEffect::Write, "../a.txt", Behavior::Deny, false),
            (ToolEffect::Read, "a.txt", Behavior::Allow, false),
            (ToolEffect::Read, ".env", Behavior::Ask, false),
        ];
        for mode in [Mode::Balanced, Mode::Strict] {
            for (effect, path, behavior, offered) in table {
                let bench = bench(effect);
                bench.world.write("a.txt", "x");
                bench.world.write(".env", "KEY=1");
                bench.circumstances.change(|context| context.mode = mode);
                let (context, rules) = bench.circumstances.current().unwrap();
                let registry = Registry::new([Arc::new(bench.probe.clone()) as Arc<_>]).unwrap();
                let stage = Stage::of(registry, context, rules);
                let arguments = json!({"path": path}).as_object().cloned().unwrap();
                let judged = stage.judge("probe", arguments).unwrap();
                assert_eq!(judged.evaluation.behavior, behavior, "{path}");
                assert_eq!(session_grant(&stage, &judged).is_some(), offered, "{mode:?} {effect:?} {path}");
            }
        }
    }

    /// R12, R32: the web view takes back what the app wrote and what allows; a rule that a person wrote stays, and so
    /// does one that they changed to one that asks or forbids.
    #[test]
    fn only_a_grant_is_taken_out() {
        let config = tempfile::tempdir().unwrap();
        let places = Places {
            config: config.path().to_owned(),
            data: config.path().join("data"),
            state: config.path().join("state"),
        };
        let layers = Layers::new(LayerFiles::without_workspace(&places), &Machine::detect());
        let origin = RuleOrigin {
            rule: "r".into(),
            text: String::new(),
            call: "c".into(),
            created_ms: 1,
            expires: None,
        };
        let granted = Origins { grants: vec![origin] };
        let file = config.path().join("policy.toml");
        for (behavior, origins, refused) in [
            ("deny", &Origins::default(), Some("not_found")),
            ("allow", &Origins::default(), Some("not_found")),
            ("deny", &granted, Some("not_found")),
            ("ask", &granted, Some("not_found")),
            ("allow", &granted, None),
        ] {
            let text = format!(
                "version = 1\n\n[[rules]]\nname = \"r\"\nbehavior = \"{behavior}\"\n\
                 tools = [\"write_file\"]\nreason = \"R.\"\n"
            );
            std::fs::write(&file, &text).unwrap();
            let taken = take_out(&layers, origins, "r");
            assert_eq!(taken.err().map(|error| error.code).as_deref(), refused, "{behavior}");
            assert_eq!(std::fs::read_to_string(&file).unwrap() == text, refused.is_some(), "{behavior}");
        }
    }

    /// R32: what the app offers ends after 90 days.
    #[test]
    fn a_rule_that_is_offered_ends() {
        let end = with_end("[[rules]]\nname = \"a\"\n\n", 1_764_460_800_000);
        assert_eq!(end, "[[rules]]\nname = \"a\"\nexpires = 2026-02-28\n");
    }
}
