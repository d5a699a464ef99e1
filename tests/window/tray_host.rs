//! A place for tray icons on the session bus, and a hand that picks from their menus.
//!
//! The protocols: <https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem/> and the XML of
//! `com.canonical.dbusmenu`.

use crate::driver::until;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use zbus::message::Header;
use zbus::{Connection, ObjectPath, OwnedObjectPath, OwnedVariant, Proxy, Variant, interface};

const NAME: &str = "org.kde.StatusNotifierWatcher";
const PATH: &str = "/StatusNotifierWatcher";

/// Connection and object of the icon that was put up last.
type Icon = (String, String);

/// A menu entry as the protocol has it: number, properties, children.
type Entry = (i32, HashMap<String, OwnedVariant>, Vec<OwnedVariant>);

/// The running host.
pub struct TrayHost {
    bus: Connection,
    icon: Arc<Mutex<Option<Icon>>>,
}

impl TrayHost {
    /// Serves on the session bus at `address`.
    pub async fn start(address: &str) -> anyhow::Result<Self> {
        let icon = Arc::<Mutex<Option<Icon>>>::default();
        let service = Watcher { icon: Arc::clone(&icon) };
        let bus =
            zbus::connection::Builder::address(address).serve_at(PATH, service).name(NAME).build().await?;
        Ok(Self { bus, icon })
    }

    /// The entries of the icon's menu that can be picked or read, once one of them is `label`.
    pub async fn menu_with(&self, label: &str) -> anyhow::Result<Vec<String>> {
        let entries = self.entries_with(label).await?;
        Ok(entries.into_iter().map(|(_, label)| label).collect())
    }

    /// Picks the entry `label` as soon as it is there.
    pub async fn pick(&self, label: &str) -> anyhow::Result<()> {
        let entries = self.entries_with(label).await?;
        for (id, _) in entries.into_iter().filter(|(_, name)| name == label) {
            let clicked = (id, "clicked", Variant::from(0_i32), 0_u32);
            self.menu().await?.call::<_, _, ()>("Event", &clicked).await?;
        }
        Ok(())
    }

    /// Waits until the text beside the icon is `wanted`.
    pub async fn label_is(&self, wanted: &str) -> anyhow::Result<()> {
        until(&format!("the label {wanted:?} in the tray"), || async {
            let label: String = self.item().await?.get_property("XAyatanaLabel").await?;
            Ok((label == wanted).then_some(()))
        })
        .await
    }

    async fn entries_with(&self, label: &str) -> anyhow::Result<Vec<(i32, String)>> {
        until(&format!("the tray's menu to have {label:?}"), || async {
            // Its menu is made anew when something waits; in between there is none.
            let entries = self.entries().await.unwrap_or_default();
            Ok(entries.iter().any(|(_, name)| name == label).then_some(entries))
        })
        .await
    }

    async fn entries(&self) -> anyhow::Result<Vec<(i32, String)>> {
        let wanted: &[&str] = &["label"];
        let (_, (_, _, children)): (u32, Entry) =
            self.menu().await?.call("GetLayout", &(0_i32, -1_i32, wanted)).await?;
        let mut entries = Vec::new();
        for child in children {
            let (id, properties, _) = Entry::try_from(child)?;
            if let Some(label) = properties.get("label") {
                entries.push((id, <&str>::try_from(label)?.replace('_', "")));
            }
        }
        Ok(entries)
    }

    async fn menu(&self) -> anyhow::Result<Proxy<'static>> {
        let item = self.item().await?;
        let path: OwnedObjectPath = item.get_property("Menu").await?;
        let owner = item.destination().to_string();
        self.proxy(owner, path.into_inner(), "com.canonical.dbusmenu").await
    }

    async fn item(&self) -> anyhow::Result<Proxy<'static>> {
        let (owner, path) =
            until("an icon in the tray", || async { Ok(self.icon.lock().unwrap().clone()) }).await?;
        self.proxy(owner, ObjectPath::try_from(path)?, "org.kde.StatusNotifierItem").await
    }

    async fn proxy(
        &self,
        owner: String,
        path: ObjectPath<'static>,
        interface: &'static str,
    ) -> anyhow::Result<Proxy<'static>> {
        let builder = zbus::proxy::Builder::new(&self.bus).destination(owner).path(path).interface(interface);
        Ok(builder.cache_properties(zbus::proxy::CacheProperties::No).build().await?)
    }
}

struct Watcher {
    icon: Arc<Mutex<Option<Icon>>>,
}

#[interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    fn register_status_notifier_item(&self, service: String, #[zbus(header)] header: Header<'_>) {
        let sender = header.sender().map(ToString::to_string).unwrap_or_default();
        *self.icon.lock().unwrap() = Some((sender, service));
    }

    fn register_status_notifier_host(&self, _service: String) {}

    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        Vec::new()
    }

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }
}
