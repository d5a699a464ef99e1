//! `glob`, `grep` and `list_dir` over one small tree.

use super::testing::{World, tree};
use super::{Glob, Grep, ListDir, Tool};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;

/// A tree with ignored files, secrets, links in and out, binary and odd files.
fn world() -> World {
    let world = World::new();
    world.file(".git/HEAD", "needle\n");
    world.file(".gitignore", "target/\n*.log\n!keep.log\n");
    world.file(".github/workflows/ci.yml", "needle: ci\n");
    world.file("src/main.rs", "fn main() {\n    needle();\n}\n");
    world.file("src/lib.rs", "// Needle in capitals\n");
    world.file("src/deep/.ignore", "private.rs\n");
    world.file("src/deep/private.rs", "needle\n");
    world.file("src/deep/own.rs", format!("needle {}\n", "x".repeat(400)));
    world.file("target/debug/out.rs", "needle\n");
    world.file("run.log", "needle\n");
    world.file("keep.log", "needle\n");
    world.file(".env", "SECRET=needle\n");
    world.file("certs/server.pem", "needle\n");
    world.file("binary.dat", b"needle\0needle\n");
    world.file("latin.txt", b"needle caf\xe9\n");
    std::fs::write(world.outside("outside.txt"), "needle\n").expect("a file");
    symlink(world.outside(""), world.path("outlink")).expect("a link");
    symlink("main.rs", world.path("src/link.rs")).expect("a link");
    world
}

async fn answers(tool: &dyn Tool, calls: impl IntoIterator<Item = Value>) -> String {
    let world = world();
    let before = tree(world.workspace.root());
    let mut said = Vec::new();
    for call in calls {
        let answer = world.call(tool, call.clone()).await;
        let answer = answer.replace(&*world.outside("").to_string_lossy(), "OUT/");
        said.push(format!("> {call}\n{answer}"));
    }
    assert_eq!(tree(world.workspace.root()), before);
    said.join("\n\n")
}

/// R7, R54, R63
#[tokio::test]
async fn glob_stays_inside_and_says_what_it_leaves_out() {
    let calls = [
        json!({"pattern": "**/*.rs"}),
        json!({"pattern": "*.rs"}),
        json!({"pattern": "*.rs", "path": "src"}),
        json!({"pattern": "src/deep/*"}),
        json!({"pattern": "target/**/*.rs"}),
        json!({"pattern": "**"}),
        json!({"pattern": "outlink/*"}),
        json!({"pattern": "missing/*.rs"}),
        json!({"pattern": "../*"}),
        json!({"pattern": "/etc/*"}),
        json!({"pattern": "*", "path": "src/main.rs"}),
        json!({"pattern": "*", "path": "nowhere"}),
    ];
    insta::assert_snapshot!(answers(&Glob::default(), calls).await);
}

/// R7, R54, R63
#[tokio::test]
async fn grep_stays_inside_and_says_what_it_leaves_out() {
    let calls = [
        json!({"pattern": "needle"}),
        json!({"pattern": "(?i)needle", "glob": "*.rs"}),
        json!({"pattern": "needle", "glob": "src/*.rs"}),
        json!({"pattern": "needle", "path": "src/main.rs"}),
        json!({"pattern": "needle", "path": ".env"}),
        json!({"pattern": "^nothing of the kind$"}),
        json!({"pattern": "needle", "path": "nowhere"}),
    ];
    insta::assert_snapshot!(answers(&Grep::default(), calls).await);
}

/// R7, R63
#[tokio::test]
async fn list_dir_shows_kinds_and_sizes() {
    let calls =
        [json!({}), json!({"path": "src"}), json!({"path": "src/main.rs"}), json!({"path": "nowhere"})];
    let said = answers(&ListDir::default(), calls).await;
    insta::assert_snapshot!(said);
}

/// R5: what can't be a pattern is said before anything is judged.
#[test]
fn bad_patterns_are_invalid_arguments() {
    let problems: Vec<String> = [
        Glob::default().prepare(json!({"pattern": "src/[a"}).as_object().expect("an object")),
        Glob::default().prepare(json!({"pattern": ""}).as_object().expect("an object")),
        Grep::default().prepare(json!({"pattern": "(a"}).as_object().expect("an object")),
        Grep::default().prepare(json!({"pattern": "a\nb"}).as_object().expect("an object")),
        Grep::default().prepare(json!({"pattern": "a", "glob": "{a"}).as_object().expect("an object")),
    ]
    .into_iter()
    .map(|prepared| prepared.expect_err("invalid").to_string())
    .collect();
    insta::assert_snapshot!(problems.join("\n---\n"));
}

/// Many matches are counted and cut, the same ones each time.
#[tokio::test]
async fn long_answers_are_cut_in_order() {
    let world = World::new();
    for number in 0..300 {
        world.file(&format!("d{}/f{number:03}.txt", number % 7), "needle\nneedle\n");
    }
    let first = world.call(&Grep::default(), json!({"pattern": "needle"})).await;
    assert!(
        first.ends_with("[The first 200 of 600 matching lines in 300 files; narrow pattern, path or glob.]")
    );
    assert_eq!(first.lines().count(), 201);
    assert!(first.lines().take(200).is_sorted_by_key(|line| line.split(':').next().map(str::to_owned)));
    assert_eq!(world.call(&Grep::default(), json!({"pattern": "needle"})).await, first);
}

/// R14, R33: the folder that was judged is a link by now.
#[tokio::test]
async fn a_swapped_folder_is_not_searched() {
    let world = world();
    for tool in [&Glob::default() as &dyn Tool, &Grep::default(), &ListDir::default()] {
        let mut arguments = json!({"path": "src"});
        if tool.definition().name != "list_dir" {
            arguments["pattern"] = json!("needle");
        }
        let permit = world.permit(tool, arguments);
        std::fs::rename(world.path("src"), world.path("away")).expect("renamed");
        symlink(world.outside(""), world.path("src")).expect("a link");
        let said = world.execute(tool, permit).await;
        assert!(said.starts_with("Error [stale_or_revoked]: src: "), "{said}");
        std::fs::remove_file(world.path("src")).expect("removed");
        std::fs::rename(world.path("away"), world.path("src")).expect("renamed");
    }
}

/// A workspace inside a larger repository follows that repository's patterns too.
#[tokio::test]
async fn patterns_above_the_workspace_count() {
    let world = World::new();
    let above = world.workspace.root().parent().expect("a parent").to_owned();
    std::fs::create_dir(above.join(".git")).expect("a folder");
    std::fs::write(above.join(".gitignore"), "built/\n").expect("a file");
    world.file("built/a.txt", "");
    world.file("kept/a.txt", "");
    assert_eq!(world.call(&Glob::default(), json!({"pattern": "**/*.txt"})).await, "kept/a.txt");
}
