//! What a screen reader sees of the native windows, and presses in them (AT-SPI over D-Bus).

use crate::driver::until;
use anyhow::Context as _;
use zbus::{Connection, ObjectPath, OwnedObjectPath, Proxy};

/// Bits of `org.a11y.atspi.Accessible.GetState` (at-spi2-core, `atspi-constants.h`).
const STATE_ENABLED: u32 = 8;
const STATE_FOCUSED: u32 = 12;
const STATE_HORIZONTAL: u32 = 14;
const STATE_SENSITIVE: u32 = 24;
const STATE_IS_DEFAULT: u32 = 39;

/// The accessibility bus of one desktop.
pub struct Accessibility {
    bus: Connection,
}

/// One accessible object, read once.
#[derive(Clone, Debug)]
pub struct Node {
    /// `alert`, `push button`, `label`, `text`, …
    pub role: String,
    /// Its name: a button's label, a window's title.
    pub name: String,
    /// Whether it has the keyboard.
    pub focused: bool,
    /// Whether it answers to presses.
    pub sensitive: bool,
    /// Whether Enter presses it.
    pub default: bool,
    /// Whether it lies: of the two scroll bars, the one for the width.
    pub horizontal: bool,
    owner: String,
    path: OwnedObjectPath,
}

impl Node {
    /// The connection and the object that any program of the session could name.
    pub fn address(&self) -> (&str, &str) {
        (&self.owner, self.path.as_str())
    }

    /// Whether the two are one object on the screen, whatever its state.
    pub fn is(&self, other: &Self) -> bool {
        self.owner == other.owner && self.path == other.path
    }
}

/// A native dialog on screen.
#[derive(Clone, Debug)]
pub struct Dialog {
    /// Everything in it, outermost first.
    pub nodes: Vec<Node>,
}

impl Dialog {
    /// The button labelled `label`.
    pub fn button(&self, label: &str) -> anyhow::Result<&Node> {
        self.nodes
            .iter()
            .find(|node| node.role == "push button" && node.name == label)
            .with_context(|| format!("no button {label:?} among {:?}", self.buttons()))
    }

    /// The one text that scrolls in it.
    pub fn text(&self) -> anyhow::Result<&Node> {
        self.nodes.iter().find(|node| node.role == "text").context("no text that scrolls")
    }

