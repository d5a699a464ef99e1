//! Machines that lack a piece of what the confinement is made of: what is missing is named, what is left holds, and
//! where nothing is left nothing runs.

#![cfg(target_os = "linux")]

#[cfg(test)]
mod lacking;
#[cfg(test)]
mod support;

use assent_sandbox::{Confinement, Level, Limits, Outcome, SandboxReport, Strength};
use lacking::{Lack, again};
use support::{World, finish, sandbox};

const REPORT: &str = "report_of_a_lacking_machine";
const RUN: &str = "run_on_a_lacking_machine";

/// R50: every piece that isn't there is named, and a weaker confinement is never called the full one.
#[test]
fn what_is_missing_is_named() {
    let said = Lack::ALL.map(|lack| format!("--- without {lack:?}\n{}", again(lack, REPORT, &[])));
    insta::assert_snapshot!(said.join("\n"));
}

/// R50: the report on such a machine, in the process that was started on one; by itself, that this one lacks nothing.
#[test]
fn report_of_a_lacking_machine() {
    let report = sandbox().self_test();
    match Lack::of_this_process() {
        Some(_) => lacking::say(&words(&report)),
        None => assert!(report.in_force() && report.mechanisms.iter().all(|mechanism| mechanism.present)),
    }
}

/// R50: without namespaces a profile is refused. With a person's word the command runs on the floor, which holds outside
/// the workspace but not inside; without Landlock too, nothing runs whatever was said.
#[test]
fn what_is_left_holds() {
    let said = [Lack::Namespaces, Lack::NamespacesAndLandlock, Lack::Filter].map(|lack| {
        let runs = [false, true]
            .map(|best_effort| again(lack, RUN, &[("BEST_EFFORT", if best_effort { "yes" } else { "no" })]));
        format!("--- without {lack:?}\n{}", runs.join("\n"))
    });
    insta::assert_snapshot!(said.join("\n"));
}

/// R50: one run on such a machine; by itself, the same on this one, where all holds.
#[test]
fn run_on_a_lacking_machine() {
    let best_effort = std::env::var("BEST_EFFORT").is_ok_and(|word| word == "yes");
    let world = World::new();
    let (workspace, outside) = (world.workspace().join("ws"), world.workspace().join("outside"));
    for folder in [&workspace.join(".git"), &outside] {
        std::fs::create_dir_all(folder).unwrap();
    }
    std::fs::write(outside.join("secret"), "a secret").unwrap();
    let script = format!(
        "echo x > {ws}/made; echo x > {ws}/.git/made; echo x > {out}/made; cat {out}/secret; exec 3<>/dev/tcp/127.0.0.1/1",
        ws = workspace.display(),
        out = outside.display()
    );
    let started = world.start(Level::WorkspaceWrite, &script, Limits::default(), |confinement| {
        let protected = vec![workspace.join(".git")];
        *confinement =
            Confinement { best_effort, protected, ..Confinement::new(Level::WorkspaceWrite, &workspace) };
    });
    let run = finish(started);
    let made = |there: bool| if there { "made" } else { "not made" };
    let outcome = match run.ended.outcome {
        Outcome::SetupFailed(why) => format!("not set up, failed to {}", without_reason(&why)),
        outcome => format!("{outcome:?}, {:?}", run.ended.strength),
    };
    let text = format!(
        "with a person's word: {best_effort}; {outcome}; inside {}, protected {}, outside {}, the secret {}\n",
        made(workspace.join("made").exists()),
        made(workspace.join(".git/made").exists()),
        made(outside.join("made").exists()),
        if run.text.contains("a secret") { "read" } else { "not read" },
    );
    match Lack::of_this_process() {
        Some(_) => lacking::say(&text),
        None => assert_eq!(
            text,
            "with a person's word: false; Exited(1), Some(Full); inside made, protected not made, outside not made, the secret not read\n"
        ),
    }
}

/// The report without what differs from machine to machine.
fn words(report: &SandboxReport) -> String {
    let strength = match report.strength {
        Strength::Full => "in force",
        Strength::Floor => "limited",
        Strength::None => "none",
    };
    let absent =
        report.mechanisms.iter().filter(|mechanism| !mechanism.present).map(|mechanism| mechanism.name);
    let absent = absent.collect::<Vec<_>>().join(", ");
    let missing = report.missing.iter().filter(|line| !line.contains("kernel."));
    // Root is told of its own attempt, an ordinary user of another one.
    let missing: String = missing.map(|line| format!("{}\n", without_reason(line))).collect();
    format!("{strength}; absent: {absent}\n{missing}")
}

fn without_reason(line: &str) -> &str {
    let step = "make namespaces";
    line.find(step).and_then(|at| line.get(..at.saturating_add(step.len()))).unwrap_or(line)
}
