import { fireEvent, render, screen } from "@testing-library/svelte";
import { expect, it } from "vitest";
import { FakeBackend } from "../backend/fake";
import { demoApproval } from "../backend/fake/approvals";
import { Notices } from "../shared/notices.svelte";
import { withUi } from "../shared/with_ui.test_host";
import { Approvals } from "./approvals.svelte";
import WaitingBar from "./WaitingBar.svelte";

function make(): { store: Approvals; backend: FakeBackend } {
  const backend = new FakeBackend("empty", new URLSearchParams());
  return { backend, store: new Approvals(backend, new Notices()) };
}

it("counts what waits, updates what is known, and keeps how it ended", () => {
  const { store } = make();
  const approval = demoApproval(0, false);
  store.handle({ type: "approval_waiting", approval });
  store.handle({ type: "approval_waiting", approval: { ...approval, dialogOpen: true } });
  expect(store.waiting).toMatchObject([{ dialogOpen: true }]);
  store.handle({ type: "approval_settled", approvalId: "a1", sessionId: "s1", callId: "w1", end: "denied", surface: "tray", words: null });
  expect(store.count).toBe(0);
  expect(store.settled).toMatchObject([{ end: "denied" }]);
});

it("an answer to an unknown call changes nothing", () => {
  const { store } = make();
  store.handle({ type: "approval_settled", approvalId: "?", sessionId: "s1", callId: "w1", end: "allowed", surface: "dialog", words: null });
  expect(store.settled).toEqual([]);
});

it("reviews and denies through the shell; empty words are none", async () => {
  const { store, backend } = make();
  await store.deny("a1", "   ");
  await store.deny("a1", " no ");
  await store.denyAll();
  expect(backend.calls.map(({ name, args }) => [name, ...args])).toEqual([["deny", "a1", null], ["deny", "a1", "no"], ["deny_all"]]);
});

it("words typed for one call go to no other", async () => {
  const { store, backend } = make();
  const first = demoApproval(0, false);
  const props = { store, sessionId: first.sessionId, onqueue: () => undefined };
  store.handle({ type: "approval_waiting", approval: first });
  store.handle({ type: "approval_waiting", approval: demoApproval(0, false, { approvalId: "b1", sessionId: "s2", callId: "w9" }) });
  const { rerender } = render(withUi(WaitingBar, { backend }), props);
  await fireEvent.click(screen.getByRole("button", { name: "Deny with words…" }));
  await fireEvent.input(screen.getByRole("textbox"), { target: { value: "meant for the first" } });
  await rerender({ ...props, sessionId: "s2" });
  expect(screen.queryByRole("textbox")).toBeNull();
  await fireEvent.click(screen.getByRole("button", { name: "Deny" }));
  expect(backend.calls.map(({ name, args }) => [name, ...args])).toEqual([["deny", "b1", null]]);
});
