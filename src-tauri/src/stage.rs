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
use std::path::Path;
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

/// The same folder with two sets of rules, for many calls: what was found for one of them isn't looked up again.
pub struct Comparison {
    before: Stage,
    after: Stage,
    known: Facts,
    /// Where the other rules change what is looked up, or how: folders opened for reading.
    known_after: Option<Facts>,
}

impl Comparison {
    /// Compares `before` with `after`, of the same folder.
    pub fn new(before: Stage, after: Stage) -> Self {
        let looked_from = |stage: &Stage| Context {
            policy_version: String::new(),
            session: String::new(),
            ..stage.context.clone()
        };
        let alike = looked_from(&before) == looked_from(&after);
        Self { before, after, known: Facts::default(), known_after: (!alike).then(Facts::default) }
    }

    /// How the call would be decided by either.
    ///
    /// # Errors
    /// When it is no call.
    pub fn decide(
        &mut self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<(Behavior, Behavior), ToolFailure> {
        let Self { before, after, known, known_after } = self;
        let call = before.prepared(tool, arguments)?;
        let decided = |stage: &Stage, known: &mut Facts| {
            judge_knowing(known, &call, &stage.context, &stage.rules, &[]).behavior
        };
        let old = decided(before, known);
        Ok((old, decided(after, known_after.as_mut().unwrap_or(known))))
    }
}

/// The layers of a folder, with no grants of a session.
pub fn layers(shell: &Shell, folder: &Path) -> Reply<Layers> {
    Ok(Layers::new(LayerFiles::usual(&shell.places, folder), &shell.engine()?.machine))
}

/// The layers of the person and the administrator, which count in every folder.
pub fn layers_everywhere(shell: &Shell) -> Reply<Layers> {
    Ok(Layers::new(LayerFiles::without_workspace(&shell.places), &shell.engine()?.machine))
}

#[cfg(test)]
mod tests {
    use super::{Comparison, Stage};
    use assent_agent::gate::Circumstances as _;
    use assent_agent::tools::Registry;
    use assent_policy::{Behavior, Mode, ToolEffect};
    use e2e::bench;
    use serde_json::json;
    use std::sync::Arc;

    /// Each call gets both decisions, as it would alone; what is read differently is looked up for each.
    #[test]
    fn two_sets_of_rules_share_what_was_found_where_they_look_the_same_way() {
        let bench = bench(ToolEffect::Read);
        bench.world.write("a.txt", "x");
        let elsewhere = bench.world.folder("elsewhere");
        std::fs::write(elsewhere.join("b.txt"), "x").unwrap();
        let outside = elsewhere.join("b.txt").to_string_lossy().into_owned();
        let registry = || Registry::new([Arc::new(bench.probe.clone()) as Arc<_>]).unwrap();
        let stage = |opened: &[&str], mode| {
            let (mut context, rules) = bench.circumstances.current().unwrap();
            context.read_folders = opened.iter().map(|folder| (*folder).to_owned()).collect();
            context.mode = mode;
            Stage::of(registry(), context, rules)
        };
        let opened = elsewhere.to_string_lossy().into_owned();
        for (read_folders, mode, shared, expected) in [
            (&[][..], Mode::Balanced, true, [Behavior::Allow, Behavior::Deny]),
            (&[opened.as_str()][..], Mode::Balanced, false, [Behavior::Allow, Behavior::Allow]),
            (&[][..], Mode::Strict, false, [Behavior::Allow, Behavior::Deny]),
        ] {
            let mut compared = Comparison::new(stage(&[], Mode::Balanced), stage(read_folders, mode));
            assert_eq!(compared.known_after.is_none(), shared, "{read_folders:?} {mode:?}");
            for (path, after) in ["a.txt", &outside].into_iter().zip(expected) {
                let alone = |stage: Stage| {
                    stage
                        .judge("probe", json!({"path": path}).as_object().cloned().unwrap())
                        .unwrap()
                        .evaluation
                        .behavior
                };
                let both = compared.decide("probe", json!({"path": path}).as_object().cloned().unwrap());
                let alone = (alone(stage(&[], Mode::Balanced)), alone(stage(read_folders, mode)));
                assert_eq!(both.unwrap(), alone, "{path}");
                assert_eq!(alone.1, after, "{path}");
            }
        }
    }
}
