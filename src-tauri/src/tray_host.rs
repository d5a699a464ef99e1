//! Whether somebody shows tray icons just now. On Linux a desktop may not (GNOME as it comes): a window that goes to the
//! tray there is gone.

#[cfg(target_os = "linux")]
mod watcher {
    use std::time::Duration;
    use zbus::{Connection, Proxy};

    /// Who knows of it: <https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem/StatusNotifierWatcher/>.
    const NAME: &str = "org.kde.StatusNotifierWatcher";
    const PATH: &str = "/StatusNotifierWatcher";
    /// How long the bus may take.
    const PATIENCE: Duration = Duration::from_secs(1);

    pub async fn has_host() -> bool {
        match tokio::time::timeout(PATIENCE, ask()).await {
            Ok(Ok(there)) => there,
            Ok(Err(error)) => {
                tracing::info!(%error, "nobody shows tray icons");
                false
            }
            Err(_) => false,
        }
    }

    async fn ask() -> zbus::Result<bool> {
        let bus = Connection::session().await?;
        Proxy::new(&bus, NAME, PATH, NAME).await?.get_property("IsStatusNotifierHostRegistered").await
    }
}

/// Whether a tray icon can be seen.
#[cfg(target_os = "linux")]
pub async fn is_there() -> bool {
    watcher::has_host().await
}

/// Whether a tray icon can be seen: these systems always have a place for it.
#[cfg(not(target_os = "linux"))]
pub async fn is_there() -> bool {
    true
}
