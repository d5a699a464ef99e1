//! The sentences of the design about layers, trust and broken files.
#![cfg(unix)]

use super::{EditError, LayerFiles, Layers, ProjectTrust, TrustError, distrust_projects};
use crate::machine::Machine;
use crate::places::Places;
use assent_policy::rule::{Grant, Layer};
use assent_policy::{Behavior, Os, ShellKind};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

const HEAD: &str = "version = 1\n";
const DENY: &str =
    "[[rules]]\nname = \"no\"\nbehavior = \"deny\"\ntools = [\"write_file\"]\nreason = \"No.\"\n";
const ALLOW: &str =
    "[[rules]]\nname = \"yes\"\nbehavior = \"allow\"\ntools = [\"write_file\"]\nreason = \"Yes.\"\n";

fn machine(folder: &tempfile::TempDir) -> Machine {
    Machine {
        os: Os::Linux,
        shell: ShellKind::Bash,
        user: "u".to_owned(),
        home: folder.path().join("home"),
        search_path: Vec::new(),
    }
}

struct World {
    folder: tempfile::TempDir,
    layers: Layers,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let files = LayerFiles {
            managed: at("managed/policy.toml"),
            user: at("user/policy.toml"),
            project: at("project/.assent/policy.toml"),
            trust: at("user/trusted-projects.json"),
        };
        Self { layers: Layers::new(files, &machine(&folder)), folder }
    }

    fn put(&self, name: &str, parts: &[&str]) {
        let place = self.folder.path().join(name);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, parts.concat()).unwrap();
    }

    fn user(&self, parts: &[&str]) {
        self.put("user/policy.toml", parts);
    }

    fn project(&self, parts: &[&str]) {
        self.put("project/.assent/policy.toml", parts);
    }

    fn behaviors(&self) -> Vec<(Layer, Behavior)> {
        self.layers.current().rules.rules().iter().map(|rule| (rule.layer, rule.behavior)).collect()
    }

    fn problem(&self) -> String {
        self.layers.current().problems.first().map(ToString::to_string).unwrap_or_default()
    }
}

/// R20
#[test]
fn absent_files_are_no_problem_and_changes_count_at_once() {
    let world = World::new();
    let before = world.layers.current();
    assert!(before.problems.is_empty() && before.rules.rules().is_empty());
    world.user(&[HEAD, DENY]);
    assert_eq!(world.behaviors(), [(Layer::User, Behavior::Deny)]);
    assert_ne!(before.version, world.layers.current().version);
    fs::remove_file(&world.layers.files().user).unwrap();
    assert!(world.behaviors().is_empty());
    assert_eq!(world.layers.current().version, before.version);
}

/// R20: a project tightens at once, and loosens only while its exact content is trusted.
#[test]
fn trust_is_bound_to_the_content() {
    let world = World::new();
    world.project(&[HEAD, ALLOW, DENY]);
    let ProjectTrust::Untrusted { digest, content, loosens } = world.layers.current().project.clone() else {
        panic!("not trusted yet");
    };
    assert_eq!(loosens, ["yes"]);
    let untrusted =
        || world.layers.current().untrusted.iter().map(|rule| rule.name.clone()).collect::<Vec<_>>();
    assert_eq!(untrusted(), ["yes"]);
    // What is shown is what the digest stands for, whatever the file says by then.
    assert_eq!(content, [HEAD, ALLOW, DENY].concat());
    assert_eq!(super::sha256(content.as_bytes()), digest);
    assert_eq!(world.behaviors(), [(Layer::Project, Behavior::Deny)]);
    assert!(matches!(world.layers.trust_project("another"), Err(TrustError::Changed)));
    world.layers.trust_project(&digest).unwrap();
    assert_eq!(world.layers.current().project, ProjectTrust::Trusted);
    assert_eq!((world.behaviors().len(), untrusted().len()), (2, 0));
    // Trust never covers a later edit, and taking it back counts at once.
    world.project(&[HEAD, ALLOW, "# edited\n"]);
    assert!(matches!(world.layers.current().project, ProjectTrust::Untrusted { .. }));
    assert!(world.behaviors().is_empty());
    assert!(matches!(world.layers.trust_project(&digest), Err(TrustError::Changed)));
    world.project(&[HEAD, ALLOW, DENY]);
    assert_eq!(world.layers.current().project, ProjectTrust::Trusted);
    assert!(world.layers.distrust_project().unwrap());
    assert!(matches!(world.layers.current().project, ProjectTrust::Untrusted { .. }));
    assert_eq!(world.behaviors(), [(Layer::Project, Behavior::Deny)]);
    assert!(!world.layers.distrust_project().unwrap(), "there was none any more");
    // So does taking back all there is, also where there is none.
    world.layers.trust_project(&digest).unwrap();
    let root = world.folder.path();
    let places = Places { config: root.join("user"), data: root.join("data"), state: root.join("state") };
    for _ in 0..2 {
        distrust_projects(&places).unwrap();
        assert!(matches!(world.layers.current().project, ProjectTrust::Untrusted { .. }));
    }
}

