//! Paths in the form that programs expect: real paths come with a prefix (`\\?\`) that many can't start in.

/// The same path without the prefix, where that means the same ("Naming Files, Paths, and Namespaces", Microsoft
/// Learn): short enough, and no part that the usual rules would change or take for a device.
#[must_use]
pub fn plain(path: &str) -> String {
    /// `MAX_PATH` for a folder, less the room for a short file name.
    const LONGEST: usize = 247;
    let Some(rest) = path.strip_prefix(r"\\?\") else { return path.to_owned() };
    let share = rest.strip_prefix(r"UNC\");
    let parts = share.unwrap_or_else(|| rest.get(3..).unwrap_or_default());
    let drive = matches!(rest.as_bytes(), [letter, b':', b'\\', ..] if letter.is_ascii_alphabetic());
    let same = parts.split('\\').enumerate().all(|(place, part)| is_usual(part, place));
    let plain = share.map_or_else(|| rest.to_owned(), |share| format!(r"\\{share}"));
    if (drive || share.is_some()) && same && plain.encode_utf16().count() <= LONGEST {
        plain
    } else {
        path.to_owned()
    }
}

fn is_usual(part: &str, place: usize) -> bool {
    if part.is_empty() {
        return place == 0;
    }
    let stem = part.split('.').next().unwrap_or(part).trim_end_matches(' ').to_uppercase();
    let numbered = ["COM", "LPT"].iter().any(|name| {
        stem.strip_prefix(name).is_some_and(|rest| {
            rest.chars().count() == 1 && rest.chars().all(|digit| "0123456789¹²³".contains(digit))
        })
    });
    let device = numbered || matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$");
    !device && !part.ends_with(['.', ' ']) && !part.contains('/') && part != "." && part != ".."
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R12: a path loses its prefix only where it stays the same path.
    #[test]
    fn forms() {
        for (path, expected) in [
            (r"\\?\C:\Users\u\w", r"C:\Users\u\w"),
            (r"\\?\C:\", r"C:\"),
            (r"\\?\UNC\server\share\w", r"\\server\share\w"),
            (r"C:\w", r"C:\w"),
            (r"\\?\C:\w\nul", r"\\?\C:\w\nul"),
            (r"\\?\C:\w\Com1.txt", r"\\?\C:\w\Com1.txt"),
            (r"\\?\C:\w\com10", r"C:\w\com10"),
            (r"\\?\C:\w\end.", r"\\?\C:\w\end."),
            (r"\\?\C:\w\end ", r"\\?\C:\w\end "),
            (r"\\?\C:\w\a/b", r"\\?\C:\w\a/b"),
            (r"\\?\C:\w\..\x", r"\\?\C:\w\..\x"),
            (r"\\?\Volume{1-2}\w", r"\\?\Volume{1-2}\w"),
            (r"\\?\你:\w", r"\\?\你:\w"),
            (r"\\?\", r"\\?\"),
        ] {
            assert_eq!(plain(path), expected);
        }
        let long = format!(r"\\?\C:\{}", r"folder\".repeat(40));
        assert_eq!(plain(&long), long);
    }
}
