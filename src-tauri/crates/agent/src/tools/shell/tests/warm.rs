//! Projects whose dependencies are there build and test in the sandbox as they do without it: offline, in private views
//! of the caches.

use super::*;

struct Project {
    /// What must be installed.
    tool: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// What is done beforehand, outside.
    warm_up: &'static [&'static str],
    command: &'static str,
    says: &'static str,
}

const PROJECTS: &[Project] = &[
    Project {
        tool: "cargo",
        files: &[
            (
                "Cargo.toml",
                "[package]\nname = \"warm\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\nlibc = \"0.2\"\n[workspace]\n",
            ),
            ("src/lib.rs", "#[test]\nfn passes() { assert!(libc::EPERM > 0); }\n"),
        ],
        warm_up: &["cargo", "generate-lockfile", "--offline"],
        command: "cargo test",
        says: "test passes ... ok",
    },
    Project {
        tool: "npm",
        files: &[
            ("package.json", "{\"name\": \"warm\", \"scripts\": {\"test\": \"node test.js\"}}"),
            ("test.js", "require('assert').equal(1 + 1, 2); console.log('passes');"),
        ],
        warm_up: &[],
        command: "npm test",
        says: "passes",
    },
    Project {
        tool: "pytest",
        files: &[("test_warm.py", "def test_passes():\n    assert 1 + 1 == 2\n")],
        warm_up: &[],
        command: "pytest -q",
        says: "1 passed",
    },
    Project {
        tool: "go",
        files: &[
            ("go.mod", "module example.com/warm\n\ngo 1.19\n"),
            ("main.go", "package main\n\nfunc main() { println(\"passes\") }\n"),
        ],
        warm_up: &[],
        command: "go build -o built . && ./built && go vet .",
        says: "passes",
    },
];

/// R50: `cargo test`, `npm test`, `pytest` and `go build` need nothing more than the profile gives.
#[tokio::test]
async fn warm_projects_build_offline() {
    for project in PROJECTS {
        if !is_installed(project.tool) {
            // `cargo xtask test` installs all of them on the systems it knows.
            assert!(std::env::var_os("CI").is_none(), "{} must be installed here", project.tool);
            continue;
        }
        let case = Case::new(Profile::WorkspaceWrite).with_the_users_variables();
        for (name, text) in project.files {
            case.world.file(name, text);
        }
        if let [program, arguments @ ..] = project.warm_up {
            let mut command = std::process::Command::new(program);
            let warmed =
                command.args(arguments).current_dir(case.world.path("")).output().expect("a warm-up");
            assert!(warmed.status.success(), "{}", String::from_utf8_lossy(&warmed.stderr));
        }
        // Outside a repository and in one: some tools ask version control.
        for repository in [false, true] {
            if repository {
                let git = std::process::Command::new("git")
                    .args(["init", "-q"])
                    .current_dir(case.world.path(""))
                    .status();
                assert!(git.expect("git").success());
            }
            let answer = case.run(json!({"command": project.command, "timeout_ms": 600_000})).await;
            let failed = answer.starts_with("Error");
            assert!(answer.contains(project.says) && !failed, "{}, {repository}: {answer}", project.tool);
        }
    }
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
