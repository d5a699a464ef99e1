//! A keychain on the session bus that a test can look into, and shut.
//!
//! The protocol: <https://specifications.freedesktop.org/secret-service-spec/latest/>. What it is given it gives back as it
//! came, encrypted: whoever agrees on a key with a partner whose public number is 1 gets the same key each time.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use zbus::{Connection, ObjectServer, OwnedObjectPath, OwnedVariant, Variant, fdo, interface};

const NAME: &str = "org.freedesktop.secrets";
const PATH: &str = "/org/freedesktop/secrets";
const COLLECTION: &str = "/org/freedesktop/secrets/collection/login";
const ATTRIBUTES: &str = "org.freedesktop.Secret.Item.Attributes";
/// No question to the person is needed.
const NO_PROMPT: &str = "/";

/// Session, initialization vector, encrypted value, media type.
type Sent = (OwnedObjectPath, Vec<u8>, Vec<u8>, String);

/// The running keychain.
pub struct Keychain {
    _bus: Connection,
    held: Arc<Mutex<Held>>,
}

#[derive(Default)]
struct Held {
    items: BTreeMap<u32, Kept>,
    made: u32,
    /// The service for which it takes nothing, and lets nothing go.
    shut: Option<&'static str>,
}

impl Held {
    fn ready_for(&self, attributes: &HashMap<String, String>) -> fdo::Result<()> {
        let shut = self.shut.is_some_and(|service| attributes["service"] == service);
        if shut { Err(fdo::Error::AccessDenied("it is shut".into())) } else { Ok(()) }
    }
}

struct Kept {
    attributes: HashMap<String, String>,
    secret: Sent,
}

impl Keychain {
    /// Serves on the session bus at `address`.
    pub async fn start(address: &str) -> anyhow::Result<Self> {
        let held = Arc::<Mutex<Held>>::default();
        let bus = zbus::connection::Builder::address(address)
            .serve_at(PATH, Service(Arc::clone(&held)))
            .serve_at(COLLECTION, Collection(Arc::clone(&held)))
            .name(NAME)
            .build()
            .await?;
        Ok(Self { _bus: bus, held })
    }

    /// The names under which it keeps something for `service`.
    pub fn names(&self, service: &str) -> Vec<String> {
        let held = self.held.lock().unwrap();
        let of_it = held.items.values().filter(|kept| kept.attributes["service"] == service);
        let mut names: Vec<String> = of_it.map(|kept| kept.attributes["username"].clone()).collect();
        names.sort();
        names
    }

    /// From now on it takes nothing for `service`, and lets nothing go.
    pub fn shut(&self, service: &'static str) {
        self.held.lock().unwrap().shut = Some(service);
    }

    /// It takes and lets go again.
    pub fn open(&self) {
        self.held.lock().unwrap().shut = None;
    }
}

struct Service(Arc<Mutex<Held>>);

#[interface(name = "org.freedesktop.Secret.Service")]
impl Service {
    fn open_session(
        &self,
        _algorithm: String,
        _input: OwnedVariant,
    ) -> fdo::Result<(OwnedVariant, OwnedObjectPath)> {
        let one = Variant::from(vec![1_u8]).try_into().map_err(|_| fdo::Error::Failed("no number".into()))?;
        Ok((one, path(&format!("{PATH}/session/1"))))
    }

    fn search_items(&self, wanted: HashMap<String, String>) -> (Vec<OwnedObjectPath>, Vec<OwnedObjectPath>) {
        let held = self.0.lock().unwrap();
        let fits = |kept: &Kept| wanted.iter().all(|(name, value)| kept.attributes.get(name) == Some(value));
        let found = held.items.iter().filter(|(_, kept)| fits(kept)).map(|(id, _)| item(*id));
        (found.collect(), Vec::new())
    }

    fn read_alias(&self, _name: String) -> OwnedObjectPath {
        path(COLLECTION)
    }
}

struct Collection(Arc<Mutex<Held>>);

#[interface(name = "org.freedesktop.Secret.Collection")]
impl Collection {
    async fn create_item(
        &self,
        mut properties: HashMap<String, OwnedVariant>,
        secret: Sent,
        _replace: bool,
        #[zbus(object_server)] server: &ObjectServer,
    ) -> fdo::Result<(OwnedObjectPath, OwnedObjectPath)> {
        let attributes = properties.remove(ATTRIBUTES).and_then(|given| HashMap::try_from(given).ok());
        let attributes = attributes.ok_or(fdo::Error::InvalidArgs("no attributes".into()))?;
        let id = {
            let mut held = self.0.lock().unwrap();
            held.ready_for(&attributes)?;
            held.made += 1;
            let id = held.made;
            held.items.insert(id, Kept { attributes, secret });
            id
        };
        server.at(item(id), Item { id, held: Arc::clone(&self.0) }).await?;
        Ok((item(id), path(NO_PROMPT)))
    }

    #[zbus(property)]
    fn locked(&self) -> bool {
        false
    }
}

struct Item {
    id: u32,
    held: Arc<Mutex<Held>>,
}

#[interface(name = "org.freedesktop.Secret.Item")]
impl Item {
    fn get_secret(&self, _session: OwnedObjectPath) -> fdo::Result<(Sent,)> {
        let held = self.held.lock().unwrap();
        held.items.get(&self.id).map(|kept| (kept.secret.clone(),)).ok_or_else(gone)
    }

    fn set_secret(&self, secret: Sent) -> fdo::Result<()> {
        let mut held = self.held.lock().unwrap();
        held.items.get_mut(&self.id).map(|kept| kept.secret = secret).ok_or_else(gone)
    }

    fn delete(&self) -> fdo::Result<OwnedObjectPath> {
        let mut held = self.held.lock().unwrap();
        held.ready_for(&held.items.get(&self.id).ok_or_else(gone)?.attributes)?;
        held.items.remove(&self.id);
        Ok(path(NO_PROMPT))
    }

    #[zbus(property)]
    fn locked(&self) -> bool {
        false
    }
}

fn item(id: u32) -> OwnedObjectPath {
    path(&format!("{COLLECTION}/{id}"))
}

fn path(text: &str) -> OwnedObjectPath {
    OwnedObjectPath::try_from(text).unwrap()
}

fn gone() -> fdo::Error {
    fdo::Error::Failed("there is no such item".into())
}
