//! Character references (HTML, Named character references).

/// `text` with its character references resolved.
pub(super) fn resolved(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (plain, reference) = rest.split_at(at);
        out.push_str(plain);
        let body = reference.strip_prefix('&').unwrap_or_default();
        let length =
            body.char_indices().take(32).find(|(_, it)| *it == ';').map(|(at, _)| at).unwrap_or_default();
        let name = body.get(..length).unwrap_or_default();
        if let Some(character) = reference_of(name) {
            out.push(character);
            rest = body.get(length + 1..).unwrap_or_default();
        } else {
            out.push('&');
            rest = body;
        }
    }
    out.push_str(rest);
    out
}

fn reference_of(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
            None => number.parse(),
        };
        return code.ok().and_then(char::from_u32).filter(|it| *it != '\0');
    }
    NAMED.iter().find(|(known, _)| *known == name).map(|(_, character)| *character)
}

/// The character references people write by name.
const NAMED: &[(&str, char)] = &[
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("copy", '©'),
    ("reg", '®'),
    ("trade", '™'),
    ("deg", '°'),
    ("para", '¶'),
    ("sect", '§'),
    ("middot", '·'),
    ("bull", '•'),
    ("hellip", '…'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("larr", '←'),
    ("rarr", '→'),
    ("uarr", '↑'),
    ("darr", '↓'),
    ("times", '×'),
    ("divide", '÷'),
    ("plusmn", '±'),
    ("le", '≤'),
    ("ge", '≥'),
    ("ne", '≠'),
    ("euro", '€'),
    ("pound", '£'),
    ("yen", '¥'),
    ("micro", 'µ'),
    ("szlig", 'ß'),
    ("auml", 'ä'),
    ("ouml", 'ö'),
    ("uuml", 'ü'),
    ("Auml", 'Ä'),
    ("Ouml", 'Ö'),
    ("Uuml", 'Ü'),
    ("eacute", 'é'),
    ("egrave", 'è'),
    ("agrave", 'à'),
    ("ccedil", 'ç'),
    ("ntilde", 'ñ'),
];
