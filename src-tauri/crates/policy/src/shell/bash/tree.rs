//! Every simple command that `tree-sitter-bash` sees, at any depth, also in a text with errors.

use super::command::{Assignment, Part, Redirect, RedirectKind, Unsupported, Word};
use super::cursor::Cursor;
use super::script::Simple;
use super::word;
use std::cell::{Cell, RefCell};
use std::ops::{ControlFlow, Range};
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Point, Tree};

/// Nodes that are looked at; past that the text isn't understood.
const MAX_NODES: usize = 20_000;
/// Depth of the tree; past that the text isn't understood.
const MAX_DEPTH: usize = 200;

/// Bytes the parser gets at once. At some texts, most of them with errors, its scanner looks through all that follows at
/// each step: it then asks for the same pieces again and again, which is how that is noticed.
const CHUNK: usize = 512;
/// How often it may ask: so often, and once for so many bytes of the text.
const MIN_READS: usize = 256;
const READS_PER: usize = 8;

/// What the tree says.
#[derive(Debug, Default)]
pub struct Sight {
    /// Simple commands in the order of the text.
    pub commands: Vec<Simple>,
    /// Function names with the range of their bodies.
    pub functions: Vec<(String, Range<usize>)>,
    /// Ranges of statements that run in the background or as stages of a pipeline.
    pub parallel: Vec<Range<usize>>,
    /// Where the program of one stage of a pipeline stands, and that of the stage behind it.
    pub pipes: Vec<(usize, usize)>,
    /// Why the text can't be read at all: an error, a limit.
    pub unreadable: Option<Unsupported>,
    /// A construct outside the closed grammar.
    pub strange: Option<Unsupported>,
}

/// Parses `text`; `None` where the parser gives up.
#[must_use]
pub fn see(text: &str) -> Sight {
    let Some(tree) = parse(text) else {
        return Sight { unreadable: Some(Unsupported::new("can't be parsed")), ..Sight::default() };
    };
    let mut sight = Sight::default();
    if tree.root_node().has_error() {
        sight.unreadable = Some(Unsupported::new("has a syntax error, or a part that isn't understood"));
    }
    walk(&tree, text, &mut sight);
    sight
}

thread_local! {
    /// One parser a thread: making one costs as much as parsing a short command.
    static PARSER: RefCell<Option<Parser>> = RefCell::new(parser());
}

fn parser() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    Some(parser)
}

/// The grammar's scanner hands code points to C functions that take bytes, and may crash on those beyond ASCII. It gets
/// a `.` for each of their bytes instead: as they do in bash, it makes words and no names, and every place stays the same.
fn parse(text: &str) -> Option<Tree> {
    let plain: Vec<u8> = text.bytes().map(|byte| if byte.is_ascii() { byte } else { b'.' }).collect();
    let most = MIN_READS + plain.len() / READS_PER;
    let reads = Cell::new(0_usize);
    let mut text = |start: usize, _: Point| {
        reads.set(reads.get() + 1);
        let end = if reads.get() > most { start } else { plain.len().min(start + CHUNK) };
        plain.get(start..end).unwrap_or_default()
    };
    let mut within_budget = |_: &ParseState| {
        if reads.get() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    PARSER.with_borrow_mut(|parser| {
        let parser = parser.as_mut()?;
        let options = ParseOptions::new().progress_callback(&mut within_budget);
        let tree = parser.parse_with_options(&mut text, None, Some(options));
        // Else the next text would be taken for the rest of this one.
        parser.reset();
        tree.filter(|_| reads.get() <= most)
    })
}

fn walk(tree: &Tree, text: &str, sight: &mut Sight) {
    let mut cursor = tree.walk();
    let (mut seen, mut depth) = (0_usize, 0_usize);
    loop {
        seen += 1;
        if seen > MAX_NODES || depth > MAX_DEPTH {
            sight.unreadable = Some(Unsupported::new("is too long or nested too deeply"));
            return;
        }
        let node = cursor.node();
        visit(node, text, sight);
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            depth = depth.saturating_sub(1);
        }
    }
}

