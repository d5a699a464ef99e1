//! How a text is handed to the shell.

use std::ffi::OsString;

/// A shell and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The program: a full path, or a name to be looked up in the command's `PATH`.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
}

/// This system's shell running `text`: no profile, no start-up file.
#[must_use]
pub fn of_this_system(text: &str) -> Invocation {
    if cfg!(windows) { powershell(text) } else { bash(text) }
}

/// `bash` by its usual place, so that no folder of `PATH` can put another one in front.
#[must_use]
pub fn bash(text: &str) -> Invocation {
    let usual = ["/bin/bash", "/usr/bin/bash"].into_iter().find(|path| std::path::Path::new(path).exists());
    Invocation {
        program: usual.unwrap_or("bash").into(),
        args: ["--noprofile", "--norc", "-c", text].map(OsString::from).to_vec(),
    }
}

/// Windows PowerShell. The text goes encoded, so that no quoting rule of the command line touches it, and its output
/// comes as UTF-8; the exit code is the last program's, or 1 where the last statement failed.
#[must_use]
pub fn powershell(text: &str) -> Invocation {
    let script = format!(
        "$ProgressPreference = 'SilentlyContinue'\n\
         $OutputEncoding = [Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false\n\
         {text}\n\
         if (-not $?) {{ if ($LASTEXITCODE) {{ exit $LASTEXITCODE }} else {{ exit 1 }} }}\n\
         exit 0\n"
    );
    let bytes: Vec<u8> = script.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let fixed = ["-NoLogo", "-NoProfile", "-NonInteractive", "-OutputFormat", "Text", "-EncodedCommand"];
    let args = fixed.into_iter().map(OsString::from).chain([base64(&bytes).into()]).collect();
    Invocation { program: "powershell.exe".into(), args }
}

/// Base64 (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let number = group.iter().fold(0_u32, |number, byte| (number << 8) | u32::from(*byte));
        let number = number << (8 * 3_usize.saturating_sub(group.len()));
        for place in 0..4 {
            let digit =
                usize::try_from((number >> (18 - 6 * place)) & 63).ok().and_then(|digit| DIGITS.get(digit));
            let digit = digit.filter(|_| place <= group.len()).copied().unwrap_or(b'=');
            text.push(char::from(digit));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R52: no profile and no start-up file, the text as one argument.
    #[test]
    fn bash_gets_the_text_whole() {
        let invocation = bash("echo \"a b\"; $'x'");
        assert_eq!(invocation.args, ["--noprofile", "--norc", "-c", "echo \"a b\"; $'x'"]);
    }

    /// R7: quotes and characters beyond ASCII reach PowerShell as they are.
    #[test]
    fn powershell_gets_the_text_encoded() {
        let invocation = powershell("Write-Output \"é 你\"");
        insta::assert_debug_snapshot!(invocation);
    }

    /// RFC 4648, section 10.
    #[test]
    fn base64_vectors() {
        for (plain, encoded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
    }
}
