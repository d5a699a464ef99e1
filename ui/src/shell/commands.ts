/** Everything that can be done by name, with its shortcut. */
import { tick } from "svelte";
import type { Mode } from "../backend/types";
import { chooseMode } from "../shared/choices";
import type { Panel } from "../shared/navigation.svelte";
import type { Command } from "../shared/commands";
import type { AppWindow } from "./window.svelte";

export function commandsOf(window: AppWindow): Command[] {
  const { navigation, conversation, approvals, backend, notices, state, draft } = window;
  const always = (): boolean => true;
  const inFolder = (): boolean => state.app?.workspace != null;
  // What was sent may lie in a part that isn't loaded.
  const idle = (): boolean => conversation.editable && (conversation.before !== null || conversation.entries.some((entry) => entry.kind === "user"));
  const mode = (next: Mode) => (): void => void chooseMode(window.ui, next);
  const canMode = (next: Mode) => (): boolean => state.app?.mode !== next;
  const exportAs = (format: "markdown" | "json") => (): void => {
    if (conversation.sessionId !== null) void window.sessions.export(conversation.sessionId, format);
  };
  const stored = (): boolean => conversation.sessionId !== null;

  return [
    { id: "new", title: "command.new", icon: "plus", shortcut: "Mod+N", slash: "new", enabled: inFolder, run: () => window.newSession() },
    { id: "folder", title: "command.folder", icon: "folder", shortcut: "Mod+O", slash: "folder", enabled: always, run: () => void notices.attempt(backend.pickWorkspace()) },
    { id: "stop", title: "command.stop", icon: "stop", slash: "stop", enabled: () => conversation.busy, run: () => void conversation.stop() },
    { id: "retry", title: "command.retry", icon: "retry", slash: "retry", enabled: idle, run: () => void conversation.retry() },
    { id: "compact", title: "command.compact", icon: "list", slash: "compact", enabled: idle, run: () => void conversation.compact() },
    { id: "find", title: "command.find", icon: "search", shortcut: "Mod+F", slash: "find", enabled: stored, run: () => find(window) },
    { id: "composer", title: "command.composer", icon: "pencil", shortcut: "Mod+L", enabled: inFolder, run: () => (navigation.closeDrawer(), draft.focus()) },
    { id: "waiting", title: "command.waiting", icon: "clock", shortcut: "Mod+Shift+A", slash: "waiting", enabled: always, run: () => goToWaiting(window) },
    { id: "deny-all", title: "command.deny_all", icon: "barred", enabled: () => approvals.count > 0, run: () => void approvals.denyAll() },
    { id: "audit", title: "command.audit", icon: "list", shortcut: "Mod+1", slash: "audit", aside: true, enabled: always, run: () => showPanel(window, "audit") },
    { id: "approvals", title: "command.approvals", icon: "clock", shortcut: "Mod+2", slash: "approvals", aside: true, enabled: always, run: () => showPanel(window, "approvals") },
    { id: "permissions", title: "command.permissions", icon: "rule", shortcut: "Mod+3", slash: "permissions", aside: true, enabled: always, run: () => showPanel(window, "permissions") },
    { id: "changes", title: "command.changes", icon: "pencil", shortcut: "Mod+4", slash: "changes", aside: true, enabled: always, run: () => showPanel(window, "changes") },
    { id: "verify", title: "command.verify", icon: "shield", slash: "verify", aside: true, enabled: always, run: () => (showPanel(window, "audit"), void window.audit.verify()) },
    { id: "strict", title: "command.strict", icon: "shield", slash: "strict", enabled: canMode("strict"), run: mode("strict") },
    { id: "balanced", title: "command.balanced", icon: "shield", slash: "balanced", enabled: canMode("balanced"), run: mode("balanced") },
    { id: "sandboxed", title: "command.sandboxed", icon: "shield", slash: "sandboxed", enabled: canMode("sandboxed"), run: mode("sandboxed") },
    { id: "sidebar", title: "command.sidebar", icon: "sidebar", shortcut: "Mod+B", enabled: always, run: () => toggleSidebar(window) },
    { id: "side", title: "command.side", icon: "panel", shortcut: "Mod+J", enabled: always, run: () => navigation.toggleSide() },
    { id: "export-markdown", title: "command.export_markdown", icon: "download", slash: "export", enabled: stored, run: exportAs("markdown") },
    { id: "export-json", title: "command.export_json", icon: "download", enabled: stored, run: exportAs("json") },
    { id: "import", title: "command.import", icon: "upload", slash: "import", enabled: inFolder, run: () => void window.sessions.import() },
    { id: "models", title: "command.models", icon: "chat", slash: "model", enabled: always, run: () => navigation.settings("models") },
    { id: "settings", title: "command.settings", icon: "gear", shortcut: "Mod+,", slash: "settings", enabled: always, run: () => navigation.settings(navigation.settingsSection) },
    { id: "shortcuts", title: "command.shortcuts", icon: "info", shortcut: "Mod+/", slash: "help", enabled: always, run: () => (navigation.overlay = "shortcuts") },
    { id: "quit", title: "command.quit", icon: "cross", enabled: always, run: () => void notices.attempt(backend.quit()) },
    { id: "palette", title: "command.palette", icon: "right", shortcut: "Mod+K", enabled: always, run: () => (navigation.overlay = "palette") },
  ];
}

/** Opens the bar, or goes back into it. */
function find(window: AppWindow): void {
  const { navigation } = window;
  if (navigation.drawer !== null) {
    navigation.closeDrawer();
    void tick().then(() => find(window));
    return;
  }
  navigation.finding = true;
  const field = document.querySelector<HTMLInputElement>("main [role=search] input");
  field?.focus();
  field?.select();
}

/** Opened by key it has the focus, on the session that is shown. */
function toggleSidebar({ navigation }: AppWindow): void {
  navigation.toggleSidebar();
  if (navigation.sidebarOpen) setTimeout(() => (document.querySelector<HTMLElement>("nav [aria-current]") ?? document.querySelector<HTMLElement>("nav button"))?.focus());
}

/** Shows a panel with the focus on its tab; where it has it already, the focus goes back to the composer. */
function showPanel({ navigation, draft }: AppWindow, panel: Panel): void {
  const tab = (): HTMLElement | null => document.getElementById(`tab-${panel}`);
  if (navigation.sideOpen && navigation.panel === panel && tab()?.closest("aside")?.contains(document.activeElement)) {
    navigation.closeDrawer();
    draft.focus();
    return;
  }
  navigation.show(panel);
  setTimeout(() => tab()?.focus());
}

/** Focuses the waiting call in view, or shows the queue. Never a button that answers. */
function goToWaiting(window: AppWindow): void {
  const card = document.querySelector<HTMLElement>("main [data-approval] button[aria-expanded]");
  if (!card) return showPanel(window, "approvals");
  window.navigation.closeDrawer();
  void tick().then(() => card.focus());
}
