import { fireEvent, render, screen } from "@testing-library/svelte";
import { expect, it, vi } from "vitest";
import type { Backend } from "../backend/backend";
import { FakeBackend } from "../backend/fake";
import type { App } from "../backend/types";
import { Notices } from "../shared/notices.svelte";
import { sourceName } from "../shared/calls";
import { withUi } from "../shared/with_ui.test_host";
import Layers from "./Layers.svelte";
import { Permissions } from "./permissions.svelte";
import Protected from "./Protected.svelte";

const { app: APP } = new FakeBackend("demo", new URLSearchParams()).world;
const SHOP = APP.recents[0];

it.each<[string, Partial<App>, number]>([
  ["another mode", { mode: "strict" }, 1],
  ["another language", { language: "zh-CN" }, 1],
  ["another folder", { workspace: null }, 1],
  ["a folder that is no longer trusted", { recents: SHOP ? [{ ...SHOP, trusted: false }] : [] }, 1],
  ["a rule file that is broken", { policyProblem: { layer: "user", path: "~/policy.toml", line: 3, column: 1, message: "unknown field" } }, 1],
  ["what it doesn't show", { running: [], approvals: [] }, 0],
])("the rules are read again with %s", async (_, change, times) => {
  const read = vi.fn(async () => ({}));
  const permissions = new Permissions({ permissions: read } as unknown as Backend, new Notices());
  permissions.handle({ type: "app", app: APP });
  expect(read).not.toHaveBeenCalled();
  await permissions.load();
  permissions.handle({ type: "app", app: { ...APP, ...change } });
  permissions.handle({ type: "app", app: { ...APP, ...change } });
  expect(read).toHaveBeenCalledTimes(1 + times);
});

it("a change during the first reading is read too", () => {
  const read = vi.fn(() => new Promise(() => undefined));
  const permissions = new Permissions({ permissions: read } as unknown as Backend, new Notices());
  void permissions.load();
  permissions.handle({ type: "permissions_changed" });
  expect(read).toHaveBeenCalledTimes(2);
});

it("an answer to an older question is dropped", async () => {
  const answers: ((view: unknown) => void)[] = [];
  const permissions = new Permissions({ permissions: () => new Promise((resolve) => answers.push(resolve)) } as unknown as Backend, new Notices());
  const both = [permissions.load(), permissions.load()];
  answers[1]?.({ policyVersion: "new" });
  answers[0]?.({ policyVersion: "old" });
  await Promise.all(both);
  expect(permissions.view).toEqual({ policyVersion: "new" });
});

it("says whose each hook is, and what is wrong with their file", async () => {
  const backend = new FakeBackend("demo", new URLSearchParams());
  const hooks = [
    { event: "PreToolUse", command: "check.sh", layer: "user" },
    { event: "Stop", command: "log.sh", layer: "managed" },
    { event: "!", command: "Can't read the hooks: line 3.", layer: "" },
  ];
  render(withUi(Protected, { backend }), { view: { ...backend.world.permissions, hooks } });
  await fireEvent.click(screen.getByText("Hooks"));
  screen.getByText("PreToolUse: check.sh (yours)");
  screen.getByText("Stop: log.sh (the administrator's)");
  screen.getByText("Can't read the hooks: line 3.");
});

it("a project's file is trusted and no longer trusted by one button, which keeps the focus", async () => {
  const backend = new FakeBackend("demo", new URLSearchParams());
  const layers = () => backend.world.permissions.layers;
  const panel = render(withUi(Layers, { backend }), { layers: layers() });
  const press = async (name: string): Promise<void> => {
    const button = panel.getByRole("button", { name });
    button.focus();
    await fireEvent.click(button);
    await panel.rerender({ layers: layers() });
    expect(document.activeElement).toBe(button);
  };
  screen.getByText("Not in force until you trust the file");
  await press("Trust the file's content…");
  expect(screen.queryByText("Not in force until you trust the file")).toBeNull();
  await press("Stop trusting");
  screen.getByText("Not in force until you trust the file");
  screen.getByRole("button", { name: "Trust the file's content…" });
});

it("arguments that don't fit have their word as what decides", () => expect(sourceName("arguments")).toBe("the arguments"));
