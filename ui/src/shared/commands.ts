/** Something the person can do by name: the palette, the slash menu and the shortcut sheet list the same ones. */
import type { Key } from "../i18n/index.svelte";
import type { IconName } from "./Icon.svelte";

export interface Command {
  id: string;
  title: Key;
  icon: IconName;
  /** Keys as `Mod+K`; Mod is ⌘ on macOS, Ctrl elsewhere. */
  shortcut?: string;
  /** Typed after `/` in the composer. */
  slash?: string;
  /** Shows something beside the composer: typed there by `/`, the composer keeps the focus. */
  aside?: boolean;
  enabled: () => boolean;
  run: () => void;
}

const MAC = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

/** True where ⌘ takes the place of Ctrl. */
export const isMac = MAC;

/** Whether the event is this shortcut. */
export function isShortcut(event: KeyboardEvent, shortcut: string): boolean {
  const parts = shortcut.split("+");
  const key = (parts.pop() ?? "").toLowerCase();
  const mod = MAC ? event.metaKey : event.ctrlKey;
  const other = MAC ? event.ctrlKey : event.metaKey;
  if (parts.includes("Mod") !== mod || other) return false;
  if (parts.includes("Shift") !== event.shiftKey && key !== "?") return false;
  if (parts.includes("Alt") !== event.altKey) return false;
  return event.key.toLowerCase() === key || event.code.toLowerCase() === `key${key}` || event.code.toLowerCase() === `digit${key}`;
}

/** The keys of a shortcut as they are printed on the keyboard. */
export function shortcutKeys(shortcut: string): string[] {
  const names: Record<string, string> = MAC
    ? { Mod: "⌘", Shift: "⇧", Alt: "⌥", Enter: "↩" }
    : { Mod: "Ctrl", Enter: "Enter" };
  return shortcut.split("+").map((part) => names[part] ?? part);
}
