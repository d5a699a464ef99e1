//! No rule is made for a path that means something else than it says.

use crate::setup_error::SetupError;
use crate::wire::Order;

/// Refuses an order with a path that isn't absolute and resolved, or that has the root folder as its workspace.
pub fn check(order: &Order) -> Result<(), SetupError> {
    let Order { confinement, command } = order;
    if confinement.workspace.parent().is_none() {
        return Err(SetupError::Refused("the workspace is the root folder".to_owned()));
    }
    let lists = [
        &confinement.protected,
        &confinement.hidden,
        &confinement.read,
        &confinement.toolchains,
        &confinement.write,
        &confinement.overlays,
    ];
    let replaced = confinement.replaced.iter().map(|replaced| &replaced.path);
    let single = [&confinement.workspace, &command.cwd];
    for path in lists.into_iter().flatten().chain(replaced).chain(single) {
        let plain = path
            .components()
            .all(|part| matches!(part, std::path::Component::RootDir | std::path::Component::Normal(_)));
        if !path.is_absolute() || !plain {
            return Err(SetupError::Refused(format!("{} is no absolute, resolved path", path.display())));
        }
    }
    Ok(())
}
