//! What a command name means: aliases of a fresh PowerShell (Get-Alias), on every edition.

/// The cmdlet behind `name`, or the program it names; lower case.
pub(super) fn canonical(name: &str) -> String {
    let name = name.to_lowercase();
    if let Some((_, cmdlet)) = ALIASES.iter().find(|(alias, _)| *alias == name) {
        return (*cmdlet).to_owned();
    }
    // `Microsoft.PowerShell.Management\Get-Item` names the module as well.
    match name.rsplit_once('\\') {
        Some((module, cmdlet)) if MODULES.contains(&module) => cmdlet.to_owned(),
        Some(_) | None => name,
    }
}

/// Modules that every session has; another one in front of a name may as well be a folder.
const MODULES: &[&str] =
    &["microsoft.powershell.core", "microsoft.powershell.management", "microsoft.powershell.utility"];

/// Aliases that exist on Windows only, where no program of that name is in the way (about_Aliases).
const WINDOWS_ONLY: &[&str] = &[
    "ac", "asnp", "cat", "clear", "compare", "cp", "cpp", "diff", "kill", "ls", "man", "mount", "mv", "ps",
    "rm", "rmdir", "sleep", "sort", "start", "tee", "write",
];

/// Whether `name` is an alias on Windows and a program of its own elsewhere.
pub(super) fn is_program_elsewhere(name: &str) -> bool {
    WINDOWS_ONLY.contains(&name.to_lowercase().as_str())
}

/// Whether the name is a cmdlet's: a verb and a noun.
pub(super) fn is_cmdlet(name: &str) -> bool {
    let mut parts = name.split('-');
    let word = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    word(parts.next()) && word(parts.next()) && parts.next().is_none()
}

const ALIASES: &[(&str, &str)] = &[
    ("?", "where-object"),
    ("%", "foreach-object"),
    ("ac", "add-content"),
    ("asnp", "add-pssnapin"),
    ("cat", "get-content"),
    ("cd", "set-location"),
    ("chdir", "set-location"),
    ("clc", "clear-content"),
    ("clear", "clear-host"),
    ("cli", "clear-item"),
    ("clp", "clear-itemproperty"),
    ("cls", "clear-host"),
    ("clv", "clear-variable"),
    ("compare", "compare-object"),
    ("copy", "copy-item"),
    ("cp", "copy-item"),
    ("cpi", "copy-item"),
    ("cpp", "copy-itemproperty"),
    ("curl", "invoke-webrequest"),
    ("cvpa", "convert-path"),
    ("del", "remove-item"),
    ("diff", "compare-object"),
    ("dir", "get-childitem"),
    ("echo", "write-output"),
    ("epal", "export-alias"),
    ("epcsv", "export-csv"),
    ("erase", "remove-item"),
    ("fc", "format-custom"),
    ("fhx", "format-hex"),
    ("fl", "format-list"),
    ("foreach", "foreach-object"),
    ("ft", "format-table"),
    ("fw", "format-wide"),
    ("gal", "get-alias"),
    ("gc", "get-content"),
    ("gci", "get-childitem"),
    ("gcm", "get-command"),
    ("gi", "get-item"),
    ("gin", "get-computerinfo"),
    ("gl", "get-location"),
    ("gm", "get-member"),
    ("gp", "get-itemproperty"),
    ("gps", "get-process"),
    ("group", "group-object"),
    ("gsv", "get-service"),
    ("gu", "get-unique"),
    ("gv", "get-variable"),
    ("h", "get-history"),
    ("history", "get-history"),
    ("icm", "invoke-command"),
    ("iex", "invoke-expression"),
    ("ihy", "invoke-history"),
    ("ii", "invoke-item"),
    ("ipcsv", "import-csv"),
    ("ipmo", "import-module"),
    ("irm", "invoke-restmethod"),
    ("ise", "powershell_ise"),
    ("iwr", "invoke-webrequest"),
    ("kill", "stop-process"),
    ("ls", "get-childitem"),
    ("man", "help"),
    ("md", "mkdir"),
    ("measure", "measure-object"),
    ("mi", "move-item"),
    ("mount", "new-psdrive"),
    ("move", "move-item"),
    ("mp", "move-itemproperty"),
    ("mv", "move-item"),
    ("nal", "new-alias"),
    ("ndr", "new-psdrive"),
    ("ni", "new-item"),
    ("nmo", "new-module"),
    ("nv", "new-variable"),
    ("ogv", "out-gridview"),
    ("oh", "out-host"),
    ("popd", "pop-location"),
    ("ps", "get-process"),
    ("pushd", "push-location"),
    ("pwd", "get-location"),
    ("r", "invoke-history"),
    ("rbp", "remove-psbreakpoint"),
    ("rd", "remove-item"),
    ("rdr", "remove-psdrive"),
    ("ren", "rename-item"),
    ("ri", "remove-item"),
    ("rm", "remove-item"),
    ("rmdir", "remove-item"),
    ("rni", "rename-item"),
    ("rnp", "rename-itemproperty"),
    ("rp", "remove-itemproperty"),
    ("rv", "remove-variable"),
    ("rvpa", "resolve-path"),
    ("sajb", "start-job"),
    ("sal", "set-alias"),
    ("saps", "start-process"),
    ("sasv", "start-service"),
    ("sbp", "set-psbreakpoint"),
    ("sc", "set-content"),
    ("select", "select-object"),
    ("set", "set-variable"),
    ("shcm", "show-command"),
    ("si", "set-item"),
    ("sl", "set-location"),
    ("sleep", "start-sleep"),
    ("sls", "select-string"),
    ("sort", "sort-object"),
    ("sp", "set-itemproperty"),
    ("spps", "stop-process"),
    ("spsv", "stop-service"),
    ("start", "start-process"),
    ("sv", "set-variable"),
    ("tee", "tee-object"),
    ("type", "get-content"),
    ("wget", "invoke-webrequest"),
    ("where", "where-object"),
    ("wjb", "wait-job"),
    ("write", "write-output"),
];
