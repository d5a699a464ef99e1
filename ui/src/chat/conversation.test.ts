import { beforeEach, describe, expect, it, vi } from "vitest";
import { FakeBackend } from "../backend/fake";
import { call, decision } from "../backend/fake/transcripts";
import type { AppEvent, SessionSummary } from "../backend/types";
import { Notices } from "../shared/notices.svelte";
import { Conversation } from "./conversation.svelte";
import { AssistantEntry, CallEntry } from "./entries.svelte";
import { findEntries } from "./find";

beforeEach(() => localStorage.clear());

const SESSION: SessionSummary = { sessionId: "s", title: "t", workspace: "/w", workspaceDisplay: "/w", createdMs: 0, updatedMs: 0, running: false, waiting: 0, archived: false, readOnly: null };

function opened(): { store: Conversation; backend: FakeBackend; tell: (event: AppEvent) => void } {
  const backend = new FakeBackend("empty", new URLSearchParams());
  const store = new Conversation(backend, new Notices());
  store.handle({ type: "session_opened", transcript: { session: SESSION, items: [], before: null, usage: { inputTokens: 0, outputTokens: 0, contextTokens: null, contextWindow: null, contextPercent: null, cost: null } } });
  return { store, backend, tell: (event) => store.handle(event) };
}

const delta = (itemId: string, text: string): AppEvent => ({ type: "text_delta", sessionId: "s", itemId, text });
const finished = (outcome: "completed" | "cancelled"): AppEvent => ({ type: "run_finished", sessionId: "s", runId: "r", itemId: `end-${outcome}`, outcome, errorCode: null, message: null, turns: 1 });

describe("events", () => {
  it("build one assistant entry per item, closed when something else begins", () => {
    const { store, tell } = opened();
    tell({ type: "run_started", sessionId: "s", runId: "r" });
    tell(delta("a", "Hello "));
    tell(delta("a", "world"));
    expect(store.streaming?.text).toBe("Hello world");
    tell({ type: "call_proposed", sessionId: "s", itemId: "c", call: call({ callId: "c1", tool: "shell", subject: "ls" }) });
    expect(store.entries.map((entry) => entry.kind)).toEqual(["assistant", "call"]);
    expect((store.entries[0] as AssistantEntry).open).toBe(false);
    expect(store.streaming).toBeNull();
  });

  it("of other sessions change nothing", () => {
    const { store, tell } = opened();
    tell({ ...delta("a", "x"), sessionId: "other" } as AppEvent);
    tell({ type: "run_started", sessionId: "other", runId: "r" });
    expect(store.entries).toEqual([]);
    expect(store.running).toBe(false);
  });

  it("continue a reply that was being written when the session was opened", () => {
    const { store, tell } = opened();
    tell({ type: "session_opened", transcript: { session: { ...SESSION, running: true }, items: [{ kind: "assistant", itemId: "a", timeMs: 0, text: "Hel", reasoning: "" }], before: null, usage: store.usage } });
    tell(delta("a", "lo"));
    expect(store.entries).toHaveLength(1);
    expect((store.entries[0] as AssistantEntry).text).toBe("Hello");
  });

  it("tell a call's whole way: waiting, denied, and never from waiting to running by themselves", () => {
    const { store, tell } = opened();
    tell({ type: "call_proposed", sessionId: "s", itemId: "c", call: call({ callId: "c1", tool: "shell", subject: "rm x" }) });
    store.waiting("c1", "a1");
    const entry = store.call("c1") as CallEntry;
    expect(entry.call.state).toBe("waiting");
    tell({ type: "approval_settled", approvalId: "a1", sessionId: "s", callId: "c1", end: "expired", surface: null, words: null });
    expect(entry.call.state).toBe("denied");
    tell({ type: "call_decided", sessionId: "s", callId: "c1", decision: decision({ behavior: "deny" }), errorCode: "approval_expired" });
    expect(entry.call).toMatchObject({ state: "denied", errorCode: "approval_expired" });
  });

  it("keep the tail of a long output only", () => {
    const { store, tell } = opened();
    tell({ type: "call_proposed", sessionId: "s", itemId: "c", call: call({ callId: "c1", tool: "shell", subject: "yes" }) });
    for (let n = 0; n < 40; n++) tell({ type: "call_output", sessionId: "s", callId: "c1", chunk: "y\n".repeat(2_000), totalBytes: (n + 1) * 4_000 });
    expect(store.call("c1")?.live.length).toBe(64 * 1024);
    expect(store.call("c1")?.liveBytes).toBe(160_000);
  });

  it("continue the output of a command that was running when the session was opened", () => {
    const { store, tell } = opened();
    const running = call({ callId: "c1", tool: "shell", subject: "make", state: "running", output: "one\n", outputBytes: 4 });
    tell({ type: "session_opened", transcript: { session: { ...SESSION, running: true }, items: [{ kind: "call", itemId: "c", timeMs: 0, call: running }], before: null, usage: store.usage } });
    expect([store.call("c1")?.live, store.call("c1")?.liveBytes]).toEqual(["one\n", 4]);
    tell({ type: "call_output", sessionId: "s", callId: "c1", chunk: "two\n", totalBytes: 8 });
    expect([store.call("c1")?.live, store.call("c1")?.liveBytes]).toEqual(["one\ntwo\n", 8]);
  });

  it("cut the history before a resend", () => {
    const { store, tell } = opened();
    for (const itemId of ["u1", "u2", "u3"]) tell({ type: "item_added", sessionId: "s", item: { kind: "user", itemId, timeMs: 0, text: itemId, mentions: [], attachments: [] } });
    tell({ type: "history_cut", sessionId: "s", fromItemId: "u2" });
    expect(store.entries.map((entry) => entry.itemId)).toEqual(["u1"]);
  });

  it("that come twice are shown once", () => {
    const { store, tell } = opened();
    const item: AppEvent = { type: "item_added", sessionId: "s", item: { kind: "user", itemId: "u", timeMs: 0, text: "x", mentions: [], attachments: [] } };
    tell(item);
    tell(item);
    expect(store.entries).toHaveLength(1);
  });
});

