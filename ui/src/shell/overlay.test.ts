/** What lies over the window is loaded after the first picture. */
import { fireEvent, render } from "@testing-library/svelte";
import { beforeEach, expect, it, vi } from "vitest";
import { FakeBackend } from "../backend/fake";
import App from "./App.svelte";
// Here already: how long it takes to come is no matter of these tests.
import "./later";
import { AppWindow } from "./window.svelte";

let drawn: () => void;
vi.mock("../shared/frame", () => ({ frameDrawn: () => new Promise<void>((resolve) => (drawn = resolve)) }));

beforeEach(() => {
  localStorage.clear();
  HTMLDialogElement.prototype.showModal ??= () => undefined;
  HTMLDialogElement.prototype.close ??= () => undefined;
});

it("that was asked for has the keys before it is there, and Escape takes it back", async () => {
  const window = new AppWindow(new FakeBackend("demo", new URLSearchParams()));
  await window.connect();
  const { container } = render(App, { window });
  const send = vi.spyOn(window, "send").mockResolvedValue();
  const area = container.querySelector(".composer textarea") as HTMLTextAreaElement;
  window.draft.text = "half";
  const press = (key: string, ctrlKey = false): Promise<boolean> => fireEvent.keyDown(area, { key, ctrlKey, code: `Key${key.toUpperCase()}` });
  await press("k", true);
  expect(window.navigation.overlay).toBe("palette");
  // False: what the key would write is not written.
  expect([await press("x"), await press("Enter")]).toEqual([false, false]);
  expect(send).not.toHaveBeenCalled();
  await press("Escape");
  expect(window.navigation.overlay).toBeNull();
  expect(await press("x")).toBe(true);
  await press("Enter");
  expect(send).toHaveBeenCalledOnce();
});

it("begins with what was typed for it, once", async () => {
  const window = new AppWindow(new FakeBackend("demo", new URLSearchParams()));
  await window.connect();
  const { container } = render(App, { window });
  const area = container.querySelector(".composer textarea") as HTMLTextAreaElement;
  const press = (key: string, modifiers = {}): Promise<boolean> => fireEvent.keyDown(area, { key, code: `Key${key.toUpperCase()}`, ...modifiers });
  const palette = (): Promise<HTMLInputElement> =>
    vi.waitFor(() => {
      const input = container.querySelector<HTMLInputElement>("input.query");
      if (input === null) throw new Error("it isn't there");
      return input;
    }, 10_000);
  await press("k", { ctrlKey: true });
  for (const key of ["t", "x", "Backspace", "h", "Shift", "e"]) await press(key);
  await press("a", { ctrlKey: true });
  expect(container.querySelector("input.query")).toBeNull();
  drawn();
  const input = await palette();
  expect([input.value, document.activeElement]).toEqual(["the", input]);
  expect(window.draft.text).toBe("");
  await fireEvent.keyDown(input, { key: "k", code: "KeyK", ctrlKey: true });
  await vi.waitFor(() => expect(container.querySelector("input.query")).toBeNull());
  await press("k", { ctrlKey: true });
  expect((await palette()).value).toBe("");
}, 30_000);