/// R12: what is wrong is named with its place, and everything is denied.
#[test]
fn broken_files_name_line_and_column() {
    let rule = "[[rules]]\nname = \"x\"\nbehavior = \"ask\"\nreason = \"r\"\n";
    let shell = [rule, "tools = [\"shell\"]\n"].concat();
    for (text, place, words) in [
        (String::new(), "line 1, column 1", "version"),
        ("version = 2\n".to_owned(), "line 1, column 11", "version must be 1"),
        ([HEAD, "foo = 1\n"].concat(), "line 2, column 1", "foo"),
        ([HEAD, &rule.replace("ask", "permit")].concat(), "line 4, column 12", "permit"),
        ([HEAD, &rule.replace("reason = \"r\"\n", "")].concat(), "line 2, column 1", "reason"),
        ([HEAD, &rule.replace("\"r\"", "\" \"")].concat(), "line 5, column 10", "not empty"),
        ([HEAD, rule, "tools = [\"shel\"]\n"].concat(), "line 6, column 10", "no tool"),
        ([HEAD, &shell, "commands = [\"git * x\"]\n"].concat(), "line 7, column 13", "end"),
        (
            [HEAD, &shell, "commands = [\"git push *\"]\nmatch = [\"git pull\"]\n"].concat(),
            "line 8, column 10",
            "is not matched by",
        ),
        (
            [HEAD, &shell, "commands = [\"git push *\"]\nnot_match = [\"git -C . push\"]\n"].concat(),
            "line 8, column 14",
            "is matched by",
        ),
        ([HEAD, rule, "paths = [\"a[\"]\n"].concat(), "line 6, column 10", ""),
        ([HEAD, rule, "users = [\"u\"]\n"].concat(), "line 6, column 10", "managed"),
        ([HEAD, "read_folders = [\"docs\"]\n"].concat(), "line 2, column 17", "starts with"),
        ([HEAD, "rules = [\n"].concat(), "line ", ""),
        ([HEAD, DENY, DENY].concat(), "line 7, column 1", "two rules are called"),
    ] {
        let world = World::new();
        world.user(&[&text]);
        let problem = world.problem();
        assert!(problem.contains(place) && problem.contains(words), "{text}\n{problem}");
        assert_eq!(world.layers.current().rules.problems().len(), 1, "{text}");
    }
}

/// R15: only the user and the administrator open folders.
#[test]
fn a_project_opens_no_folder() {
    let world = World::new();
    world.project(&[HEAD, "read_folders = [\"/etc\"]\n"]);
    assert!(world.problem().contains("read_folders"));
    assert!(world.layers.current().read_folders.is_empty());
}

/// R20: the managed file counts only where nobody but the administrator can write it.
#[test]
fn a_managed_file_that_others_can_write_denies_everything() {
    let world = World::new();
    world.put("managed/policy.toml", &[HEAD, ALLOW]);
    fs::set_permissions(&world.layers.files().managed, fs::Permissions::from_mode(0o666)).unwrap();
    let problem = world.problem();
    assert!(problem.contains("root"), "{problem}");
    assert!(world.behaviors().is_empty());
    assert_eq!(world.layers.current().rules.problems().len(), 1);
}

/// R12: a folder or a broken link in a policy file's place is a problem.
#[test]
fn what_is_no_file_is_a_problem() {
    let world = World::new();
    fs::create_dir_all(&world.layers.files().user).unwrap();
    assert!(world.problem().contains("not a file"));
    fs::remove_dir(&world.layers.files().user).unwrap();
    symlink("/nowhere/at/all", &world.layers.files().user).unwrap();
    assert!(!world.problem().is_empty());
}

