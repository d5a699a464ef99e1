//! The window's types are the shell's: `ui/src/backend/bindings.ts` is made from the view-models, and the window's
//! type check holds its own documented types against it.

use super::{
    AppEvent, Argument, Asked, AuditDetail, AuditFilter, AuditPage, AuditVerification, BackendError, Change,
    ConnectionTest, DetectedServer, FileDiff, FileMatch, MessageInput, OlderItems, OutputPage, Permissions,
    PolicyTest, Prices, ProfileInput, Replay, RuleCandidate, SavedProfile, SessionQuery, SessionSummary,
    ToolMetrics, UndoResult,
};
use assent_agent::gate::sources;
use assent_agent::process::background::Background;
use assent_agent::subagent::Task;
use assent_agent::tools::{Registry, Shell, Tool, builtin, shell};
use assent_sandbox::Sandbox;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use ts_rs::{Config, TS, TypeVisitor};

/// Set to write the file anew: `WRITE_BINDINGS=1 cargo test -p assent-desktop bindings`.
const WRITE: &str = "WRITE_BINDINGS";
/// What only the window has a name for.
const WINDOW_ONLY: [&str; 4] = ["Behavior", "Mode", "RiskLevel", "SimpleSetting"];
const HEAD: &str = "\
/** Generated from the shell's view-models (`src-tauri/src/view`); its test there says how. The window's own types must fit it. */
import type * as Types from \"./types\";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Checked<T extends Record<string, true>> = T;
";

struct Declarations {
    config: Config,
    found: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        let name = T::name(&self.config);
        if T::output_path().is_some() && !self.found.contains_key(&name) {
            self.found.insert(name, T::decl(&self.config));
            T::visit_dependencies(self);
        } else {
            T::visit_generics(self);
        }
    }
}

impl Declarations {
    /// Everything that a command takes or gives, and the stream.
    fn of_all() -> Self {
        let config = Config::default().with_large_int("number");
        let mut all = Self { config, found: BTreeMap::new() };
        macro_rules! roots {
            ($($root:ty),+ $(,)?) => { $(all.visit::<$root>();)+ };
        }
        roots!(
            AppEvent,
            Argument,
            Asked,
            AuditDetail,
            AuditFilter,
            AuditPage,
            AuditVerification,
            BackendError,
            Change,
            ConnectionTest,
            DetectedServer,
            FileDiff,
            FileMatch,
            MessageInput,
            OlderItems,
            OutputPage,
            Permissions,
            PolicyTest,
            Prices,
            ProfileInput,
            Replay,
            RuleCandidate,
            SavedProfile,
            SessionQuery,
            SessionSummary,
            ToolMetrics,
            UndoResult,
        );
        all
    }

    fn file(&self, shared: &[&str]) -> String {
        let mut out = HEAD.to_owned();
        for declaration in self.found.values() {
            out.push_str(&format!("\nexport {declaration}\n"));
        }
        for (name, words) in [("TOOLS", tools()), ("SOURCES", sources())] {
            out.push_str(&format!("\nexport const {name} = {} as const;\n", json!(words)));
        }
        out.push_str("\nexport type Drift = Checked<{\n");
        for name in shared {
            out.push_str(&format!("  {name}: Same<{name}, Types.{name}>;\n"));
        }
        out.push_str("}>;\n");
        out
    }
}

/// Every tool that a session has.
fn tools() -> Vec<String> {
    let shell = Shell::new(shell::Parts {
        sandbox: Sandbox::with_helper("assent-sandbox"),
        background: Background::default(),
        variables: Vec::new(),
    });
    let task = Arc::new(Task::without_session()) as Arc<dyn Tool>;
    Registry::new(builtin(shell).into_iter().chain([task])).unwrap().names().map(str::to_owned).collect()
}

fn names(types: &str) -> Vec<&str> {
    let mut names: Vec<&str> = types
        .lines()
        .filter_map(|line| line.strip_prefix("export interface ").or(line.strip_prefix("export type ")))
        .filter_map(|rest| rest.split([' ', '<', '=']).next())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn the_windows_types_are_the_shells() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/backend");
    let types: String = std::fs::read_dir(folder.join("types"))
        .unwrap()
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    let all = Declarations::of_all();
    let (shared, alone): (Vec<&str>, Vec<&str>) =
        names(&types).into_iter().partition(|name| all.found.contains_key(*name));
    assert_eq!(alone, WINDOW_ONLY, "the window names a type that the shell never sends");
    let wanted = all.file(&shared);
    let path = folder.join("bindings.ts");
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(kept == wanted, "the view-models changed: {WRITE}=1 cargo test -p assent-desktop bindings");
}
