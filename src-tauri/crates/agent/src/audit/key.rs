//! Where the chain's key lives: the OS keychain, else a file only its owner can read.

use crate::audit::AuditError;
use crate::audit::chain::ChainKey;
use crate::secret::Keychain;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

/// Keeps keys by name. What it can't give back must be an error, never a new key.
pub trait KeyStore: Send + Sync {
    /// Keeps a key under `name` and says where: `keychain` or `file`.
    ///
    /// # Errors
    /// When no place takes it.
    fn create(&self, name: &str, key: &[u8; ChainKey::LENGTH]) -> Result<KeyPlace, AuditError>;

    /// The key that was kept under `name` at `place`.
    ///
    /// # Errors
    /// When it is out of reach.
    fn load(&self, name: &str, place: KeyPlace) -> Result<[u8; ChainKey::LENGTH], AuditError>;
}

/// Where a key is; recorded in the log when it is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyPlace {
    /// The OS keychain.
    Keychain,
    /// `audit-NAME.key` in the data folder, mode 0600.
    File,
}

impl KeyPlace {
    /// The word in the log.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Keychain => "keychain",
            Self::File => "file",
        }
    }

    /// Reads [`Self::as_str`] back.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "keychain" => Some(Self::Keychain),
            "file" => Some(Self::File),
            _ => None,
        }
    }
}

/// The keychain where one answers, else the file.
#[derive(Clone, Debug)]
pub struct SystemKeys {
    folder: PathBuf,
    keychain: Keychain,
    /// New keys go to the file.
    file_only: bool,
}

/// The service name of our keychain entries.
const SERVICE: &str = "assent-audit";

impl SystemKeys {
    /// Keys of the data folder `data`.
    #[must_use]
    pub fn new(data: &std::path::Path) -> Self {
        Self { folder: data.to_owned(), keychain: Keychain::new(SERVICE), file_only: false }
    }

    /// The same, but new keys go to the file (no keychain wanted, or none to be disturbed).
    #[must_use]
    pub fn file_only(data: &std::path::Path) -> Self {
        Self { file_only: true, ..Self::new(data) }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("audit-{name}.key"))
    }

    fn write_file(&self, name: &str, key: &[u8; ChainKey::LENGTH]) -> std::io::Result<()> {
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(self.file(name))?;
        file.write_all(to_hex(key).as_bytes())?;
        file.sync_all()
    }

    fn read_file(&self, name: &str) -> Result<[u8; ChainKey::LENGTH], String> {
        let path = self.file(name);
        let shown = path.display();
        let text = fs::read_to_string(&path).map_err(|error| format!("{shown}: {error}"))?;
        #[cfg(unix)]
        {
            let mode = fs::metadata(&path)
                .map(|meta| std::os::unix::fs::PermissionsExt::mode(&meta.permissions()))
                .map_err(|error| format!("{shown}: {error}"))?;
            if mode & 0o077 != 0 {
                return Err(format!("{shown}: others can read it (mode {:03o}, wanted 600)", mode & 0o777));
            }
        }
        from_hex(text.trim()).ok_or_else(|| format!("{shown}: not a key"))
    }
}

impl KeyStore for SystemKeys {
    fn create(&self, name: &str, key: &[u8; ChainKey::LENGTH]) -> Result<KeyPlace, AuditError> {
        if !self.file_only {
            let kept = self.keychain.set(name, &to_hex(key)).and_then(|()| self.keychain.get(name));
            if kept.is_ok_and(|kept| kept == to_hex(key)) {
                return Ok(KeyPlace::Keychain);
            }
        }
        self.write_file(name, key)
            .map_err(|error| AuditError::Key(format!("write {}: {error}", self.file(name).display())))?;
        Ok(KeyPlace::File)
    }

    fn load(&self, name: &str, place: KeyPlace) -> Result<[u8; ChainKey::LENGTH], AuditError> {
        match place {
            KeyPlace::Keychain => self
                .keychain
                .get(name)
                .map_err(|error| AuditError::Key(format!("the keychain doesn't give it: {error}")))
                .and_then(|text| {
                    from_hex(&text).ok_or_else(|| AuditError::Key("the keychain gave no key".to_owned()))
                }),
            KeyPlace::File => self.read_file(name).map_err(AuditError::Key),
        }
    }
}

fn to_hex(key: &[u8; ChainKey::LENGTH]) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<[u8; ChainKey::LENGTH]> {
    crate::audit::chain::Mac::from_hex(text).map(|mac| *mac.as_bytes())
}
