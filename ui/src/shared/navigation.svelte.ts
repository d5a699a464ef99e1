/** Which panel, dialog or place is shown. Panels reach each other only through this. */
import { Remembered } from "./remembered.svelte";

export type Panel = "audit" | "approvals" | "permissions" | "changes";
export type Overlay = "palette" | "shortcuts" | "settings" | null;
export type SettingsSection = "models" | "permissions" | "sandbox" | "notifications" | "appearance" | "data" | "about";

/** Below this many pixels the outer columns are drawers. */
export const DRAWER_WIDTH = 900;

export class Navigation {
  #sidebar = new Remembered("sidebar.open", true);
  #side = new Remembered("panel.open", true);
  #panel = new Remembered<Panel>("panel.tab", "audit");

  narrow = $state(false);
  drawer = $state<"sidebar" | "side" | null>(null);
  overlay = $state<Overlay>(null);
  settingsSection = $state<SettingsSection>("models");
  finding = $state(false);
  /** A call that the audit should open, the chat scroll to, or the permissions make a rule from. */
  auditCall = $state<string | null>(null);
  chatCall = $state<string | null>(null);
  ruleCall = $state<string | null>(null);

  get panel(): Panel {
    return this.#panel.value;
  }

  get sidebarOpen(): boolean {
    return this.narrow ? this.drawer === "sidebar" : this.#sidebar.value;
  }

  get sideOpen(): boolean {
    return this.narrow ? this.drawer === "side" : this.#side.value;
  }

  toggleSidebar(): void {
    if (this.narrow) this.drawer = this.drawer === "sidebar" ? null : "sidebar";
    else this.#sidebar.value = !this.#sidebar.value;
  }

  toggleSide(): void {
    if (this.narrow) this.drawer = this.drawer === "side" ? null : "side";
    else this.#side.value = !this.#side.value;
  }

  closeDrawer(): void {
    this.drawer = null;
  }

  show(panel: Panel): void {
    this.#panel.value = panel;
    if (this.narrow) this.drawer = "side";
    else this.#side.value = true;
  }

  showInAudit(callId: string): void {
    this.auditCall = callId;
    this.show("audit");
  }

  showInChat(callId: string): void {
    this.closeDrawer();
    this.chatCall = callId;
  }

  makeRule(callId: string): void {
    this.ruleCall = callId;
    this.show("permissions");
  }

  settings(section: SettingsSection): void {
    this.settingsSection = section;
    this.overlay = "settings";
  }
}
