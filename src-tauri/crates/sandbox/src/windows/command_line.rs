//! A command line as Windows programs take it apart.

use std::fmt::Write as _;

/// A command line that `CommandLineToArgvW` and the C runtime take apart into exactly these arguments.
#[must_use]
pub fn command_line<'a>(arguments: impl IntoIterator<Item = &'a str>) -> String {
    let mut line = String::new();
    for argument in arguments {
        if !line.is_empty() {
            line.push(' ');
        }
        quote(&mut line, argument);
    }
    line
}

/// The longest line that `CreateProcessW` takes, UTF-16 units, without its NUL.
pub const LONGEST: usize = 32_766;

/// Whether a line is short enough.
#[must_use]
pub fn fits(line: &str) -> bool {
    line.encode_utf16().count() <= LONGEST
}

/// Backslashes count only before a quotation mark: there each is doubled, and the mark itself escaped.
fn quote(line: &mut String, argument: &str) {
    if !argument.is_empty() && !argument.contains([' ', '\t', '\n', '\u{b}', '"']) {
        line.push_str(argument);
        return;
    }
    line.push('"');
    let mut backslashes = 0_usize;
    for character in argument.chars() {
        match character {
            '\\' => backslashes = backslashes.saturating_add(1),
            '"' => {
                let escaping = backslashes.saturating_mul(2).saturating_add(1);
                // Writing to a string can't fail.
                let _infallible = write!(line, "{}\"", "\\".repeat(escaping));
                backslashes = 0;
            }
            other => {
                let _infallible = write!(line, "{}{other}", "\\".repeat(backslashes));
                backslashes = 0;
            }
        }
    }
    let _infallible = write!(line, "{}\"", "\\".repeat(backslashes.saturating_mul(2)));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How the C runtime reads a command line ("Parsing C command-line arguments", Microsoft Learn).
    fn parsed(line: &str) -> Vec<String> {
        let (mut arguments, mut current, mut open, mut quoted) = (Vec::new(), String::new(), false, false);
        let mut rest = line.chars().peekable();
        while let Some(character) = rest.next() {
            match character {
                ' ' | '\t' if !quoted => {
                    if open {
                        arguments.push(std::mem::take(&mut current));
                    }
                    open = false;
                }
                '\\' => {
                    let mut count = 1;
                    while rest.next_if_eq(&'\\').is_some() {
                        count += 1;
                    }
                    open = true;
                    if rest.peek() == Some(&'"') {
                        current.push_str(&"\\".repeat(count / 2));
                        if count % 2 == 1 {
                            rest.next();
                            current.push('"');
                        }
                    } else {
                        current.push_str(&"\\".repeat(count));
                    }
                }
                '"' => (open, quoted) = (true, !quoted),
                other => {
                    open = true;
                    current.push(other);
                }
            }
        }
        if open {
            arguments.push(current);
        }
        arguments
    }

    /// R7: whatever the arguments hold, the program gets them as they are.
    #[test]
    fn arguments_come_through() {
        let arguments = [
            "p.exe",
            "",
            "a b",
            "a\"b",
            "\\",
            "a\\",
            "a b\\",
            "\\\"",
            "a\\\\\"b c",
            "\"",
            "C:\\x y\\",
            "\t",
            "é 你",
            "%PATH%",
            "a\\\\b",
        ];
        let line = command_line(arguments);
        assert_eq!(parsed(&line), arguments);
        insta::assert_snapshot!(line);
    }

    /// R7: the system counts UTF-16 units.
    #[test]
    fn the_longest_line() {
        assert!(fits(&"x".repeat(LONGEST)) && !fits(&"x".repeat(LONGEST + 1)));
        assert!(fits(&"𐍈".repeat(LONGEST / 2)) && !fits(&"𐍈".repeat(LONGEST / 2 + 1)));
    }

    /// R7: the system's own reading is the one above.
    #[cfg(windows)]
    #[test]
    fn the_system_agrees() {
        use windows_sys::Win32::Foundation::LocalFree;
        use windows_sys::Win32::UI::Shell::CommandLineToArgvW;
        let arguments =
            ["p.exe", "", "a b", "a\"b", "a b\\", "\\\"", "a\\\\\"b c", "\"", "C:\\x y\\", "é 你"];
        let line: Vec<u16> = command_line(arguments).encode_utf16().chain([0]).collect();
        let mut count = 0;
        // SAFETY: the line ends with a NUL; the call gives so many strings, each ended by a NUL, in one block to free.
        let read: Vec<String> = unsafe {
            let list = CommandLineToArgvW(line.as_ptr(), &raw mut count);
            let read = (0..usize::try_from(count).unwrap()).map(|place| {
                let text = *list.add(place);
                let length = (0..).take_while(|at| *text.add(*at) != 0).count();
                String::from_utf16(std::slice::from_raw_parts(text, length)).unwrap()
            });
            let read = read.collect();
            LocalFree(list.cast());
            read
        };
        assert_eq!(read, arguments);
    }
}
