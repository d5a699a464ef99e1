/** Folders of the scripted world. */
import type { Workspace } from "../types";

export const SHOP: Workspace = {
  path: "/home/ada/code/shop",
  display: "~/code/shop",
  name: "shop",
  openedAs: null,
  exists: true,
  trusted: true,
  shellEnabled: true,
  keptRestricted: false,
  pinned: true,
  lastUsedMs: 0,
  projectPolicy: "only_tightens",
};

export function folder(display: string, exists: boolean): Workspace {
  return { ...SHOP, path: display.replace("~", "/home/ada"), display, name: display.split("/").at(-1) ?? display, exists, pinned: false };
}
