/** What the transcript draws, and what it leaves as it is. */
import { fireEvent, render } from "@testing-library/svelte";
import { tick } from "svelte";
import { describe, expect, it, vi } from "vitest";
import { FakeBackend } from "../backend/fake";
import { call, decision } from "../backend/fake/transcripts";
import type { AppEvent, SessionSummary, TranscriptItem } from "../backend/types";
import { Navigation } from "../shared/navigation.svelte";
import { Notices } from "../shared/notices.svelte";
import { withUi } from "../shared/with_ui.test_host";
import { Conversation } from "./conversation.svelte";
import Transcript from "./Transcript.svelte";

const SESSION: SessionSummary = { sessionId: "s", title: "t", workspace: "/w", workspaceDisplay: "/w", createdMs: 0, updatedMs: 0, running: false, waiting: 0, archived: false, readOnly: null };

function shown(items: TranscriptItem[], onsend: (text: string) => void = () => undefined) {
  const backend = new FakeBackend("empty", new URLSearchParams());
  const store = new Conversation(backend, new Notices());
  const navigation = new Navigation();
  const open = (session: SessionSummary): AppEvent => ({ type: "session_opened", transcript: { session, items, before: null, usage: store.usage } });
  store.handle(open(SESSION));
  const { container } = render(withUi(Transcript, { backend, navigation }), { store, onsay: () => undefined, onsend });
  return { store, backend, navigation, container, open };
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

it("draws what is around a call far up, not all that follows; that comes when scrolled to, or goes at once to the end", async () => {
  const { navigation, container } = shown(calls(1_000));
  const drawn = (): (string | null)[] => [...container.querySelectorAll("[data-item]")].map((entry) => entry.getAttribute("data-item"));
  const ids = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, n) => `i${from + n}`);
  await expect.poll(drawn).toEqual(ids(920, 1_000));
  navigation.showInChat("c300");
  await expect.poll(drawn).toEqual(ids(260, 340));
  const scroller = container.querySelector(".scroller") as HTMLElement;
  // Nothing is laid out here: each place is near the end, and this one not near the start.
  scroller.scrollTop = 500;
  await fireEvent.scroll(scroller);
  await expect.poll(drawn).toEqual(ids(260, 400));
  await fireEvent.click(container.querySelector(".to-end") as HTMLElement);
  await expect.poll(drawn).toEqual(ids(920, 1_000));
  expect(container.querySelector(".to-end")).toBeNull();
});

it("goes to its end for a message that is sent, wherever it was", async () => {
  const { store, navigation, container } = shown(calls(1_000));
  const newest = (): string | null | undefined => [...container.querySelectorAll("[data-item]")].at(-1)?.getAttribute("data-item");
  navigation.showInChat("c300");
  await expect.poll(newest).toBe("i339");
  const item: TranscriptItem = { kind: "user", itemId: "mine", timeMs: 0, text: "on", mentions: [], attachments: [] };
  store.handle({ type: "item_added", sessionId: "s", item });
  await expect.poll(newest).toBe("mine");
  expect(container.querySelector(".to-end")).toBeNull();
});

it("asks anew for a call about which nobody could be asked in words that say so", async () => {
  const onsend = vi.fn();
  const denied = call({ callId: "c", tool: "shell", subject: "make", state: "denied", errorCode: "approval_unavailable", decision: decision({ behavior: "deny", source: "approval" }) });
  const { container } = shown([{ kind: "call", itemId: "i", timeMs: 0, call: denied }], onsend);
  await expect.poll(() => container.querySelector(".offers button")?.textContent).toBe("Ask again");
  await fireEvent.click(container.querySelector(".offers button") as HTMLElement);
  expect(onsend.mock.calls[0]?.[0]).toMatch(/^There was nobody to ask about shell \(make\)/);
});

it("says of a call that was allowed and then had changed who stopped it, and asks for it anew in words that are true", async () => {
  const onsend = vi.fn();
  const reason = "Something this call depends on changed.";
  const decided = decision({ behavior: "deny", source: "recheck", reason, asked: true, surface: "dialog" });
  const { container } = shown([{ kind: "call", itemId: "i", timeMs: 0, call: call({ callId: "c", tool: "edit_file", subject: "a.rs", state: "denied", errorCode: "stale_or_revoked", decision: decided }) }], onsend);
  await expect.poll(() => container.querySelector(".refusal p")?.textContent?.trim()).toBe(`Denied by check before the start: ${reason}`);
  await fireEvent.click(container.querySelector(".offers button") as HTMLElement);
  expect(onsend.mock.calls[0]?.[0]).toMatch(/^edit_file \(a.rs\) didn't run: something it depends on changed/);
});

describe("a run that ended without an answer", () => {
  const message: TranscriptItem = { kind: "user", itemId: "u", timeMs: 0, text: "do it", mentions: [], attachments: [] };
  const end = (outcome: "turn_limit" | "provider_error"): TranscriptItem => ({ kind: "run_end", itemId: "e", timeMs: 0, outcome, errorCode: null, message: null, turns: 1 });
  const buttons = (container: HTMLElement): (string | undefined)[] => [...container.querySelectorAll(".end button")].map((button) => button.textContent?.trim());

  it("after replies goes on after them, and takes none away", async () => {
    const onsend = vi.fn();
    const { container, store } = shown([message, ...calls(2), end("turn_limit")], onsend);
    await expect.poll(() => buttons(container)).toEqual(["Go on"]);
    await fireEvent.click(container.querySelector(".end button") as HTMLElement);
    expect(onsend).toHaveBeenCalledWith("Go on.");
    expect(store.entries).toHaveLength(4);
  });

  it("offers nothing while a message is on its way", async () => {
    const { container, store, backend } = shown([message, ...calls(1), end("turn_limit")]);
    let arrive: (sessionId: string) => void = () => undefined;
    backend.sendMessage = () => new Promise((resolve) => (arrive = resolve));
    await expect.poll(() => buttons(container)).toEqual(["Go on"]);
    void store.say("Go on.");
    await expect.poll(() => buttons(container)).toEqual([]);
    arrive("s");
    await expect.poll(() => buttons(container)).toEqual(["Go on"]);
  });

  it("before any reply is tried again", async () => {
    const { container } = shown([...calls(1), message, end("provider_error")]);
    await expect.poll(() => buttons(container)).toEqual(["Try again", "Change server"]);
    expect(container.querySelector(".end button")?.getAttribute("title")).toMatch(/are replaced/);
  });

  it("offers nothing in a session that can only be read", async () => {
    const { container, store, open } = shown([message, end("provider_error")]);
    store.handle(open({ ...SESSION, readOnly: "other_process" }));
    await expect.poll(() => [container.querySelectorAll(".end").length, buttons(container)]).toEqual([1, []]);
  });
});
