//! The Windows backend: limits, no profile. A job object bounds and ends the process tree, the token is weaker than the
//! app's own, and windows of other programs are out of reach; files and the network are not confined. So a profile
//! counts as held nowhere, and a command runs like this only where a person allowed it knowing so.
//!
//! ```text
//! caller ──two pipes──► supervisor (the helper) ──job object──► command
//! ```
//! Only the supervisor holds the job, and the job ends with its last handle: whatever becomes of the supervisor,
//! nothing of the tree outlives it. What needs no system call here is compiled and tested on every system.

pub mod command_line;
pub mod environment;
pub mod job_plan;
pub mod lookup;
pub mod plain_path;
pub mod token_plan;

#[cfg(windows)]
mod desktop;
#[cfg(windows)]
mod job;
#[cfg(windows)]
mod link;
#[cfg(windows)]
mod process;
#[cfg(windows)]
mod self_test;
#[cfg(windows)]
mod supervise;
#[cfg(windows)]
mod sys;
#[cfg(windows)]
mod token;

#[cfg(windows)]
pub(crate) use backend::Windows;

#[cfg(windows)]
mod backend {
    //! This system's side of the trait.

    use super::{link, self_test, supervise};
    use crate::backend::{Backend, HandedOver};
    use crate::report::SandboxReport;
    use crate::start::{Sandbox, StartError};
    use crate::wire::Order;
    use std::io::PipeWriter;
    use std::path::Path;

    /// A job object and a restricted token.
    pub(crate) struct Windows;

    impl Backend for Windows {
        type Link = link::Pipes;

        fn hand_over(
            helper: &Path,
            order: Order,
            output: PipeWriter,
            errors: PipeWriter,
        ) -> Result<HandedOver<link::Pipes>, StartError> {
            link::hand_over(helper, order, &output, &errors)
        }

        fn carry_out() -> i32 {
            supervise::run()
        }

        fn probe(targets: &str) -> Option<String> {
            self_test::probe(targets)
        }

        fn self_test(sandbox: &Sandbox) -> SandboxReport {
            self_test::run(sandbox)
        }
    }
}
