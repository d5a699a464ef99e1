/** Folders: what there is of them, and the commands for the open one. */
import type { Backend } from "../backend";
import type { Asked, Mode, Workspace } from "../types";
import { DONE, type Stage } from "./stage";

const STRICTNESS: Mode[] = ["strict", "balanced", "sandboxed"];

export function folders(stage: Stage) {
  return {
    async pickWorkspace(): Promise<Asked> {
      stage.called("pick_workspace");
      if (stage.consent === "done") stage.app({ workspace: stage.world.app.workspace ?? stage.world.app.recents[0] ?? null });
      return { status: stage.consent, message: null };
    },
    async openWorkspace(path: string): Promise<void> {
      stage.called("open_workspace", path);
      stage.app({ workspace: stage.world.app.recents.find((recent) => recent.path === path) ?? null });
    },
    async pinWorkspace(path: string, pinned: boolean): Promise<void> {
      stage.called("pin_workspace", path, pinned);
      stage.app({ recents: stage.world.app.recents.map((recent) => (recent.path === path ? { ...recent, pinned } : recent)) });
    },
    async forgetWorkspace(path: string): Promise<void> {
      stage.called("forget_workspace", path);
      stage.app({ recents: stage.world.app.recents.filter((recent) => recent.path !== path) });
    },
    async trustWorkspace(): Promise<Asked> {
      stage.called("trust_workspace");
      const { workspace } = stage.world.app;
      if (workspace) stage.app({ workspace: stage.consent === "done" ? { ...workspace, trusted: true, shellEnabled: true, keptRestricted: false } : { ...workspace, keptRestricted: true } });
      return { status: stage.consent, message: null };
    },
    async keepRestricted(path: string): Promise<void> {
      stage.called("keep_restricted", path);
      const { workspace } = stage.world.app;
      if (workspace?.path === path) stage.app({ workspace: { ...workspace, keptRestricted: true } });
    },
    async distrustWorkspace(path: string): Promise<void> {
      stage.called("distrust_workspace", path);
      const { workspace } = stage.world.app;
      if (workspace?.path === path) stage.app({ workspace: { ...workspace, trusted: false, shellEnabled: false, keptRestricted: true } });
    },
    async setShellEnabled(enabled: boolean): Promise<Asked> {
      stage.called("set_shell_enabled", enabled);
      // Never within the click itself, as it is with the shell.
      await stage.rest(0);
      const { workspace } = stage.world.app;
      if (workspace) stage.app({ workspace: { ...workspace, shellEnabled: enabled } });
      return DONE;
    },
    async setMode(mode: Mode): Promise<Asked> {
      stage.called("set_mode", mode);
      const loosens = STRICTNESS.indexOf(mode) > STRICTNESS.indexOf(stage.world.app.mode);
      if (loosens && stage.consent === "declined") return { status: "declined", message: null };
      stage.app({ mode });
      return DONE;
    },
    async searchFiles(query: string, limit: number): Promise<{ path: string; folder: boolean }[]> {
      stage.called("search_files", query, limit);
      const files = ["src/tax.rs", "src/cart.rs", "src/checkout.rs", "src/main.rs", "tests/checkout.rs", "docs/locale.md", "Cargo.toml", "README.md", "docs/税率.md"];
      return [...files.map((path) => ({ path, folder: false })), { path: "src", folder: true }].slice(0, limit);
    },
  } satisfies Partial<Backend>;
}

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
