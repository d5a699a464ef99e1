//! Model servers that run on this machine. Loopback only: nothing else is ever probed.

use super::catalog::{PROVIDERS, Provider};
use super::model_list::list_models_within;
use crate::model::http::{Connection, Timeouts};
use futures_util::future::join_all;
use std::time::Duration;

/// How long a port may take to answer; a server on this machine needs far less.
const PATIENCE: Duration = Duration::from_millis(1500);

/// A server that answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalServer {
    /// Which of the known ones its port says it is.
    pub provider: &'static Provider,
    /// Its models.
    pub models: Vec<String>,
}

/// Asks the usual ports of this machine for their models; those that give a list are servers.
pub async fn local_servers() -> Vec<LocalServer> {
    let probes = PROVIDERS.iter().filter(|provider| provider.is_local()).map(|provider| async move {
        let connection = Connection {
            base_url: provider.base_url.to_owned(),
            timeouts: Timeouts { connect: PATIENCE, ..Timeouts::default() },
            ..Connection::default()
        };
        let models = list_models_within(provider.wire, &connection, PATIENCE).await.ok()?;
        Some(LocalServer { provider, models })
    });
    join_all(probes).await.into_iter().flatten().collect()
}
