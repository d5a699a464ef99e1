//! Where the texts are judged, and how they are read from their files.

use assent_policy::{Context, Mode, Os, ProgramLookup, SandboxState, ShellKind, ShellTrust};

/// A workspace `/srv/proj` of the user `ada` on Linux, balanced, profiles in force.
pub fn context() -> Context {
    Context {
        os: Os::Linux,
        shell: ShellKind::Bash,
        mode: Mode::Balanced,
        workspace: "/srv/proj".to_owned(),
        workspace_aliases: Vec::new(),
        home: "/home/ada".to_owned(),
        own_paths: vec!["/home/ada/.config/assent".to_owned()],
        read_folders: Vec::new(),
        sandbox: SandboxState::InForce,
        shell_trust: ShellTrust::Trusted,
        search_path: vec!["/usr/bin".to_owned(), "/bin".to_owned()],
        programs: ProgramLookup::Assumed,
        environment: Vec::new(),
        user: "ada".to_owned(),
        session: "s".to_owned(),
        policy_version: "v".to_owned(),
    }
}

/// The commands of a data file: no comments, no empty lines, `\n` written out.
pub fn lines(data: &str) -> impl Iterator<Item = String> + '_ {
    data.lines()
        .filter(|line| !(line.is_empty() || line.starts_with("# ") && line.contains('(')))
        .map(|line| line.replace("\\n", "\n"))
}