describe("sending", () => {
  const sent = (backend: FakeBackend): unknown[] => backend.calls.filter((c) => c.name === "send_message").map((c) => (c.args[0] as { text: string }).text);
  const message = (text: string) => ({ text, mentions: [], attachments: [] });

  it("waits while a run is on, and goes on after a completed one only", async () => {
    const { store, backend, tell } = opened();
    backend.sendMessage = async (m) => {
      backend.calls.push({ name: "send_message", args: [m] });
      return "s";
    };
    tell({ type: "run_started", sessionId: "s", runId: "r" });
    expect(await store.send(message("later"))).toBe(true);
    expect(sent(backend)).toEqual([]);
    tell(finished("cancelled"));
    expect(sent(backend)).toEqual([]);
    expect(store.queue).toHaveLength(1);
    tell(finished("completed"));
    expect(sent(backend)).toEqual(["later"]);
    expect(store.queue).toHaveLength(0);
  });

  it("waits while a call from before a restart is asked about, which a message would withdraw", async () => {
    const { store, backend, tell } = opened();
    backend.sendMessage = async (m) => {
      backend.calls.push({ name: "send_message", args: [m] });
      return "s";
    };
    tell({ type: "item_added", sessionId: "s", item: { kind: "call", itemId: "i", timeMs: 0, call: call({ callId: "c", tool: "shell", subject: "ls", state: "proposed" }) } });
    store.waiting("c", "a");
    expect([store.busy, store.holds, store.editable]).toEqual([false, true, false]);
    expect(await store.send(message("later"))).toBe(true);
    await store.retry();
    expect(sent(backend)).toEqual([]);
    tell({ type: "approval_settled", approvalId: "a", sessionId: "s", callId: "c", end: "allowed", surface: "dialog", words: null });
    tell({ type: "run_started", sessionId: "s", runId: "r" });
    tell(finished("completed"));
    expect(sent(backend)).toEqual(["later"]);
  });

  it("says that a call was withdrawn, not denied", () => {
    const { store, tell } = opened();
    tell({ type: "item_added", sessionId: "s", item: { kind: "call", itemId: "i", timeMs: 0, call: call({ callId: "c", tool: "shell", subject: "ls", state: "proposed" }) } });
    store.waiting("c", "a");
    tell({ type: "approval_settled", approvalId: "a", sessionId: "s", callId: "c", end: "withdrawn", surface: null, words: null });
    expect(store.call("c")?.call.state).toBe("cancelled");
  });

  it("goes on in the session it was written in, in sight or not", async () => {
    const { store, backend, tell } = opened();
    const to: unknown[] = [];
    backend.sendMessage = async (m) => {
      to.push([m.sessionId, m.text]);
      return m.sessionId ?? "new";
    };
    tell({ type: "run_started", sessionId: "s", runId: "r" });
    await store.send(message("first"));
    await store.send(message("second"));
    const other = { ...SESSION, sessionId: "other" };
    tell({ type: "session_opened", transcript: { session: other, items: [], before: null, usage: store.usage } });
    expect(store.queue).toEqual([]);
    tell(finished("completed"));
    await vi.waitFor(() => expect(to).toEqual([["s", "first"]]));
    store.startNew();
    expect(store.queue).toEqual([]);
    tell({ type: "session_opened", transcript: { session: SESSION, items: [], before: null, usage: store.usage } });
    expect(store.queue.map((queued) => queued.text)).toEqual(["second"]);
  });

  it("what was queued while a session came into being is queued in it", async () => {
    const { store, backend, tell } = opened();
    store.startNew();
    let answer: (sessionId: string) => void = () => undefined;
    backend.sendMessage = () => new Promise((resolve) => (answer = resolve));
    const first = store.send(message("first"));
    await store.send(message("second"));
    tell({ type: "session_opened", transcript: { session: SESSION, items: [], before: null, usage: store.usage } });
    answer("s");
    await first;
    expect(store.queue.map((queued) => queued.text)).toEqual(["second"]);
  });

  it("what was queued while a session came into being stays with it where the first message fails", async () => {
    const { store, backend, tell } = opened();
    store.startNew();
    let refuse: (error: unknown) => void = () => undefined;
    const to: unknown[] = [];
    backend.sendMessage = (m) => {
      to.push([m.sessionId, m.text]);
      return new Promise((_, reject) => (refuse = reject));
    };
    const first = store.send(message("first"));
    await store.send(message("second"));
    tell({ type: "session_opened", transcript: { session: { ...SESSION, sessionId: "begun" }, items: [], before: null, usage: store.usage } });
    refuse({ code: "not_attached", message: "Can't attach a.zip." });
    expect(await first).toBe(false);
    expect(store.queue.map((queued) => queued.text)).toEqual(["second"]);
    store.startNew();
    expect(store.queue).toEqual([]);
    void store.send(message("of another chat"));
    expect(to).toEqual([[null, "first"], [null, "of another chat"]]);
  });

  it("that fails is told, and not taken", async () => {
    const { store, backend } = opened();
    backend.sendMessage = () => Promise.reject({ code: "io", message: "The disk is full." });
    expect(await store.send(message("x"))).toBe(false);
  });

  it("to a busy session is told: it stays where it was, in the composer or first in the queue", async () => {
    const { store, backend, tell } = opened();
    const busy = vi.fn(() => Promise.reject({ code: "busy", message: "A run is on." }));
    backend.sendMessage = busy;
    expect(await store.send(message("x"))).toBe(false);
    expect(store.queue).toEqual([]);
    tell({ type: "run_started", sessionId: "s", runId: "r" });
    await store.send(message("first"));
    await store.send(message("second"));
    tell(finished("completed"));
    await vi.waitFor(() => expect(store.queue.map((queued) => queued.text)).toEqual(["first", "second"]));
    expect(busy).toHaveBeenCalledTimes(2);
  });

  it("what waits outlives the window, held until the person sends it, and goes with its session", async () => {
    const first = opened();
    first.tell({ type: "run_started", sessionId: "s", runId: "r" });
    await first.store.send({ text: "see @a", mentions: ["a"], attachments: [] });
    const { store, backend, tell } = opened();
    backend.sendMessage = vi.fn(async () => "s");
    expect(store.queue).toEqual([{ text: "see @a", mentions: ["a"], attachments: [] }]);
    tell({ type: "session_changed", session: SESSION });
    expect(backend.sendMessage).not.toHaveBeenCalled();
    await store.sendQueued();
    expect(backend.sendMessage).toHaveBeenCalledOnce();
    expect([store.queue, opened().store.queue]).toEqual([[], []]);
    tell({ type: "run_started", sessionId: "s", runId: "r" });
    await store.send(message("gone with it"));
    tell({ type: "session_deleted", sessionId: "s" });
    expect(opened().store.queue).toEqual([]);
  });

  it("what waited with files waits on with its words, and says which files went; one of files only is no more", async () => {
    const file = { name: "a.png", mediaType: "image/png", base64: "" };
    const first = opened();
    first.tell({ type: "run_started", sessionId: "s", runId: "r" });
    await first.store.send({ text: "", mentions: [], attachments: [file] });
    await first.store.send({ text: "look", mentions: [], attachments: [file] });
    const { store, backend } = opened();
    expect(store.queue).toEqual([{ text: "look", mentions: [], attachments: [], without: ["a.png"] }]);
    const refused = vi.fn(() => Promise.reject({ code: "io", message: "The disk is full." }));
    backend.sendMessage = refused;
    await store.sendQueued();
    expect(refused).toHaveBeenCalledWith({ sessionId: "s", text: "look", mentions: [], attachments: [], replaceFrom: null });
    expect(opened().store.queue[0]?.without).toEqual(["a.png"]);
  });

  it("of a button's words goes past what is held, and once however often it is pressed", async () => {
    const { store, backend, tell } = opened();
    let arrive: (sessionId: string) => void = () => undefined;
    const sendMessage = vi.fn((_: { text: string }) => new Promise<string>((resolve) => (arrive = resolve)));
    backend.sendMessage = sendMessage;
    tell({ type: "run_started", sessionId: "s", runId: "r" });
    await store.send(message("held"));
    for (let n = 0; n < 2; n++) await store.say("Ask again.");
    expect(store.queue.map((queued) => queued.text)).toEqual(["held", "Ask again."]);
    tell(finished("cancelled"));
    expect([store.editable, store.sending]).toEqual([true, false]);
    const first = store.say("Go on.");
    expect([store.editable, store.sending]).toEqual([false, true]);
    await store.say("Go on.");
    await store.retry();
    arrive("s");
    await first;
    expect(sendMessage.mock.calls.map(([sent]) => sent.text)).toEqual(["Go on."]);
    expect([store.editable, store.queue.length]).toEqual([true, 2]);
  });

  it("again loads older parts until the message is there", async () => {
    const { store, backend, tell } = opened();
    const user = (itemId: string) => ({ kind: "user" as const, itemId, timeMs: 0, text: itemId, mentions: [], attachments: [] });
    const reply = { kind: "assistant" as const, itemId: "a", timeMs: 0, text: "on it", reasoning: "" };
    const older = vi.fn(async (_: string, before: string) => (before === "2" ? { items: [{ ...reply, itemId: "b" }], before: "1" } : { items: [user("u1"), user("u2")], before: null }));
    backend.olderItems = older;
    backend.sendMessage = vi.fn(async () => "s");
    tell({ type: "session_opened", transcript: { session: SESSION, items: [reply], before: "2", usage: store.usage } });
    await store.retry();
    expect(backend.sendMessage).toHaveBeenCalledWith({ sessionId: "s", text: "u2", mentions: [], attachments: [], replaceFrom: "u2" });
    expect(older).toHaveBeenCalledTimes(2);
  });

  it("is possible where no run is on, whatever was missed of its end", () => {
    const { store, tell } = opened();
    tell({ type: "run_started", sessionId: "s", runId: "r" });
    tell({ type: "session_changed", session: { ...SESSION, sessionId: "other", running: false } });
    tell({ type: "session_changed", session: { ...SESSION, running: true } });
    expect(store.running).toBe(true);
    tell({ type: "session_changed", session: { ...SESSION, running: false } });
    expect(store.running).toBe(false);
  });
});

it("finds text in what people read, not in how it is drawn", () => {
  const { store, tell } = opened();
  tell(delta("a", "A **comma** here"));
  tell({ type: "call_proposed", sessionId: "s", itemId: "c", call: call({ callId: "c1", tool: "shell", subject: "cargo test", output: "tax FAILED" }) });
  expect(findEntries(store.entries, "COMMA")).toEqual([0]);
  expect(findEntries(store.entries, "failed")).toEqual([1]);
  expect(findEntries(store.entries, " ")).toEqual([]);
});
