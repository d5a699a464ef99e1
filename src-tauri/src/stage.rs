//! The pipeline without a run: judges calls of the open folder as if the model had proposed them.

use crate::shell::{OpenFolder, Reply, Shell};
use crate::view::BackendError;
use assent_agent::circumstances::PolicyLayers;
use assent_agent::facts::{judge, judge_knowing};
use assent_agent::gate::{Circumstances as _, bind, prepare};
use assent_agent::id::new_id;
use assent_agent::layers::{LayerFiles, Layers};
use assent_agent::model::{Arguments, ProposedCall};
use assent_agent::tools::{Registry, ToolFailure};
use assent_policy::request::PermissionRequest;
use assent_policy::{Behavior, CallDigest, Context, Evaluation, Facts, Origin, PreparedCall, Rules};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Where calls are judged: the circumstances as they are now.
pub struct Stage {
    registry: Registry,
    /// Mode, folder, sandbox, user.
    pub context: Context,
    /// Every rule that counts.
    pub rules: Arc<Rules>,
}

/// A call and how it would be decided.
pub struct Judged {
    /// What it would do.
    pub call: PreparedCall,
    /// The decision.
    pub evaluation: Evaluation,
    /// What was found when somebody looked.
    pub facts: Facts,
    /// What an approval would be bound to.
    pub digest: CallDigest,
}

impl Stage {
    /// The open folder as it is now, with the rules of `layers`.
    ///
    /// # Errors
    /// When no folder is open or the engine isn't there.
    pub fn set(shell: &Shell, open: &OpenFolder, layers: Arc<dyn PolicyLayers>) -> Reply<Self> {
        let engine = shell.engine()?;
        let broken = |error: &dyn std::fmt::Display| BackendError::new("io", format!("Can't {error}."));
        let id = new_id(0).map_err(|error| broken(&error))?;
        let circumstances = shell.circumstances(&id, open, layers)?;
        let (context, rules) = circumstances.current().map_err(|why| BackendError::new("io", why))?;
        let registry = engine.judged_tools().map_err(|error| broken(&error))?;
        Ok(Self { registry, context, rules })
    }

    /// A stage of a test's own.
    #[cfg(test)]
    pub fn of(registry: Registry, context: Context, rules: Arc<Rules>) -> Self {
        Self { registry, context, rules }
    }

    /// Judges one call; nothing runs, nobody is asked.
    ///
    /// # Errors
    /// When it is no call: an unknown tool, arguments that don't fit.
    pub fn judge(&self, tool: &str, arguments: Map<String, Value>) -> Result<Judged, ToolFailure> {
        let call = self.prepared(tool, arguments)?;
        let (evaluation, facts) = judge(&call, &self.context, &self.rules, &[]);
        let digest = bind(&call, &evaluation, &facts, &self.context);
        Ok(Judged { call, evaluation, facts, digest })
    }

    /// How one of many calls would be decided: what is in `known` isn't looked up again.
    ///
    /// # Errors
    /// When it is no call.
    pub fn decide(
        &self,
        known: &mut Facts,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Behavior, ToolFailure> {
        let call = self.prepared(tool, arguments)?;
        Ok(judge_knowing(known, &call, &self.context, &self.rules, &[]).behavior)
    }

    fn prepared(&self, tool: &str, arguments: Map<String, Value>) -> Result<PreparedCall, ToolFailure> {
        let proposed = ProposedCall {
            id: "test".to_owned(),
            id_given: false,
            name: tool.to_owned(),
            arguments: Arguments::Object(arguments),
            extra: None,
        };
        prepare(&self.registry, &proposed, &Origin::Task).map(|(_, call)| call)
    }

    /// The question that would be put.
    pub fn request(&self, judged: &Judged) -> PermissionRequest {
        PermissionRequest::new(&judged.call, &judged.evaluation, &self.context, &judged.digest)
    }
}

/// The layers of a folder, with no grants of a session.
pub fn layers(shell: &Shell, open: &OpenFolder) -> Reply<Layers> {
    let engine = shell.engine()?;
    Ok(Layers::new(LayerFiles::usual(&shell.places, &open.path), &engine.machine))
}
