//! The Landlock rules: a second wall behind the namespaces, from the newest ABI the kernel has.

use super::SetupError;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};
use std::path::{Path, PathBuf};

/// The newest rights this program knows; the kernel's own are taken where it has fewer.
const NEWEST: ABI = ABI::V10;

/// Applies the rules to this process for good: reading below `readable`, writing below `writable`, no TCP or UDP
/// unless `loopback`, no signal and no abstract socket out of here. `false` where the kernel has no Landlock.
pub fn apply(readable: &[PathBuf], writable: &[PathBuf], loopback: bool) -> Result<bool, SetupError> {
    let failed = |error: landlock::RulesetError| SetupError::Rules(error.to_string());
    let read = AccessFs::from_read(NEWEST);
    let write = AccessFs::from_all(NEWEST);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(write)
        .and_then(|rules| rules.scope(Scope::from_all(NEWEST)))
        .map_err(failed)?;
    if !loopback {
        rules = rules.handle_access(AccessNet::from_all(NEWEST)).map_err(failed)?;
    }
    let mut rules = rules.create().map_err(failed)?;
    let allowed = readable.iter().map(|path| (path.as_path(), read));
    for (path, rights) in allowed.chain(writable.iter().map(|path| (path.as_path(), write))) {
        rules = allow(rules, path, rights)?;
    }
    let status = rules.restrict_self().map_err(failed)?;
    Ok(status.ruleset != RulesetStatus::NotEnforced)
}

fn allow(
    rules: landlock::RulesetCreated,
    path: &Path,
    rights: BitFlags<AccessFs>,
) -> Result<landlock::RulesetCreated, SetupError> {
    let place = PathFd::new(path).map_err(|error| SetupError::Rules(error.to_string()))?;
    let rights = if path.is_dir() { rights } else { rights & AccessFs::from_file(NEWEST) };
    rules.add_rule(PathBeneath::new(place, rights)).map_err(|error| SetupError::Rules(error.to_string()))
}
