//! Rules, the test box, and a project's policy file.

use super::{Shared, crashed};
use crate::config_file;
use crate::folders;
use crate::links::{self, Showing};
use crate::questions::Question;
use crate::shell::{Reply, failed, home};
use crate::stage::{Comparison, Stage, layers, layers_everywhere};
use crate::view::{
    self, AppEvent, Asked, BackendError, FileProblem, Layer, LayerName, LayerState, PolicyTest, Replay,
    ReplayChange, Risk, Sentence, TrustedFolder, Verdict, shown,
};
use anyhow::Context as _;
use assent_agent::audit::query::AuditFilter;
use assent_agent::audit::{AuditPlaces, AuditReader};
use assent_agent::hooks::{Hook, HookFiles, HookLayer};
use assent_agent::layers::{LayerFiles, Layers, Problem, ProjectTrust};
use assent_agent::malformed;
use assent_policy::lists;
use assent_policy::request::reason_in;
use assent_policy::rule::{Layer as PolicyLayer, Rule, Scope};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most calls that a replay judges.
const REPLAY: usize = 1_000;
/// Most lines of a project's policy file that its question shows.
const POLICY_LINES: usize = 400;

/// The project's policy file in its workspace.
const PROJECT_POLICY: &str = ".assent/policy.toml";

/// What a new user policy file says.
const TEMPLATE: &str = "\
version = 1

# [[rules]]
# name = \"no-push\"
# behavior = \"deny\"                 # deny, ask or allow
# tools = [\"shell\"]
# commands = [\"git push *\"]         # words; a final * stands for any further words
# reason = \"Pushing is done by hand.\"
";

/// The Permissions tab.
#[tauri::command]
pub async fn permissions(shell: Shared<'_>) -> Reply<view::Permissions> {
    let settings = shell.settings.get();
    let folders = shell.folders.get();
    let home = home();
    let trusted_folders = folders
        .folders
        .iter()
        .filter_map(|folder| {
            Some(TrustedFolder {
                path: folder.path.to_string_lossy().into_owned(),
                display: folders::display(&folder.path, home.as_deref()),
                since_ms: folder.trusted_ms?,
            })
        })
        .collect();
    let mut view = view::Permissions {
        mode: settings.mode,
        policy_version: String::new(),
        layers: Vec::new(),
        grants: {
            let shell = Arc::clone(shell.inner());
            let listed = tokio::task::spawn_blocking(move || shell.grants()).await;
            listed.map_err(|error| crashed(&error))?
        },
        protected_paths: lists::protected_paths().into_iter().map(str::to_owned).collect(),
        sensitive_reads: lists::sensitive_reads().into_iter().map(str::to_owned).collect(),
        hard_denies: lists::hard_denials(shell.words.language().of_requests())
            .into_iter()
            .map(str::to_owned)
            .collect(),
        read_folders: Vec::new(),
        trusted_folders,
        hooks: hooks(&shell),
    };
    let open = shell.open_folder();
    let layers = match &open {
        Some(open) => Some(layers(&shell, &open.path)?),
        None => layers_everywhere(&shell).ok(),
    };
    if let Some(layers) = layers {
        let current = layers.current();
        view.policy_version = current.version.chars().take(12).collect();
        view.read_folders = current.read_folders.iter().map(|folder| shown(folder)).collect();
        view.layers = layer_views(&layers, &current);
        view.layers.retain(|layer| open.is_some() || layer.name != LayerName::Project);
    }
    Ok(view)
}

/// Judges a call as if the model had proposed it.
#[tauri::command]
pub async fn test_policy(shell: Shared<'_>, tool: String, args: String) -> Reply<PolicyTest> {
    let arguments: Map<String, Value> = serde_json::from_str(&args).map_err(|error| {
        let fault = malformed::json(&args, &error);
        let fault = fault.unwrap_or_else(|| "it has to begin with an opening brace".to_owned());
        BackendError::new("invalid_json", format!("That is no JSON object: {fault}."))
    })?;
    let open = shell.workspace()?;
    let stage = Stage::set(&shell, &open, Arc::new(layers(&shell, &open.path)?))?;
    let words = shell.words.language();
    let language = words.of_requests();
    let judged = tokio::task::spawn_blocking(move || {
        let judged = stage.judge(&tool, arguments);
        judged.map(|judged| (stage.request(&judged).text(language).plain(), judged.evaluation))
    })
    .await
    .map_err(|error| crashed(&error))?;
    Ok(match judged {
        Ok((display, evaluation)) => PolicyTest {
            behavior: evaluation.behavior,
            source: shown(evaluation.source.as_str()),
            reason: shown(&reason_in(language, evaluation.reason.as_str())),
            risk: Risk {
                level: evaluation.risk.level,
                sentence: shown(&evaluation.risk.sentence_in(language)),
            },
            error_code: evaluation.error_code.map(|code| code.as_str().to_owned()),
            verdicts: evaluation
                .verdicts
                .iter()
                .map(|verdict| Verdict::in_language(verdict, language))
                .collect(),
            display,
        },
        Err(failure) => PolicyTest {
            behavior: assent_policy::Behavior::Deny,
            source: "arguments".to_owned(),
            reason: Sentence::from(failure.reason).in_language(words),
            risk: Risk { level: assent_policy::RiskLevel::Low, sentence: String::new() },
            error_code: Some(failure.code.as_str().to_owned()),
            verdicts: Vec::new(),
            display: Vec::new(),
        },
    })
}

