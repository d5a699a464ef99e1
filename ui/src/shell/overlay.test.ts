/** What lies over the window is loaded after the first picture. */
import { fireEvent, render } from "@testing-library/svelte";
import { beforeEach, expect, it, vi } from "vitest";
import { FakeBackend } from "../backend/fake";
import App from "./App.svelte";
import { AppWindow } from "./window.svelte";

// It doesn't come.
vi.mock("../shared/frame", () => ({ frameDrawn: () => new Promise(() => undefined) }));

beforeEach(() => localStorage.clear());

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