fn visit(node: Node<'_>, text: &str, sight: &mut Sight) {
    match node.kind() {
        "command" => sight.commands.push(command(node, text)),
        "test_command" | "declaration_command" | "unset_command" => {
            let mut simple =
                Simple { words: split(node.byte_range(), text, &holes(node)), ..Simple::default() };
            simple.redirects = outer_redirects(node, text);
            sight.commands.push(simple);
        }
        "variable_assignment" => {
            let alone = node.parent().is_none_or(|parent| {
                !matches!(parent.kind(), "command" | "declaration_command" | "for_statement")
            });
            if alone {
                sight.commands.push(Simple {
                    assignments: assignment(node, text).into_iter().collect(),
                    ..Simple::default()
                });
            }
        }
        "redirected_statement" => {
            let body = node.child_by_field_name("body");
            let owned = body.is_some_and(|body| {
                matches!(body.kind(), "command" | "test_command" | "declaration_command" | "unset_command")
            });
            if !owned {
                let redirects = redirects_of(node, text);
                sight.commands.push(Simple { redirects, ..Simple::default() });
            }
        }
        "function_definition" => {
            if let (Some(name), Some(body)) =
                (node.child_by_field_name("name"), node.child_by_field_name("body"))
            {
                sight.functions.push((slice(text, name.byte_range()).to_owned(), body.byte_range()));
            }
        }
        "pipeline" => {
            let mut cursor = node.walk();
            let stages: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            sight.parallel.extend(stages.iter().map(Node::byte_range));
            for pair in stages.windows(2) {
                if let [from, into] = pair {
                    sight.pipes.extend(program_of(*from).zip(program_of(*into)));
                }
            }
        }
        // `cat <<E | sh`: the grammar hangs the rest of the pipeline on the document.
        "heredoc_redirect" => {
            let mut cursor = node.walk();
            let behind = node.named_children(&mut cursor).find(|child| child.kind() == "pipeline");
            let first = behind.and_then(|pipeline| pipeline.named_child(0));
            let from = node.parent().and_then(program_of);
            sight.pipes.extend(from.zip(first.and_then(program_of)));
        }
        "&" => {
            if let Some(before) = node.prev_sibling() {
                sight.parallel.push(before.byte_range());
            }
        }
        _ => {}
    }
    if sight.strange.is_none() && !is_understood(node) {
        sight.strange = Some(Unsupported::new("uses a construct that isn't understood"));
    }
}

/// Where the program of a stage that is one command stands.
fn program_of(stage: Node<'_>) -> Option<usize> {
    let command = match stage.kind() {
        "redirected_statement" => stage.child_by_field_name("body")?,
        _ => stage,
    };
    (command.kind() == "command")
        .then(|| command.child_by_field_name("name").map(|name| name.start_byte()))?
}

/// The closed set of node kinds; what bash would compute at run time is left out.
fn is_understood(node: Node<'_>) -> bool {
    if !node.is_named() {
        return true;
    }
    // A plain `${name}`.
    let is_plain = node.kind() == "expansion" && node.named_child_count() == 1 && node.child_count() == 3;
    is_plain
        || matches!(
            node.kind(),
            "program"
                | "list"
                | "pipeline"
                | "command"
                | "command_name"
                | "word"
                | "number"
                | "string"
                | "string_content"
                | "raw_string"
                | "ansi_c_string"
                | "concatenation"
                | "comment"
                | "redirected_statement"
                | "file_redirect"
                | "file_descriptor"
                | "heredoc_redirect"
                | "heredoc_start"
                | "heredoc_body"
                | "heredoc_content"
                | "heredoc_end"
                | "herestring_redirect"
                | "subshell"
                | "compound_statement"
                | "negated_command"
                | "if_statement"
                | "elif_clause"
                | "else_clause"
                | "for_statement"
                | "while_statement"
                | "do_group"
                | "case_statement"
                | "case_item"
                | "test_command"
                | "unary_expression"
                | "binary_expression"
                | "ternary_expression"
                | "parenthesized_expression"
                | "test_operator"
                | "regex"
                | "extglob_pattern"
                | "simple_expansion"
                | "variable_name"
                | "special_variable_name"
                | "command_substitution"
                | "process_substitution"
                | "variable_assignment"
                | "variable_assignments"
                | "brace_expression"
                | "translated_string"
                | "arithmetic_expansion"
        )
}

fn command(node: Node<'_>, text: &str) -> Simple {
    let mut simple = Simple::default();
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "variable_assignment" => simple.assignments.extend(assignment(child, text)),
            "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                simple.redirects.extend(redirect(child, text));
            }
            "comment" => {}
            _ => match spans.last_mut() {
                // Pieces with nothing between them are one word.
                Some(last) if last.end == child.start_byte() => last.end = child.end_byte(),
                Some(_) | None => spans.push(child.byte_range()),
            },
        }
    }
    let holes = holes(node);
    for span in spans {
        simple.words.extend(words(span, text, &holes));
    }
    simple.redirects.extend(outer_redirects(node, text));
    simple
}

/// The redirects of the statement that wraps `node` alone.
fn outer_redirects(node: Node<'_>, text: &str) -> Vec<Redirect> {
    match node.parent() {
        Some(parent) if parent.kind() == "redirected_statement" => redirects_of(parent, text),
        Some(_) | None => Vec::new(),
    }
}

fn redirects_of(statement: Node<'_>, text: &str) -> Vec<Redirect> {
    let mut cursor = statement.walk();
    statement
        .children_by_field_name("redirect", &mut cursor)
        .flat_map(|child| redirect(child, text))
        .collect()
}

