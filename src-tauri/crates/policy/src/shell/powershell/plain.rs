//! Wildcards and script blocks, as far as they are plain enough to be understood.

/// Operators between values that compute and change nothing (about_Operators), wherever a value may stand.
pub(super) const PURE_OPERATORS: &[&str] = &[
    "-eq",
    "-ne",
    "-gt",
    "-ge",
    "-lt",
    "-le",
    "-like",
    "-notlike",
    "-match",
    "-notmatch",
    "-ceq",
    "-cmatch",
    "-contains",
    "-notcontains",
    "-in",
    "-notin",
    "-and",
    "-or",
    "-replace",
    "-split",
    "-join",
    "-f",
];

/// PowerShell's wildcards (about_Wildcards) without character ranges: those match everything here.
pub(super) fn wildcard_matches(pattern: &str, name: &str) -> bool {
    fn matches(pattern: &[char], name: &[char]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some(('[', _)) => true,
            Some(('*', rest)) => {
                matches(rest, name) || name.split_first().is_some_and(|(_, name)| matches(pattern, name))
            }
            Some((one, rest)) => name
                .split_first()
                .is_some_and(|(first, name)| (*one == '?' || one == first) && matches(rest, name)),
        }
    }
    if pattern.chars().filter(|one| *one == '*').count() > 4 {
        return true;
    }
    matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
}

/// Whether the file system itself may find `name` by `pattern`, both lower case, as for `-Filter` and `findstr`: a dot
/// and `?` may stand for nothing at a name's end, `<`, `>` and `"` are wildcards too (`FsRtlIsNameInExpression`), and a
/// file is also found by its short name (`ENV~1` for `.env`, `KEYS~1.JSO` for `keys.json`).
pub(super) fn file_system_may_match(pattern: &str, name: &str) -> bool {
    let is_star = |one: char| matches!(one, '*' | '?' | '<' | '>' | '"');
    let without_dots = |text: &str| text.replace('.', "");
    let pattern: String = pattern.chars().map(|one| if is_star(one) { '*' } else { one }).collect();
    if wildcard_matches(&without_dots(&pattern), &without_dots(name)) {
        return true;
    }
    let (base, extension) = pattern.rsplit_once('.').unwrap_or((&pattern, "*"));
    let long = name.trim_start_matches('.');
    let short_extension: String =
        long.rsplit_once('.').map_or("", |(_, extension)| extension).chars().take(3).collect();
    // A short name keeps at least two characters of the long one, then has a tilde.
    let start = base.trim_start_matches('.').split(['*', '[', '~']).next().unwrap_or_default();
    base.contains(['*', '[', '~'])
        && wildcard_matches(extension, &short_extension)
        && start.chars().zip(without_dots(long).chars()).take(2).all(|(one, other)| one == other)
}

/// A condition on `$_` and its properties: no call, no command, no other variable.
pub(super) fn is_plain_block(text: &str) -> bool {
    const MORE: &[&str] = &["-cne", "-clike", "-ieq", "-ilike", "-imatch", "-xor", "-not"];
    let mut rest = text.trim();
    if !text.is_ascii() || rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let Some(after) = plain_token(rest, MORE) else { return false };
        rest = after.trim_start_matches([' ', '\t']);
    }
    true
}

/// What is left after one harmless token.
fn plain_token<'text>(text: &'text str, more_operators: &[&str]) -> Option<&'text str> {
    let first = text.chars().next()?;
    match first {
        '\'' => text.get(1..)?.split_once('\'').map(|(_, rest)| rest),
        '"' => {
            let (inner, rest) = text.get(1..)?.split_once('"')?;
            is_plain_string(inner).then_some(rest)
        }
        '$' => {
            let end = text
                .get(1..)?
                .find(|one: char| !(one.is_ascii_alphanumeric() || one == '_' || one == '.'))
                .map_or(text.len(), |end| end + 1);
            let (variable, rest) = text.split_at_checked(end)?;
            let name = variable.split('.').next()?.to_ascii_lowercase();
            let known = matches!(name.as_str(), "$_" | "$psitem" | "$true" | "$false" | "$null");
            let method = variable.rsplit('.').next().unwrap_or_default();
            let plain = variable.split('.').skip(1).all(|name| !name.eq_ignore_ascii_case(ENVIRONMENT));
            let known = known && plain;
            if known && variable.contains('.') && is_text_method(method) && rest.starts_with('(') {
                return call_of_constants(rest);
            }
            (known && !rest.starts_with(['(', '[', ':', '=', '{', '+', '-'])).then_some(rest)
        }
        '-' => {
            let end =
                text.get(1..)?.find(|one: char| !one.is_ascii_alphabetic()).map_or(text.len(), |end| end + 1);
            let (word, rest) = text.split_at_checked(end)?;
            let word = word.to_ascii_lowercase();
            [PURE_OPERATORS, more_operators]
                .iter()
                .any(|table| table.contains(&word.as_str()))
                .then_some(rest)
        }
        '0'..='9' => {
            let end =
                text.find(|one: char| !(one.is_ascii_alphanumeric() || one == '.')).unwrap_or(text.len());
            text.get(end..)
        }
        ',' | '!' => text.get(1..),
        _ => None,
    }
}

/// The inside of a string in double quotes: what it expands is `$_`, or a plain expression in `$(…)`.
fn is_plain_string(text: &str) -> bool {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        if before.contains('`') {
            return false;
        }
        rest = match after.strip_prefix('(') {
            Some(inner) => match inner.split_once(')') {
                Some((inner, rest)) if is_plain_block(inner) && !inner.contains('(') => rest,
                Some(_) | None => return false,
            },
            None => {
                let end = after
                    .find(|one: char| !(one.is_ascii_alphanumeric() || matches!(one, '_' | ':')))
                    .unwrap_or(after.len());
                let Some((name, rest)) = after.split_at_checked(end) else { return false };
                if !matches!(name.to_ascii_lowercase().as_str(), "_" | "psitem") {
                    return false;
                }
                rest
            }
        };
    }
    !rest.contains('`')
}

