//! Running the sandbox's Windows tests on Linux. Wine is not Windows: what passes here is wiring (starts, ends, streams,
//! jobs, quoting), not what Windows holds.

use crate::run;
use anyhow::{Context as _, Result, bail};
use std::path::Path;

const TARGET: &str = "x86_64-pc-windows-gnu";

/// What wine 8 lacks of what the standard library links to: the source of random numbers.
const RANDOM: &str = "#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T size) {
    return SystemFunction036(to, (ULONG)size);
}
";

/// Builds and runs them.
pub fn run() -> Result<bool> {
    for program in ["wine", "x86_64-w64-mingw32-gcc"] {
        if !run::exists(program) {
            bail!("`{program}` was not found (Debian: wine64, gcc-mingw-w64-x86-64-win32)");
        }
    }
    let folder = run::target().join("cross");
    std::fs::create_dir_all(&folder)?;
    let source = folder.join("random.c");
    std::fs::write(&source, RANDOM).context("write the missing library's source")?;
    // Beside the programs: what they start has no variable that names another folder.
    let programs = run::target().join(TARGET).join("debug");
    for folder in [programs.join("deps"), programs] {
        std::fs::create_dir_all(&folder)?;
        let mut compile = run::command("x86_64-w64-mingw32-gcc", &["-shared", "-o"]);
        compile.arg(folder.join("bcryptprimitives.dll")).arg(&source).arg("-ladvapi32");
        run::must(&mut compile, "What the compiler said is above")?;
    }
    let words = ["test", "-p", "assent-sandbox", "--target", TARGET, "--lib", "--test", "windows"];
    let mut command = run::command("cargo", &words);
    command
        .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine")
        .env("WINEPREFIX", folder.join("wine"))
        .env("WINEDEBUG", "-all")
        // Snapshots are found by a path of Windows, compared, and never written.
        .env("INSTA_WORKSPACE_ROOT", windows_path(&run::root()))
        .env("INSTA_UPDATE", "no");
    run::succeeds(&mut command)
}

/// A path as Windows programs name it under wine, where `Z:` is the root folder.
fn windows_path(path: &Path) -> String {
    format!("Z:{}", path.display().to_string().replace('/', "\\"))
}

#[cfg(test)]
mod tests {
    use super::{Path, windows_path};

    #[test]
    fn the_root_folder_is_a_drive() {
        assert_eq!(windows_path(Path::new("/home/u/assent")), r"Z:\home\u\assent");
    }
}
