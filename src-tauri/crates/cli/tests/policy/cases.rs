//! Every case of `tests/cases/permissions.jsonl`: a call, its fixtures, and what may come of it.

use crate::world::World;
use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// Whose rules for paths and programs hold.
    os: String,
    shell: Option<String>,
    tool: String,
    arguments: Value,
    #[serde(default)]
    setup: Vec<Value>,
    /// Every behaviour that is right.
    expect: Vec<String>,
    why: String,
}

/// R10, R11, R14, R15, R17: nothing unsafe, nothing too strict, no needless question.
#[test]
fn every_case_is_judged_as_it_should_be() {
    let cases: Vec<Case> = include_str!("../../../../../tests/cases/permissions.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(cases.len() > 380, "{} cases", cases.len());
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let parts = cases.chunks(cases.len().div_ceil(4));
        let running: Vec<_> = parts.map(|part| scope.spawn(|| wrong_ones(part))).collect();
        running.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn wrong_ones(cases: &[Case]) -> Vec<String> {
    cases
        .iter()
        .filter_map(|case| judge(case).unwrap_or_else(|error| Some(format!("{}: {error:#}", case.name))))
        .collect()
}

/// What is wrong with the answer about one case, if anything is.
fn judge(case: &Case) -> Result<Option<String>> {
    let mut world = World::new()?;
    for item in &case.setup {
        world.arrange(item)?;
    }
    let workspace = world.workspace();
    let workspace = workspace.to_string_lossy();
    let mut arguments = vec!["--workspace", &workspace, "--os", &case.os, "--sandbox", "available"];
    arguments.extend(case.shell.iter().flat_map(|shell| ["--shell", shell.as_str()]));
    let answer = world.check(&arguments, &case.tool, &world.fill_all(&case.arguments))?;
    let text = |key: &str| answer.get(key).and_then(Value::as_str).unwrap_or_default();
    let behavior = text("behavior");
    let shown = answer.get("display").and_then(Value::as_array).context("display is a list")?;
    let silent = behavior == "ask" && shown.is_empty();
    let raw = shown.iter().any(|line| line.as_str().is_some_and(|line| line.contains(char::is_control)));
    let expected = case.expect.iter().any(|one| one == behavior);
    Ok((!expected || silent || raw).then(|| {
        let (source, reason) = (text("source"), text("reason"));
        format!("{}: {behavior} ({source}: {reason}) {} [{}]", case.name, case.arguments, case.why)
    }))
}