/// Which of the newest calls would be decided otherwise with this user policy file; changes nothing.
#[tauri::command]
pub async fn replay_policy(shell: Shared<'_>, toml: String, limit: usize) -> Reply<Replay> {
    let open = shell.workspace()?;
    let engine = shell.engine()?;
    let now = Arc::new(layers(&shell, &open.path)?);
    let scratch = tempfile::tempdir().context("make a temporary folder").map_err(|error| failed(&error))?;
    let user = scratch.path().join("policy.toml");
    std::fs::write(&user, toml)
        .with_context(|| format!("write {}", user.display()))
        .map_err(|error| failed(&error))?;
    let files = LayerFiles { user: user.clone(), ..LayerFiles::usual(&shell.places, &open.path) };
    let then = Arc::new(Layers::new(files, &engine.machine));
    if let Some(problem) = then.current().problems.iter().find(|problem| problem.path == user) {
        return Ok(Replay { judged: 0, changes: Vec::new(), problem: Some(problem_view(problem)) });
    }
    let mut compared = Comparison::new(Stage::set(&shell, &open, now)?, Stage::set(&shell, &open, then)?);
    let places = AuditPlaces { data: shell.places.data.clone(), state: shell.places.state.clone() };
    let replay = move || -> Result<Replay, assent_agent::audit::AuditError> {
        let mut replay = Replay { judged: 0, changes: Vec::new(), problem: None };
        let Some(reader) = AuditReader::open(&places)? else { return Ok(replay) };
        let page = reader.page(&AuditFilter::default(), None, limit.min(REPLAY))?;
        for row in page.rows.into_iter().filter(|row| !row.event) {
            let Some(detail) = reader.detail(row.seq)? else { continue };
            let arguments =
                detail.records.first().map(|record| record.arguments.as_str()).unwrap_or_default();
            let Ok(arguments) = serde_json::from_str::<Map<String, Value>>(arguments) else { continue };
            let Ok((old, new)) = compared.decide(&row.tool, arguments) else { continue };
            replay.judged += 1;
            if old != new {
                replay.changes.push(ReplayChange { row: row.into(), before: old, after: new });
            }
        }
        Ok(replay)
    };
    let replay = tokio::task::spawn_blocking(replay)
        .await
        .map_err(|error| crashed(&error))?
        .map_err(|error| BackendError::new("audit_unavailable", format!("Can't {error}.")))?;
    drop(scratch);
    Ok(replay)
}

/// The user policy file as text, to start an edit.
#[tauri::command]
pub fn user_policy_text(shell: Shared<'_>) -> Reply<String> {
    let path = user_file(&shell);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(TEMPLATE.to_owned()),
        Err(error) => Err(failed(&anyhow::Error::from(error).context(format!("read {}", path.display())))),
    }
}

/// Opens a layer's file in the person's editor.
#[tauri::command]
pub async fn open_policy_file(shell: Shared<'_>, layer: LayerName) -> Reply<()> {
    let path = match layer {
        LayerName::Managed => assent_agent::layers::managed_file(),
        LayerName::User => {
            let path = user_file(&shell);
            begin(&path).map_err(|error| failed(&error))?;
            path
        }
        // The workspace may have put anything there.
        LayerName::Project => {
            let showing = Showing::of(&shell.workspace()?.path, PROJECT_POLICY);
            let showing = showing.map_err(|error| failed(&error))?;
            return showing.show().await.map_err(|error| failed(&error));
        }
        LayerName::Session => {
            return Err(BackendError::new("not_found", "Grants of a session have no file."));
        }
    };
    // What stands there in the place of a file is shown too: it may be why every call is denied.
    if !path.exists() {
        return Err(BackendError::new("not_found", format!("{} isn't there.", path.display())));
    }
    links::open(&path.to_string_lossy()).await.map_err(|error| failed(&error))
}