/// R15: folders are real and absolute.
#[test]
fn read_folders_are_resolved() {
    let world = World::new();
    let home = world.folder.path().join("home");
    fs::create_dir_all(home.join("real")).unwrap();
    symlink(home.join("real"), home.join("docs")).unwrap();
    world.user(&[HEAD, "read_folders = [\"~/docs\", \"/nowhere\"]\n"]);
    let real = home.join("real").canonicalize().unwrap();
    assert_eq!(world.layers.current().read_folders, [real.to_str().unwrap(), "/nowhere"]);
}

/// R32: a grant is part of what an approval was bound to, and can be taken back.
#[test]
fn grants_change_the_version() {
    let world = World::new();
    let before = world.layers.current().version.clone();
    let grant = Grant { tool: "shell".to_owned(), operation: "cargo test".to_owned() };
    world.layers.grant(grant.clone());
    assert_eq!(world.layers.current().rules.grants(), std::slice::from_ref(&grant));
    assert_ne!(world.layers.current().version, before);
    world.layers.revoke(&grant);
    assert_eq!(world.layers.current().version, before);
}

/// R32, R20: whatever decides is part of the version: each file, whether the project's counts in full, each grant.
#[test]
fn every_layer_is_in_the_version() {
    let world = World::new();
    let mut seen = std::collections::BTreeSet::new();
    let mut note = |what: &str| {
        assert!(seen.insert(world.layers.current().version.clone()), "{what} is not in the version");
    };
    note("nothing");
    world.user(&[HEAD, DENY]);
    note("the user's file");
    world.user(&[HEAD, DENY, "# a remark\n"]);
    note("the exact content");
    world.put("managed/policy.toml", &[HEAD, DENY]);
    note("the managed file");
    world.project(&[HEAD, ALLOW]);
    note("the project's file");
    let ProjectTrust::Untrusted { digest, .. } = world.layers.current().project.clone() else {
        panic!("not trusted yet");
    };
    world.layers.trust_project(&digest).unwrap();
    note("trust");
    world.user(&[HEAD, "read_folders = [\"/opt\"]\n"]);
    note("a folder for reading");
    world.project(&["version = 2\n"]);
    note("a broken file");
    world.layers.grant(Grant { tool: "shell".to_owned(), operation: "ls".to_owned() });
    note("a grant");
}

/// R20: rules are added and removed, and the rest of the user's file stays as it is.
#[test]
fn rules_come_and_go_in_the_users_file() {
    let world = World::new();
    world.layers.add_rule(ALLOW).unwrap();
    assert_eq!(world.behaviors(), [(Layer::User, Behavior::Allow)]);
    let commented =
        "# mine\nversion = 1\n\n[[rules]] # first\nname = \"no\"\nbehavior = \"deny\"\nreason = \"No.\"\n";
    world.user(&[commented]);
    world.layers.add_rule(ALLOW).unwrap();
    assert_eq!(world.behaviors().len(), 2);
    assert_eq!(world.layers.user_allow_rules().unwrap(), ["yes"]);
    assert!(matches!(world.layers.add_rule(ALLOW), Err(EditError::Broken(_))));
    assert!(matches!(world.layers.remove_allow_rule("other"), Err(EditError::NoSuchRule(_))));
    world.layers.remove_allow_rule("yes").unwrap();
    let left = fs::read_to_string(&world.layers.files().user).unwrap();
    assert_eq!(left.trim_end(), commented.trim_end());
    let folder = world.layers.files().user.parent().unwrap().to_owned();
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = names.filter(|name| name != crate::own_file::LOCK).collect();
    assert_eq!(left, ["policy.toml"], "nothing is left behind");
}

/// R20: neither the comments around a rule that is taken out nor the file's line ends go with it.
#[test]
fn comments_and_line_ends_of_the_users_file_stay() {
    let world = World::new();
    let mine = "# Mine.\nversion = 1\n\n# Granted.\n";
    let next = "\n# Never.\n[[rules]]\nname = \"no\"\nbehavior = \"deny\"\nreason = \"No.\"\n# The end.\n";
    for (mark, ends) in [("", "\n"), ("", "\r\n"), ("\u{feff}", "\n")] {
        let of = |parts: &[&str]| format!("{mark}{}", parts.concat().replace('\n', ends));
        world.user(&[&of(&[mine, ALLOW.trim_start(), next])]);
        world.layers.remove_allow_rule("yes").unwrap();
        let left = || fs::read_to_string(&world.layers.files().user).unwrap();
        assert_eq!(left(), of(&[mine, next]));
        world.layers.add_rule(ALLOW).unwrap();
        assert_eq!(left(), of(&[mine, next, "\n", ALLOW.trim(), "\n"]));
    }
}

