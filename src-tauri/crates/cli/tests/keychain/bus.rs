//! A session bus, and a Secret Service on it that knows no more than whether its keyring is locked: every other
//! question it answers with an error, as one that can't ask for a password does.

use anyhow::Context as _;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;
use zbus::OwnedObjectPath;

/// The state of the default keyring.
#[derive(Clone, Copy)]
pub enum Keyring {
    Open,
    Locked,
    /// There is none yet.
    None,
}

/// A bus, gone when it is dropped.
pub struct Bus {
    pub address: String,
    daemon: Child,
    service: Option<zbus::Connection>,
    _folder: TempDir,
}

const KEYRING: &str = "/org/freedesktop/secrets/collection/login";

impl Bus {
    /// A bus with nobody on it, and nobody whom it could start.
    pub fn start() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let config = folder.path().join("bus.conf");
        std::fs::write(
            &config,
            format!(
                "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\" \
                 \"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n\
                 <busconfig><type>session</type><listen>unix:path={}/bus</listen><auth>EXTERNAL</auth>\
                 <policy context=\"default\"><allow send_destination=\"*\"/><allow receive_sender=\"*\"/>\
                 <allow own=\"*\"/></policy>\
                 </busconfig>\n",
                folder.path().display(),
            ),
        )?;
        let mut daemon = Command::new("dbus-daemon")
            .args(["--nofork", "--nopidfile", "--print-address", "--config-file"])
            .arg(config)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("start dbus-daemon (is it installed?)")?;
        let mut address = String::new();
        let out = daemon.stdout.take().context("read dbus-daemon")?;
        BufReader::new(out).read_line(&mut address)?;
        Ok(Self { address: address.trim().to_owned(), daemon, service: None, _folder: folder })
    }

    /// A bus with a Secret Service.
    pub async fn with(keyring: Keyring) -> anyhow::Result<Self> {
        let mut bus = Self::start()?;
        let service = zbus::connection::Builder::address(bus.address.as_str())
            .name("org.freedesktop.secrets")
            .serve_at("/org/freedesktop/secrets", Service(keyring))
            .serve_at(KEYRING, Collection(keyring))
            .build()
            .await?;
        bus.service = Some(service);
        Ok(bus)
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        self.service = None;
        // It may have ended by itself.
        let _ended = self.daemon.kill();
        let _status = self.daemon.wait();
    }
}

struct Service(Keyring);

#[zbus::interface(name = "org.freedesktop.Secret.Service")]
impl Service {
    fn read_alias(&self, _name: &str) -> zbus::fdo::Result<OwnedObjectPath> {
        let path = match self.0 {
            Keyring::Open | Keyring::Locked => KEYRING,
            Keyring::None => "/",
        };
        OwnedObjectPath::try_from(path).map_err(|error| zbus::fdo::Error::Failed(error.to_string()))
    }
}

struct Collection(Keyring);

#[zbus::interface(name = "org.freedesktop.Secret.Collection")]
impl Collection {
    #[zbus(property)]
    fn locked(&self) -> bool {
        matches!(self.0, Keyring::Locked)
    }
}
