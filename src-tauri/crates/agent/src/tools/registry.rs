//! Which tools there are; fixed for a turn, so nothing changes between a request and its calls (R4).

use super::Tool;
use crate::model::ToolSpec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The tools of a turn.
#[derive(Clone, Default)]
pub struct Registry {
    tools: BTreeMap<&'static str, Arc<dyn Tool>>,
}

impl Registry {
    /// A registry of `tools`.
    ///
    /// # Errors
    /// When a name is used twice or holds anything but `[A-Za-z0-9_]`.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Result<Self, RegistryError> {
        let mut registry = Self::default();
        for tool in tools {
            let name = tool.definition().name;
            if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                return Err(RegistryError::BadName(name));
            }
            if registry.tools.insert(name, tool).is_some() {
                return Err(RegistryError::Twice(name));
            }
        }
        Ok(registry)
    }

    /// The tool called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name)
    }

    /// Every name, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.tools.keys().copied()
    }

    /// What the model is offered: all tools but those `hidden` by policy (R20).
    #[must_use]
    pub fn specs(&self, hidden: impl Fn(&str) -> bool) -> Vec<ToolSpec> {
        self.tools
            .values()
            .map(|tool| tool.definition())
            .filter(|it| !hidden(it.name))
            .map(super::ToolDefinition::spec)
            .collect()
    }
}

/// A set of tools that can't be a registry.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// A name with other characters.
    #[error("register the tool `{0}`: a name is letters, digits and underscores")]
    BadName(&'static str),
    /// Two tools of one name.
    #[error("register the tool `{0}`: the name is taken")]
    Twice(&'static str),
}
