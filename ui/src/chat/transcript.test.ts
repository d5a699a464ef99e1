/** What the transcript draws, and what it leaves as it is. */
import { fireEvent, render } from "@testing-library/svelte";
import { tick } from "svelte";
import { expect, it } from "vitest";
import { FakeBackend } from "../backend/fake";
import { call } from "../backend/fake_world";
import type { AppEvent, SessionSummary, TranscriptItem } from "../backend/types";
import { Navigation } from "../shared/navigation.svelte";
import { Notices } from "../shared/notices.svelte";
import { withUi } from "../shared/with_ui.test_host";
import { Conversation } from "./conversation.svelte";
import Transcript from "./Transcript.svelte";

const SESSION: SessionSummary = { sessionId: "s", title: "t", workspace: "/w", workspaceDisplay: "/w", createdMs: 0, updatedMs: 0, running: false, waiting: 0, archived: false, readOnly: null };

function shown(items: TranscriptItem[]) {
  const backend = new FakeBackend("empty", new URLSearchParams());
  const store = new Conversation(backend, new Notices());
  const navigation = new Navigation();
  const open = (session: SessionSummary): AppEvent => ({ type: "session_opened", transcript: { session, items, before: null, usage: store.usage } });
  store.handle(open(SESSION));
  const { container } = render(withUi(Transcript, { backend, navigation }), { store, onsay: () => undefined, onsend: () => undefined });
  return { store, navigation, container, open };
}

const calls = (count: number): TranscriptItem[] =>
  Array.from({ length: count }, (_, n) => ({ kind: "call" as const, itemId: `i${n}`, timeMs: 0, call: call({ callId: `c${n}`, tool: "shell", subject: `ls ${n}`, state: "succeeded" }) }));

it("stays where it is, and what is opened open, when its session's line changes", async () => {
  const { store, container, open } = shown(calls(3));
  const line = (): HTMLElement => container.querySelector("[data-call=c1] button.line") as HTMLElement;
  const scroller = container.querySelector(".scroller") as HTMLElement;
  await fireEvent.click(line());
  await expect.poll(() => line().getAttribute("aria-expanded")).toBe("true");
  scroller.scrollTop = 120;
  store.handle({ type: "session_changed", session: { ...SESSION, waiting: 1 } });
  await tick();
  await tick();
  expect([line().getAttribute("aria-expanded"), scroller.scrollTop]).toEqual(["true", 120]);
  store.handle(open({ ...SESSION, sessionId: "other" }));
  await expect.poll(() => line().getAttribute("aria-expanded")).toBe("false");
});
