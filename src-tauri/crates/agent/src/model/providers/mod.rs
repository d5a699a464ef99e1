//! The servers people use: where they are, what they speak, which are running here, which models they have, and
//! whether a model can really call tools.

mod catalog;
mod connection_test;
mod discovery;
mod model_list;

pub use catalog::{PROVIDERS, Provider, id_form, provider};
pub use connection_test::{ConnectionReport, ToolUse, test_connection};
pub use discovery::{LocalServer, local_servers};
pub use model_list::list_models;
