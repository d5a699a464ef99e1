/** A conversation that is compacted shows its summary, and the way back. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Backend } from "../backend/backend";
import { Notices } from "../shared/notices.svelte";
import { Conversation } from "./conversation.svelte";

it("a summary is an entry of the chat until it is taken back", async () => {
  const compactSession = vi.fn(() => Promise.resolve());
  const undoCompaction = vi.fn(() => Promise.resolve());
  const store = new Conversation({ compactSession, undoCompaction } as unknown as Backend, new Notices());
  await store.compact();
  expect(compactSession).not.toHaveBeenCalled();

  const session = { sessionId: "s", title: "", workspace: "/w", workspaceDisplay: "/w", createdMs: 0, updatedMs: 0, running: false, waiting: 0, archived: false, readOnly: null };
  const usage = { inputTokens: 0, outputTokens: 0, contextTokens: 90, contextWindow: 100, contextPercent: 90, cost: null };
  store.handle({ type: "session_opened", transcript: { session, items: [], before: null, usage } });
  await store.compact();
  expect(compactSession).toHaveBeenCalledWith("s");
  store.handle({ type: "item_added", sessionId: "s", item: { kind: "summary", itemId: "i1", timeMs: 0, text: "It was found.", undone: false } });
  expect(store.entries.at(-1)).toMatchObject({ kind: "summary", undone: false });
  await store.undoCompaction();
  expect(undoCompaction).toHaveBeenCalledWith("s");
  store.handle({ type: "summary_undone", sessionId: "s", itemId: "i1" });
  expect(store.entries.at(-1)).toMatchObject({ kind: "summary", undone: true });
});

it("what is written while a summary is made waits for it, in the session it is made of", async () => {
  let done: () => void = () => undefined;
  const compactSession = vi.fn(() => new Promise<void>((resolve) => (done = resolve)));
  const sendMessage = vi.fn(async () => "s");
  const store = new Conversation({ compactSession, sendMessage } as unknown as Backend, new Notices());
  const show = (sessionId: string): void => {
    const session = { sessionId, title: "", workspace: "/w", workspaceDisplay: "/w", createdMs: 0, updatedMs: 0, running: false, waiting: 0, archived: false, readOnly: null };
    store.handle({ type: "session_opened", transcript: { session, items: [], before: null, usage: store.usage } });
  };
  show("s");
  const made = store.compact();
  expect([store.compacting, store.busy, store.running]).toEqual([true, true, false]);
  await store.send({ text: "later", mentions: [], attachments: [] });
  await store.sendQueued();
  expect(sendMessage).not.toHaveBeenCalled();
  show("other");
  expect([store.compacting, store.busy]).toEqual([false, false]);
  done();
  await made;
  expect(sendMessage).toHaveBeenCalledWith({ sessionId: "s", text: "later", mentions: [], attachments: [], replaceFrom: null });
  show("s");
  expect([store.compacting, store.queue]).toEqual([false, []]);
});

describe("what was held before a summary", () => {
  const message = (text: string) => ({ text, mentions: [], attachments: [] });

  function holding() {
    let settle: { done: () => void; refuse: (error: unknown) => void } = { done: () => undefined, refuse: () => undefined };
    const compactSession = () => new Promise<void>((done, refuse) => (settle = { done, refuse }));
    const sent: string[] = [];
    const sendMessage = async ({ text }: { text: string }): Promise<string> => {
      sent.push(text);
      return "s";
    };
    const store = new Conversation({ compactSession, sendMessage, stop: async () => undefined } as unknown as Backend, new Notices());
    const session = { sessionId: "s", title: "", workspace: "/w", workspaceDisplay: "/w", createdMs: 0, updatedMs: 0, running: false, waiting: 0, archived: false, readOnly: null };
    store.handle({ type: "session_opened", transcript: { session, items: [], before: null, usage: store.usage } });
    return { store, sent, settle: () => settle };
  }

  async function hold(store: Conversation): Promise<void> {
    store.handle({ type: "run_started", sessionId: "s", runId: "r" });
    await store.send(message("held"));
    store.handle({ type: "run_finished", sessionId: "s", runId: "r", itemId: "e", outcome: "cancelled", errorCode: null, message: null, turns: 1 });
  }

  beforeEach(() => localStorage.clear());

  it("is held after it too", async () => {
    const { store, sent, settle } = holding();
    await hold(store);
    const made = store.compact();
    settle().done();
    await made;
    expect([sent, store.queue.length]).toEqual([[], 1]);
  });

  it("goes on where something was written meanwhile, as without a summary", async () => {
    const { store, sent, settle } = holding();
    await hold(store);
    const made = store.compact();
    await store.send(message("written since"));
    settle().done();
    await made;
    expect(sent).toEqual(["held"]);
  });

  it.each(["stopped", "failed"])("and what was written meanwhile is held where the summary %s", async (end) => {
    const { store, sent, settle } = holding();
    const made = store.compact();
    await store.send(message("written since"));
    if (end === "stopped") await store.stop();
    if (end === "stopped") settle().done();
    else settle().refuse({ code: "io", message: "The server is gone." });
    await made;
    expect([sent, store.queue.length]).toEqual([[], 1]);
  });
});