    /// Everything that labels in it say.
    pub fn says(&self) -> String {
        let labels = self.nodes.iter().filter(|node| node.role == "label");
        labels.map(|node| node.name.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The labels of its buttons, in order.
    pub fn buttons(&self) -> Vec<&str> {
        self.nodes.iter().filter(|node| node.role == "push button").map(|node| node.name.as_str()).collect()
    }
}

impl Accessibility {
    /// Connects to the accessibility bus that belongs to the session bus at `address`.
    pub async fn connect(address: &str) -> anyhow::Result<Self> {
        let session = zbus::connection::Builder::address(address).build().await?;
        let launcher = Proxy::new(&session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus").await?;
        let address: String =
            launcher.call("GetAddress", &()).await.context("ask for the accessibility bus")?;
        let bus = zbus::connection::Builder::address(address.as_str()).build().await?;
        Ok(Self { bus })
    }

    /// The native dialog whose title contains `title`, waited for.
    pub async fn dialog(&self, title: &str) -> anyhow::Result<Dialog> {
        until(&format!("a dialog {title:?}"), || async { Ok(self.find_dialog(title).await) }).await
    }

    /// The button `label` of the dialog `title`, once it answers to presses.
    pub async fn button_when_sensitive(&self, title: &str, label: &str) -> anyhow::Result<Node> {
        until(&format!("the button {label:?} of {title:?} to be sensitive"), || async {
            let Some(dialog) = self.find_dialog(title).await else { return Ok(None) };
            Ok(dialog.button(label).ok().filter(|button| button.sensitive).cloned())
        })
        .await
    }

    /// The native dialog whose title contains `title`, if one is on screen.
    pub async fn find_dialog(&self, title: &str) -> Option<Dialog> {
        let root = self.read("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root").await.ok()?;
        for app in self.children(&root).await {
            for window in self.children(&app).await {
                let is_dialog = matches!(window.role.as_str(), "alert" | "dialog" | "file chooser");
                if !is_dialog {
                    continue;
                }
                // GTK names a message dialog by its kind; its title is a label in it.
                let nodes = self.all(window).await;
                if nodes.iter().any(|node| node.name.contains(title)) {
                    return Some(Dialog { nodes });
                }
            }
        }
        None
    }

    /// Waits until no dialog whose title contains `title` is on screen.
    pub async fn gone(&self, title: &str) -> anyhow::Result<()> {
        until(&format!("the dialog {title:?} to go"), || async {
            Ok(self.find_dialog(title).await.is_none().then_some(()))
        })
        .await
    }

    /// Presses a button.
    pub async fn press(&self, node: &Node) -> anyhow::Result<()> {
        let action = self.proxy(&node.owner, &node.path, "org.a11y.atspi.Action").await?;
        let _done: bool = action.call("DoAction", &(0_i32)).await?;
        Ok(())
    }

    /// The whole text of a text view.
    pub async fn text_of(&self, node: &Node) -> anyhow::Result<String> {
        let text = self.proxy(&node.owner, &node.path, "org.a11y.atspi.Text").await?;
        Ok(text.call("GetText", &(0_i32, -1_i32)).await?)
    }

    /// How far the dialog `title` is scrolled, down or to the right, and how far it can be; `None` where it needn't.
    pub async fn scrolled(&self, title: &str, horizontal: bool) -> anyhow::Result<Option<(f64, f64)>> {
        let dialog = self.dialog(title).await?;
        let bar = |node: &&Node| node.role == "scroll bar" && node.horizontal == horizontal;
        let Some(bar) = dialog.nodes.iter().find(bar) else { return Ok(None) };
        let value = self.proxy(&bar.owner, &bar.path, "org.a11y.atspi.Value").await?;
        Ok(Some((value.get_property("CurrentValue").await?, value.get_property("MaximumValue").await?)))
    }

    async fn all(&self, from: Node) -> Vec<Node> {
        let mut found = Vec::new();
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            let mut children = self.children(&node).await;
            children.reverse();
            open.extend(children);
            found.push(node);
        }
        found
    }

    async fn children(&self, of: &Node) -> Vec<Node> {
        let mut nodes = Vec::new();
        let Ok(proxy) = self.proxy(&of.owner, &of.path, "org.a11y.atspi.Accessible").await else {
            return nodes;
        };
        let listed: Vec<(String, OwnedObjectPath)> = proxy.call("GetChildren", &()).await.unwrap_or_default();
        for (owner, path) in listed {
            if let Ok(node) = self.read(&owner, path.as_str()).await {
                nodes.push(node);
            }
        }
        nodes
    }

    async fn read(&self, owner: &str, path: &str) -> anyhow::Result<Node> {
        let path = OwnedObjectPath::try_from(path)?;
        let proxy = self.proxy(owner, &path, "org.a11y.atspi.Accessible").await?;
        let role: String = proxy.call("GetRoleName", &()).await?;
        let name: String = proxy.get_property("Name").await.unwrap_or_default();
        let states: Vec<u32> = proxy.call("GetState", &()).await.unwrap_or_default();
        let has =
            |bit: u32| states.get((bit / 32) as usize).is_some_and(|word| word & (1 << (bit % 32)) != 0);
        Ok(Node {
            role,
            name,
            focused: has(STATE_FOCUSED),
            sensitive: has(STATE_SENSITIVE) && has(STATE_ENABLED),
            default: has(STATE_IS_DEFAULT),
            horizontal: has(STATE_HORIZONTAL),
            owner: owner.to_owned(),
            path,
        })
    }

    async fn proxy(
        &self,
        owner: &str,
        path: &OwnedObjectPath,
        interface: &'static str,
    ) -> zbus::Result<Proxy<'static>> {
        let path: ObjectPath<'static> = path.clone().into_inner();
        zbus::proxy::Builder::new(&self.bus)
            .destination(owner.to_owned())
            .path(path)
            .interface(interface)
            .cache_properties(zbus::proxy::CacheProperties::No)
            .build()
            .await
    }
}