/// Asks natively whether the exact content of the project's policy file counts in full.
#[tauri::command]
pub async fn trust_project_policy(shell: Shared<'_>) -> Reply<Asked> {
    let open = shell.workspace()?;
    let layers = layers(&shell, &open.path)?;
    // One reading for what is shown and what is trusted: the file may change in between.
    let ProjectTrust::Untrusted { digest, content, loosens } = layers.current().project.clone() else {
        return Ok(Asked::impossible("There is no policy file that waits for trust."));
    };
    if content.lines().count() > POLICY_LINES {
        return Ok(Asked::impossible(format!("The file is longer than {POLICY_LINES} lines.")));
    }
    let words = shell.words();
    let question = Question::new(&words.ask_policy_title, &words.ask_policy, &words.ask_policy_yes)
        .line(&words.label_file, &layers.files().project.to_string_lossy())
        .line(&words.label_then, &loosens.join("\n"))
        .line(&words.label_content, content.trim_end())
        .line(&words.label_check, &digest.chars().take(16).collect::<String>());
    if !shell.questions.confirmed(question, &words).await {
        return Ok(Asked::declined());
    }
    let details = json!({"file": layers.files().project, "sha256": digest});
    shell.record(
        "project_policy_trusted",
        "This content of the project's policy counts in full.",
        details.clone(),
        "dialog",
    )?;
    match layers.trust_project(&digest) {
        Ok(()) => {
            shell.tell_app();
            shell.bridge.send(AppEvent::PermissionsChanged);
            Ok(Asked::done())
        }
        Err(error) => {
            shell.record("project_policy_kept", "It could not be trusted after all.", details, "dialog")?;
            Ok(Asked::impossible(format!("Can't {error}.")))
        }
    }
}

/// Takes back at once the trust in the policy file of the open folder; only the question that gives trust undoes that.
#[tauri::command]
pub fn distrust_project_policy(shell: Shared<'_>) -> Reply<()> {
    let open = shell.workspace()?;
    let trusted = shell.distrust_policy(&open.path)?;
    shell.trust_changed();
    record_distrust(&shell, &open.path, trusted)
}

/// Records that the policy file of `folder` only tightens again, where it was `trusted`.
pub fn record_distrust(shell: &Shared<'_>, folder: &Path, trusted: bool) -> Reply<()> {
    if !trusted {
        return Ok(());
    }
    let details = json!({"file": folder.join(PROJECT_POLICY)});
    shell.record("project_policy_distrusted", "The project's policy only tightens again.", details, "window")
}

/// The hooks of the managed and the user's file; a file that can't be read shows as what it is.
fn hooks(shell: &Shared<'_>) -> Vec<view::Hook> {
    match HookFiles::usual(&shell.places).load() {
        Ok(set) => set.hooks().iter().map(hook_view).collect(),
        Err(error) => vec![view::Hook {
            event: "!".to_owned(),
            command: Sentence::from(format!("Can't {error}.")).in_language(shell.words.language()),
            layer: String::new(),
        }],
    }
}

fn hook_view(hook: &Hook) -> view::Hook {
    let layer = match hook.layer {
        HookLayer::Managed => "managed",
        HookLayer::User => "user",
    };
    view::Hook {
        event: hook.event.as_str().to_owned(),
        command: shown(&hook.short()),
        layer: layer.to_owned(),
    }
}

fn layer_views(layers: &Layers, current: &assent_agent::layers::Snapshot) -> Vec<Layer> {
    let files = layers.files();
    let problem = |layer| current.problems.iter().find(|problem| problem.layer == layer).map(problem_view);
    let rules = |layer| -> Vec<view::Rule> {
        let of_layer = |rule: &&Rule| rule.layer == layer;
        let counting = current.rules.rules().iter().filter(of_layer).map(|rule| rule_view(rule, true));
        let idle = current.untrusted.iter().filter(of_layer).map(|rule| rule_view(rule, false));
        counting.chain(idle).collect()
    };
    let view = |name, layer, path: &Path, only_tightens: bool| {
        let problem = problem(layer);
        let state = match (&problem, path.is_file()) {
            (Some(_), _) => LayerState::Broken,
            (None, false) => LayerState::Absent,
            (None, true) if only_tightens => LayerState::OnlyTightens,
            (None, true) => LayerState::InForce,
        };
        let path = Some(path.to_string_lossy().into_owned());
        Layer { name, path, state, problem, rules: rules(layer) }
    };
    let untrusted = match &current.project {
        ProjectTrust::Untrusted { .. } => true,
        ProjectTrust::Absent | ProjectTrust::Trusted => false,
    };
    vec![
        view(LayerName::Managed, PolicyLayer::Managed, &files.managed, false),
        view(LayerName::User, PolicyLayer::User, &files.user, false),
        view(LayerName::Project, PolicyLayer::Project, &files.project, untrusted),
    ]
}

