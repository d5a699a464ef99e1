//! Links the helper statically where the C library can be: it starts for every command, and loading shared libraries
//! would be a tenth of its time.
//!
//! The compiler's own switch (`crt-static`) holds for a whole build, GTK and procedural macros included. So the linker is
//! told for this one program: a static, position-independent executable, with the archives in the place of the two
//! shared libraries that the standard library names.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").unwrap_or_default();
    let native = std::env::var("HOST").is_ok_and(|host| host == target);
    let Some(out) = std::env::var_os("OUT_DIR").map(PathBuf::from) else { return };
    if !native || !target.ends_with("linux-gnu") {
        return;
    }
    let found = ["libc.a", "libgcc_eh.a", "libgcc.a", "rcrt1.o"].map(archive);
    if let [Some(libc), Some(gcc_eh), Some(gcc), Some(_)] = found
        && write_scripts(&out, &libc, &gcc_eh, &gcc).is_ok()
    {
        // A weak symbol that nothing defines is null, and not the program's own first byte (`_init` calls what isn't).
        let weak = "-Wl,-z,nodynamic-undefined-weak".to_owned();
        for word in ["-static-pie".to_owned(), weak, format!("-L{}", out.display())] {
            println!("cargo::rustc-link-arg-bin=assent-sandbox={word}");
        }
    }
}

/// Where the C compiler has this file; it answers with the bare name where it has none.
fn archive(name: &str) -> Option<PathBuf> {
    let output = Command::new("cc").arg(format!("-print-file-name={name}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_absolute().then_some(path)
}

/// What the linker finds under the names of the shared libraries: linker scripts (`ld(1)`, implicit linker scripts).
fn write_scripts(folder: &Path, libc: &Path, gcc_eh: &Path, gcc: &Path) -> std::io::Result<()> {
    let all = format!("GROUP ( {} {} {} )\n", libc.display(), gcc_eh.display(), gcc.display());
    for name in ["libc.a", "libgcc_s.a"] {
        std::fs::write(folder.join(name), &all)?;
    }
    Ok(())
}