fn redirect(node: Node<'_>, text: &str) -> Vec<Redirect> {
    let mut cursor = node.walk();
    match node.kind() {
        "heredoc_redirect" => {
            let body = node
                .children(&mut cursor)
                .find(|child| child.kind() == "heredoc_body")
                .map(|body| Word::text(slice(text, body.byte_range())));
            let mut found = vec![Redirect { kind: RedirectKind::Text, target: body }];
            let mut cursor = node.walk();
            for child in node.children(&mut cursor).filter(|child| child.kind() == "file_redirect") {
                found.extend(redirect(child, text));
            }
            found
        }
        "herestring_redirect" => {
            let target = node.named_child(0).map(|child| one_word(child, text));
            vec![Redirect { kind: RedirectKind::Text, target }]
        }
        "file_redirect" => {
            let operator =
                node.children(&mut cursor).find(|child| !child.is_named()).map_or("", |child| child.kind());
            let target = node.child_by_field_name("destination").map(|child| one_word(child, text));
            let kind = match operator {
                "<" => RedirectKind::Read,
                ">" | ">|" | "&>" => RedirectKind::Truncate,
                ">>" | "&>>" => RedirectKind::Append,
                ">&-" | "<&-" | "<&" => RedirectKind::Descriptor,
                ">&" => match target.as_ref().and_then(Word::literal) {
                    Some(word) if word.chars().all(|digit| digit.is_ascii_digit() || digit == '-') => {
                        RedirectKind::Descriptor
                    }
                    Some(_) | None => RedirectKind::Truncate,
                },
                _ => RedirectKind::Unknown,
            };
            vec![Redirect { kind, target: target.filter(|_| kind != RedirectKind::Descriptor) }]
        }
        _ => Vec::new(),
    }
}

fn assignment(node: Node<'_>, text: &str) -> Option<Assignment> {
    let name = slice(text, node.child_by_field_name("name")?.byte_range()).to_owned();
    let value = node.child_by_field_name("value").map_or_else(Word::default, |value| one_word(value, text));
    Some(Assignment { name, value })
}

fn one_word(node: Node<'_>, text: &str) -> Word {
    let mut found = words(node.byte_range(), text, &holes(node));
    match (found.pop(), found.is_empty()) {
        (Some(word), true) => word,
        _ => opaque(node.byte_range()),
    }
}

/// Substitutions below `node`, whose value is known only at run time, in the order of the text.
fn holes(node: Node<'_>) -> Vec<Range<usize>> {
    let mut holes = Vec::new();
    let mut queue = vec![node];
    while let Some(next) = queue.pop() {
        let is_hole = matches!(
            next.kind(),
            "command_substitution" | "process_substitution" | "arithmetic_expansion" | "expansion"
        );
        // A plain `${name}` is read by the word reader.
        if is_hole
            && !(next.kind() == "expansion" && next.named_child_count() == 1 && next.child_count() == 3)
        {
            holes.push(next.byte_range());
            continue;
        }
        let mut cursor = next.walk();
        queue.extend(next.named_children(&mut cursor));
    }
    holes.sort_unstable_by_key(|hole| hole.start);
    holes
}

fn words(span: Range<usize>, text: &str, holes: &[Range<usize>]) -> Vec<Word> {
    let mut cursor = Cursor::new(text.get(..span.end).unwrap_or_default());
    cursor.jump(span.start);
    match word::read(&mut cursor, holes) {
        Ok(words) if cursor.at() == span.end && !words.is_empty() => {
            words.into_iter().map(|word| Word { span: span.clone(), ..word }).collect()
        }
        Ok(_) | Err(_) => vec![opaque(span)],
    }
}

/// The words of a range that the tree doesn't split (`[ -f x ]`, `export A=b`).
fn split(span: Range<usize>, text: &str, holes: &[Range<usize>]) -> Vec<Word> {
    let is_test = slice(text, span.clone()).starts_with("[[");
    let mut cursor = Cursor::new(text.get(..span.end).unwrap_or_default());
    cursor.jump(span.start);
    let mut found = Vec::new();
    loop {
        cursor.take_while(|character| matches!(character, ' ' | '\t'));
        if cursor.at() >= span.end {
            return found;
        }
        let start = cursor.at();
        if is_test
            && let Some(operator) = ["&&", "||", "(", ")"].iter().find(|operator| cursor.take(operator))
        {
            found.push(Word { span: start..cursor.at(), ..Word::text(*operator) });
            continue;
        }
        match word::read(&mut cursor, holes) {
            Ok(words) if cursor.at() > start => found.extend(words),
            Ok(_) | Err(_) => {
                found.push(opaque(start..span.end));
                return found;
            }
        }
    }
}

fn opaque(span: Range<usize>) -> Word {
    Word { parts: vec![Part::Opaque], span }
}

fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::see;

    /// R17: what the parser would look through again at each step is given up, and the next text is read all the same.
    #[test]
    fn a_text_that_keeps_the_parser_searching_is_given_up() {
        for slow in [format!("ls {}", ")".repeat(16_000)), format!("git log {}", ":(a)".repeat(4_000))] {
            let why = see(&slow).unreadable.map(|why| why.to_string());
            assert_eq!(why.as_deref(), Some("the command can't be parsed"));
            assert_eq!(see("ls; pwd").commands.len(), 2);
        }
        for long in ["ls;".repeat(16_000), format!("ls '{}'", "a ".repeat(24_000))] {
            assert!(!see(&long).commands.is_empty());
        }
    }
}
