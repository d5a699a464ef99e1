//! The helper that applies the limits and starts the command; see [`assent_sandbox::helper`].

fn main() -> std::process::ExitCode {
    assent_sandbox::helper::main()
}