/// R12: what asks or forbids is not taken out as if it were a grant.
#[test]
fn a_rule_that_allows_nothing_is_no_grant() {
    let world = World::new();
    for behavior in ["deny", "ask"] {
        world.user(&[HEAD, &DENY.replace("deny", behavior)]);
        let before = fs::read_to_string(&world.layers.files().user).unwrap();
        assert!(
            matches!(world.layers.remove_allow_rule("no"), Err(EditError::AllowsNothing(_))),
            "{behavior}"
        );
        assert_eq!(fs::read_to_string(&world.layers.files().user).unwrap(), before);
        assert!(world.layers.user_allow_rules().unwrap().is_empty(), "{behavior}");
    }
}

/// A rule that counts isn't reported as failed: the name is there, though the folder can't be flushed.
#[cfg(unix)]
#[test]
fn a_rule_counts_though_the_folder_cannot_be_flushed() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    world.user(&[HEAD]);
    let folder = world.layers.files().user.parent().unwrap().to_owned();
    // Whoever isn't root can't open it, and so not flush it.
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o300)).unwrap();
    let added = world.layers.add_rule(ALLOW);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    added.unwrap();
    assert_eq!(world.layers.user_allow_rules().unwrap(), ["yes"]);
}

/// Each of several that change the file at once finds what the others wrote.
#[test]
fn no_change_of_the_file_is_lost_to_another() {
    let world = World::new();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let rule = ALLOW.replace("yes", &format!("yes-{number}"));
            let layers = &world.layers;
            scope.spawn(move || layers.add_rule(&rule).unwrap());
        }
    });
    assert_eq!(world.layers.user_allow_rules().unwrap().len(), 8);
}

/// R32: a rule of one's own is there, and can be taken back, where no folder is open.
#[test]
fn ones_own_rules_need_no_workspace() {
    let world = World::new();
    world.user(&[HEAD, ALLOW]);
    world.project(&["version = 2\n"]);
    let usual = LayerFiles::without_workspace(&Places {
        config: world.folder.path().join("user"),
        data: PathBuf::new(),
        state: PathBuf::new(),
    });
    let files = LayerFiles { managed: world.layers.files().managed.clone(), ..usual };
    let layers = Layers::new(files, &machine(&world.folder));
    let current = layers.current();
    assert_eq!((current.rules.rules().len(), current.problems.as_slice()), (1, [].as_slice()));
    assert_eq!(current.project, ProjectTrust::Absent);
    layers.remove_allow_rule("yes").unwrap();
    assert!(layers.user_allow_rules().unwrap().is_empty());
}

/// R12, R20: an allow rule ends with its last day, at once and for the digest of the policy too; what forbids has no end.
#[test]
fn an_allow_rule_ends_with_its_day() {
    struct Day(std::sync::atomic::AtomicU64);
    impl crate::clock::Clock for Day {
        fn now_ms(&self) -> u64 {
            self.0.load(std::sync::atomic::Ordering::SeqCst)
        }
    }
    let World { folder, layers } = World::new();
    let last = crate::clock::end_of_day("2026-12-31").unwrap();
    let day = std::sync::Arc::new(Day(last.into()));
    let world = World { folder, layers: layers.with_clock(std::sync::Arc::clone(&day) as _) };
    world.user(&[HEAD, DENY, ALLOW, "expires = 2026-12-31\n"]);
    let before = world.layers.current();
    assert_eq!(world.behaviors(), [(Layer::User, Behavior::Deny), (Layer::User, Behavior::Allow)]);
    day.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(world.behaviors(), [(Layer::User, Behavior::Deny)]);
    assert_ne!(world.layers.current().version, before.version);
    for (rule, expires) in [
        (DENY, "expires = 2026-12-31\n"),
        (ALLOW, "expires = 2026-12-31T10:00:00Z\n"),
        (ALLOW, "expires = \"soon\"\n"),
    ] {
        world.user(&[HEAD, rule, expires]);
        assert_eq!(world.layers.current().problems.len(), 1, "{rule}{expires}");
    }
}
