import { fireEvent, render, screen } from "@testing-library/svelte";
import { tick } from "svelte";
import { expect, it, vi } from "vitest";
import { FakeBackend } from "../backend/fake";
import { withUi } from "../shared/with_ui.test_host";
import ChangesPanel from "./ChangesPanel.svelte";
import { Changes } from "./changes.svelte";

function shown() {
  const backend = new FakeBackend("demo", new URLSearchParams());
  const store = new Changes(backend);
  const onopen = vi.fn();
  render(withUi(ChangesPanel, { backend }), { store, onopen });
  return { backend, store, onopen };
}

const NONE = "This session has changed no file.";
const refuse = { code: "io", message: "The disk is gone." };

it("says that changes can't be read, not that there are none, and tries again", async () => {
  const { backend, store } = shown();
  backend.failNext("changes", refuse.code, refuse.message);
  await store.load("s1");
  await screen.findByText("The disk is gone.");
  expect(screen.queryByText(NONE)).toBeNull();
  await fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByText("src/tax.rs");
});

it("says nothing of a session before its changes are read", async () => {
  const { backend, store } = shown();
  await store.load("s1");
  let answer: (changes: []) => void = () => undefined;
  backend.changes = () => new Promise((resolve) => (answer = resolve));
  const loading = store.load("s2");
  await screen.findByText("Reading…");
  expect([screen.queryByText("src/tax.rs"), screen.queryByText(NONE)]).toEqual([null, null]);
  answer([]);
  await loading;
  await screen.findByText(NONE);
});

it("says that a diff can't be read, and tries again; its call is shown by the window", async () => {
  const { backend, store, onopen } = shown();
  await store.load("s1");
  backend.failNext("change_diff", refuse.code, refuse.message);
  await fireEvent.click((await screen.findAllByRole("button", { expanded: false }))[0]!);
  expect((await screen.findByRole("alert")).textContent).toContain("The disk is gone.");
  await fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  await vi.waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  await fireEvent.click(screen.getByRole("button", { name: "Show in chat" }));
  expect(onopen).toHaveBeenCalledWith("s1", store.list[0]?.callId);
});

it("undoes once, however often it is pressed", async () => {
  const { backend, store } = shown();
  await store.load("s1");
  const undo = vi.fn(() => new Promise<never>(() => undefined));
  backend.undo = undo;
  const button = (await screen.findAllByRole("button", { name: "Undo" }))[0]!;
  for (let n = 0; n < 2; n++) {
    button.click();
    await tick();
  }
  expect(undo).toHaveBeenCalledOnce();
  expect(button.hasAttribute("disabled")).toBe(true);
});
