//! An environment as `CreateProcessW` takes it ("Changing Environment Variables", Microsoft Learn): `NAME=VALUE` in
//! UTF-16, each ended by a NUL, sorted by upper-case name, ended by one more.

/// Why an environment can't be handed over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentError {
    /// A name is empty, or holds `=` or NUL.
    #[error("`{0}` is no name of a variable")]
    Name(String),
    /// A value holds NUL.
    #[error("the value of `{0}` holds a NUL")]
    Value(String),
}

/// The block for these variables. Names that differ in case only are one variable; the last one counts.
///
/// # Errors
/// A variable that the block can't hold.
pub fn block<'a>(
    variables: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Vec<u16>, EnvironmentError> {
    let mut sorted = std::collections::BTreeMap::new();
    for (name, value) in variables {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(EnvironmentError::Name(name.to_owned()));
        }
        if value.contains('\0') {
            return Err(EnvironmentError::Value(name.to_owned()));
        }
        sorted.insert(name.to_uppercase(), (name, value));
    }
    let mut block: Vec<u16> = Vec::new();
    for (name, value) in sorted.values() {
        block.extend(name.encode_utf16().chain([u16::from(b'=')]).chain(value.encode_utf16()).chain([0]));
    }
    // An empty block is two of them.
    if block.is_empty() {
        block.push(0);
    }
    block.push(0);
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R52: the block is sorted, holds each name once, and ends as the system expects.
    #[test]
    fn blocks() {
        let text = |variables: &[(&str, &str)]| {
            String::from_utf16(&block(variables.iter().copied()).unwrap()).unwrap()
        };
        for (variables, expected) in [
            (&[][..], "\0\0"),
            (&[("A", "")], "A=\0\0"),
            (
                &[("b", "2"), ("A", "1"), ("SystemRoot", r"C:\Windows")],
                "A=1\0b=2\0SystemRoot=C:\\Windows\0\0",
            ),
            (&[("Path", "one"), ("PATH", "two")], "PATH=two\0\0"),
            (&[("X", "a=b 你")], "X=a=b 你\0\0"),
        ] {
            assert_eq!(text(variables), expected, "{variables:?}");
        }
    }

    /// R52: a value can't smuggle in a further variable.
    #[test]
    fn what_no_block_can_hold() {
        let refused = |name, value| block([(name, value)]).unwrap_err();
        assert_eq!(refused("A\0B", "x"), EnvironmentError::Name("A\0B".to_owned()));
        assert_eq!(refused("", "x"), EnvironmentError::Name(String::new()));
        assert_eq!(refused("A=B", "x"), EnvironmentError::Name("A=B".to_owned()));
        assert_eq!(refused("A", "x\0PATH=y"), EnvironmentError::Value("A".to_owned()));
    }
}
