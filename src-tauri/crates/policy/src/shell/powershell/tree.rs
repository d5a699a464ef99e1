//! The second reader: the tree-sitter grammar. Where it disagrees with the first, nothing is allowed.

use super::reader::{Head, Script};
use tree_sitter::{Node, Parser};

/// Nodes looked at in one tree.
const MAX_NODES: usize = 50_000;

/// Why the grammar doesn't see the same plain text, as a sentence.
pub(super) fn disagreement(text: &str, script: &Script) -> Option<&'static str> {
    let mut parser = Parser::new();
    if parser.set_language(&tree_sitter_powershell::LANGUAGE.into()).is_err() {
        return Some("The PowerShell grammar can't be loaded.");
    }
    // PowerShell ignores case; the grammar doesn't in numbers such as `1MB`.
    let text = text.to_ascii_lowercase();
    let Some(tree) = parser.parse(&text, None) else {
        return Some("The command can't be parsed.");
    };
    if tree.root_node().has_error() {
        return Some("The command can't be parsed.");
    }
    let mut seen = Vec::new();
    if !collect(tree.root_node(), &text, &mut seen) {
        return Some("The command is too long to be parsed.");
    }
    let mut read: Vec<String> = script
        .commands
        .iter()
        .filter(|command| command.head != Head::Value)
        .filter_map(|command| command.words.first())
        .map(|word| word.text.to_lowercase())
        .collect();
    seen.sort();
    read.sort();
    if seen == read { None } else { Some("The command can be read in two ways.") }
}

/// The names of all commands in the tree; false where there are too many nodes.
fn collect(root: Node<'_>, text: &str, names: &mut Vec<String>) -> bool {
    let mut open = vec![root];
    let mut visited = 0_usize;
    while let Some(node) = open.pop() {
        visited += 1;
        if visited > MAX_NODES {
            return false;
        }
        if node.kind() == "command"
            && let Some(name) = node.child_by_field_name("command_name")
        {
            let written = text.get(name.byte_range()).unwrap_or_default();
            names.push(written.replace(['\'', '"', '`'], "").to_lowercase());
        }
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
    }
    true
}
