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

/**
 * Whether the event is this shortcut.
 *
 * What a key writes counts. Its place does where it writes no Latin letter (Кириллица), and for a digit where that needs
 * Shift (AZERTY). Shift is part of how other signs are written, and tells nothing there.
 */
export function isShortcut(event: KeyboardEvent, shortcut: string): boolean {
  const parts = shortcut.split("+");
  const wanted = (parts.pop() ?? "").toLowerCase();
  const key = event.key.toLowerCase();
  const sign = wanted.length === 1 && !/[a-z0-9]/.test(wanted);
  const mod = MAC ? event.metaKey : event.ctrlKey;
  const other = MAC ? event.ctrlKey : event.metaKey;
  if (parts.includes("Mod") !== mod || other) return false;
  if (parts.includes("Shift") !== event.shiftKey && !sign) return false;
  if (parts.includes("Alt") !== event.altKey) return false;
  const place = event.code.toLowerCase();
  return key === wanted || (place === `key${wanted}` && key > "\u007f") || (place === `digit${wanted}` && !/^[a-z0-9]$/.test(key));
}

/** The keys of a shortcut as they are printed on the keyboard. */
export function shortcutKeys(shortcut: string): string[] {
  const names: Record<string, string> = MAC
    ? { Mod: "⌘", Shift: "⇧", Alt: "⌥", Enter: "↩" }
    : { Mod: "Ctrl", Enter: "Enter" };
  return shortcut.split("+").map((part) => names[part] ?? part);
}