/// The property of a process that holds this process's environment (Windows PowerShell 5.1).
const ENVIRONMENT: &str = "startinfo";

/// Whether the property `name` says nothing of the environment, and is spelled as plain ones are.
pub(super) fn is_plain_property(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !name.eq_ignore_ascii_case(ENVIRONMENT)
}

/// Whether a property that `pattern` names, wildcards included, holds the environment.
pub(super) fn may_name_environment(pattern: &str) -> bool {
    pattern != "*" && wildcard_matches(&pattern.to_lowercase(), ENVIRONMENT)
}

/// Methods of texts that only compute, and that no other type has with an effect.
const TEXT_METHODS: &[&str] = &[
    "trim",
    "trimstart",
    "trimend",
    "toupper",
    "tolower",
    "startswith",
    "endswith",
    "contains",
    "indexof",
    "substring",
    "padleft",
    "padright",
    "tostring",
    "split",
];

/// What is left after `('a', 1)`, and after further methods of texts.
pub(super) fn call_of_constants(text: &str) -> Option<&str> {
    let (arguments, rest) = text.strip_prefix('(')?.split_once(')')?;
    let constant = |one: &str| {
        let one = one.trim();
        one.bytes().all(|byte| byte.is_ascii_digit())
            || ['\'', '"'].iter().any(|quote| {
                one.strip_prefix(*quote)
                    .and_then(|one| one.strip_suffix(*quote))
                    .is_some_and(|inner| !inner.contains(['\'', '"', '$', '`', '(']))
            })
    };
    if !arguments.split(',').all(constant) {
        return None;
    }
    let Some(next) = rest.strip_prefix('.') else {
        return (!rest.starts_with(['[', '(', ':'])).then_some(rest);
    };
    let end = next.find(|one: char| !one.is_ascii_alphanumeric()).unwrap_or(next.len());
    let (name, after) = next.split_at_checked(end)?;
    match after.starts_with('(') {
        true if is_text_method(name) => call_of_constants(after),
        true => None,
        false => (!name.is_empty() && !after.starts_with(['.', '[', ':'])).then_some(after),
    }
}

/// Whether `name` is a method of texts that only computes.
pub(super) fn is_text_method(name: &str) -> bool {
    TEXT_METHODS.contains(&name.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::{file_system_may_match, is_plain_block, wildcard_matches};

    #[test]
    fn plain_blocks() {
        for plain in [
            "$_.Length -gt 1kb",
            " $_.Name -like '*.rs' -and -not $_.PSIsContainer ",
            "$_",
            "$_.Extension -eq \".md\"",
            "$_.Trim()",
            "$_.StartsWith('a') -and $_.Length -gt 3",
            "$_.BaseName.ToUpper()",
            "$_.Name.ToLower().Contains('a')",
            "$_.Name.Split('.').Length -gt 1",
            "\"> $_ <\"",
            "\"$($_.Name): $($_.Length)\"",
        ] {
            assert!(is_plain_block(plain), "{plain}");
        }
        for other in [
            "",
            "$_.Delete()",
            "$_.Replace('a', 'b')",
            "$_.Trim().Delete()",
            "$_.Directory.Trim((ri x))",
            "$_.Split($(ri x))",
            "ri $_",
            "$_.Name = 'x'",
            "$x",
            "& $_",
            "$(ri x)",
            "$_; ri x",
            "$_.Name[0]",
            "\"$(ri)\"",
            "\"$($_.Delete())\"",
            "\"$env:KEY\"",
            "\"$x\"",
            "\"${_}\"",
            "\"`$_\"",
            "\"$_$(ri x)\"",
            "$_.Directory.Delete()",
            "$_.Name.Trim().Delete()",
            "$_.Name.Trim().X.Delete()",
            "$_.Name.Trim()[0]",
            "$_.Name.Trim().Replace('a', 'b')",
            "$_++",
            "$_.StartInfo.EnvironmentVariables",
            "\"$($_.startinfo.Environment)\"",
            "$_.StartInfo.Environment.ToString()",
            "[a]::b",
        ] {
            assert!(!is_plain_block(other), "{other}");
        }
    }

    #[test]
    fn wildcards() {
        assert!(wildcard_matches("*.rs", "a.rs"));
        assert!(wildcard_matches("*", ".env"));
        assert!(!wildcard_matches("*.rs", ".env"));
        assert!(wildcard_matches(".e[n]v", ".env"));
        assert!(wildcard_matches(".en?", ".env"));
    }

    #[test]
    fn wildcards_of_the_file_system() {
        for (pattern, name, may) in [
            ("*.rs", "a.rs", true),
            ("*.rs", ".env", false),
            ("*.rs", "id_rsa", false),
            ("*.", "id_rsa", true),
            ("*.*", "id_rsa", true),
            ("id_rsa.*", "id_rsa", true),
            ("id_rsa??", "id_rsa", true),
            ("id_rsa.", "id_rsa", true),
            ("id_rs<", "id_rsa", true),
            ("e*", ".env", true),
            ("env~1", ".env", true),
            ("*.loc", ".env.local", true),
            ("*.jso", "credentials.json", true),
            ("cr*.jso", "credentials.json", true),
            ("cx*.jso", "credentials.json", false),
            ("*.toml", "credentials.json", false),
            ("credentials", "credentials.json", false),
        ] {
            assert_eq!(file_system_may_match(pattern, name), may, "{pattern} {name}");
        }
    }
}