fn rule_view(rule: &Rule, in_force: bool) -> view::Rule {
    let (mut commands, mut paths) = (Vec::new(), Vec::new());
    match &rule.scope {
        Scope::Whole => {}
        Scope::Commands(patterns) => {
            commands = patterns.iter().map(command_text).collect();
        }
        Scope::Paths(patterns) => paths = patterns.iter().map(|pattern| shown(pattern.as_str())).collect(),
        Scope::Hosts(hosts) => paths = hosts.iter().map(|host| shown(host)).collect(),
    }
    view::Rule {
        name: shown(&rule.name),
        behavior: rule.behavior,
        tools: rule.tools.iter().map(|tool| shown(tool)).collect(),
        commands,
        paths,
        reason: shown(&rule.reason),
        in_force,
    }
}

fn command_text(pattern: &assent_policy::rule::CommandPattern) -> String {
    let mut words = pattern.words().to_vec();
    if pattern.is_open() {
        words.push("*".to_owned());
    }
    shown(&words.join(" "))
}

/// A broken file, and where it is broken.
pub fn problem_view(problem: &Problem) -> FileProblem {
    let layer = match problem.layer {
        PolicyLayer::Managed => LayerName::Managed,
        // A session's grants have no file.
        PolicyLayer::User | PolicyLayer::Session => LayerName::User,
        PolicyLayer::Project => LayerName::Project,
    };
    FileProblem {
        layer,
        path: problem.path.display().to_string(),
        line: problem.place.map(|(line, _)| line),
        column: problem.place.map(|(_, column)| column),
        message: problem.message.as_str().into(),
    }
}

/// Writes the first user policy file, where there is none.
fn begin(path: &Path) -> anyhow::Result<()> {
    let _alone = config_file::alone(path)?;
    if path.exists() { Ok(()) } else { config_file::replace(path, TEMPLATE.as_bytes()) }
}

fn user_file(shell: &Shared<'_>) -> PathBuf {
    shell.places.config.join("policy.toml")
}

#[cfg(test)]
mod tests {
    use super::{LayerFiles, LayerName, LayerState, Layers, layer_views};
    use assent_agent::layers::ProjectTrust;
    use assent_agent::machine::Machine;
    use assent_agent::places::Places;

    /// R20: what the project would allow is listed as what doesn't count, for a person to trust it, and stop trusting.
    #[test]
    fn what_trust_brings_to_count_is_listed_before() {
        let folder = tempfile::tempdir().unwrap();
        let below = |name: &str| folder.path().join(name);
        let places = Places { config: below("config"), data: below("data"), state: below("state") };
        std::fs::create_dir_all(below(".assent")).unwrap();
        let rule = |behavior: &str| {
            format!(
                "[[rules]]\nname = \"{behavior}\"\nbehavior = \"{behavior}\"\ntools = [\"shell\"]\nreason = \"r\"\n"
            )
        };
        let text = format!("version = 1\n{}{}", rule("allow"), rule("ask"));
        std::fs::write(below(".assent/policy.toml"), text).unwrap();
        let layers = Layers::new(LayerFiles::usual(&places, folder.path()), &Machine::detect());
        let project = || {
            let views = layer_views(&layers, &layers.current());
            let view = views.into_iter().find(|view| view.name == LayerName::Project).unwrap();
            let rules = view.rules.into_iter().map(|rule| (rule.name, rule.in_force));
            (view.state, rules.collect::<std::collections::BTreeMap<_, _>>())
        };
        let listed = |allow| [("allow".to_owned(), allow), ("ask".to_owned(), true)].into();
        assert_eq!(project(), (LayerState::OnlyTightens, listed(false)));
        let ProjectTrust::Untrusted { digest, .. } = layers.current().project.clone() else {
            panic!("not trusted yet");
        };
        layers.trust_project(&digest).unwrap();
        assert_eq!(project(), (LayerState::InForce, listed(true)));
        layers.distrust_project().unwrap();
        assert_eq!(project(), (LayerState::OnlyTightens, listed(false)));
    }
}
