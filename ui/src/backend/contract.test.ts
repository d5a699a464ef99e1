/** The contract holds on both sides: each method is one command of the shell, and none of them allows anything. */
import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import type { AppEvent } from "./types";

const invoke = vi.hoisted(() => vi.fn((..._args: unknown[]): Promise<unknown> => Promise.resolve()));
class Channel {
  onmessage: (event: AppEvent) => void = () => undefined;
}
vi.mock("@tauri-apps/api/core", () => ({ invoke, Channel }));

const { askForEvents, tauriBackend } = await import("./tauri");
const { FakeBackend } = await import("./fake");

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const methods = Object.keys(tauriBackend());

it("each method invokes the command of its name, but for two not before the first picture is drawn", async () => {
  const backend = tauriBackend() as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const names = (): unknown[] => invoke.mock.calls.map(([name]) => name).sort();
  invoke.mockClear();
  const asked = methods.map((method) => backend[method]?.(() => undefined));
  await Promise.resolve();
  expect(names()).toEqual(["report_window_error", "subscribe"]);

  const { channel } = invoke.mock.calls.find(([name]) => name === "subscribe")?.[1] as { channel: Channel };
  channel.onmessage({ type: "sessions_changed" });
  await Promise.all(asked);
  expect(names()).toEqual(methods.map(snake).sort());
});

it("the shell has exactly these commands", () => {
  const names = readFileSync("../src-tauri/src/commands/names.rs", "utf8");
  expect([...names.matchAll(/"(\w+)"/g)].map((match) => match[1]).sort()).toEqual(methods.map(snake).sort());
});

it("events come through in order", async () => {
  const seen: string[] = [];
  await tauriBackend().subscribe((event) => seen.push(event.type));
  const { channel } = invoke.mock.lastCall?.[1] as { channel: Channel };
  channel.onmessage({ type: "sessions_changed" });
  channel.onmessage({ type: "permissions_changed" });
  expect(seen).toEqual(["sessions_changed", "permissions_changed"]);
});

it("what came before there was a reader comes first, and once", async () => {
  invoke.mockClear();
  askForEvents();
  const { channel } = invoke.mock.lastCall?.[1] as { channel: Channel };
  channel.onmessage({ type: "sessions_changed" });
  const seen: string[] = [];
  await tauriBackend().subscribe((event) => seen.push(event.type));
  expect(seen).toEqual(["sessions_changed"]);
  channel.onmessage({ type: "permissions_changed" });
  expect(seen).toEqual(["sessions_changed", "permissions_changed"]);
  expect(invoke).toHaveBeenCalledTimes(1);

  // Another try after a lost stream opens one anew.
  await tauriBackend().subscribe(() => undefined);
  expect(invoke).toHaveBeenCalledTimes(2);
});

it("no method approves, allows or answers with yes (R30)", () => {
  expect(methods.filter((method) => /approve|allow|accept|confirm|answer|decide/i.test(method))).toEqual([]);
});

it("the scripted backend has every method", () => {
  const scripted = new FakeBackend("demo", new URLSearchParams()) as unknown as Record<string, unknown>;
  expect(methods.filter((method) => typeof scripted[method] !== "function")).toEqual([]);
});
