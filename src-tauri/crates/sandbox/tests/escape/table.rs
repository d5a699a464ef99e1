//! The README's table of all attempts, made from the attempts themselves.

use crate::attacks::{self, Real};
use std::path::Path;

const BEGIN: &str = "<!-- attempts: written by the escape suite -->\n";
const END: &str = "<!-- end of attempts -->\n";

/// R50: each attempt of the suite has its row, and no other has one. That all are held is what the suite asserts, as root
/// and as an ordinary user; without a sandbox each is made first, where it can be. `ASSENT_WRITE_README` writes the table.
#[test]
fn the_readme_lists_every_attempt() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(BEGIN).unwrap();
    let (table, after) = rest.split_once(END).unwrap();
    if std::env::var_os("ASSENT_WRITE_README").is_some() {
        std::fs::write(path, format!("{before}{BEGIN}{}{END}{after}", made())).unwrap();
    } else {
        assert_eq!(table, made());
    }
}

fn made() -> String {
    let mut table = String::from(
        "| attempt | `read-only`: root, user | `workspace-write`: root, user | without a sandbox |\n|---|---|---|---|\n",
    );
    for attack in attacks::all() {
        let free = match attack.real {
            Real::Always => "gets out",
            Real::ForRoot => "gets out as root",
            Real::Elsewhere => "not shown here",
        };
        table.push_str(&format!("| {} | held, held | held, held | {free} |\n", attack.name));
    }
    table
}
