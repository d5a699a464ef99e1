import { beforeEach, describe, expect, it, vi } from "vitest";
import { tick } from "svelte";
import { FakeBackend } from "../backend/fake";
import { call } from "../backend/fake/transcripts";
import type { AppEvent } from "../backend/types";
import { isShortcut } from "../shared/commands";
import { commandsOf } from "./commands";
import { AppWindow, merged } from "./window.svelte";

beforeEach(() => localStorage.clear());

describe("merged", () => {
  const text = (itemId: string, part: string): AppEvent => ({ type: "text_delta", sessionId: "s", itemId, text: part });

  it("joins neighbours of one item and keeps the order of everything else", () => {
    const list = [text("a", "1"), text("a", "2"), text("b", "3"), { type: "sessions_changed" } as const, text("b", "4"), text("b", "5")];
    expect(merged(list)).toEqual([text("a", "12"), text("b", "3"), { type: "sessions_changed" }, text("b", "45")]);
  });
});

async function started(query = ""): Promise<{ window: AppWindow; backend: FakeBackend }> {
  const backend = new FakeBackend("demo", new URLSearchParams(query));
  const window = new AppWindow(backend);
  await window.connect();
  return { window, backend };
}

describe("AppWindow", () => {
  it("shows the session that the shell opens, with what waits", async () => {
    const { window } = await started("waiting=2");
    expect(window.conversation.sessionId).toBe("s1");
    expect(window.approvals.count).toBe(2);
    expect(window.conversation.call("w1")?.call.state).toBe("waiting");
  });

  it("says to a screen reader once that a call waits", async () => {
    const { window, backend } = await started("waiting=1");
    const said: string[] = [];
    const stop = $effect.root(() => {
      $effect(() => void said.push(window.announcement));
    });
    const approval = backend.world.app.approvals[0]!;
    for (const approvalId of ["a1", "a9"]) {
      backend.emit({ type: "approval_waiting", approval: { ...approval, approvalId } });
      backend.emit({ type: "approval_waiting", approval: { ...approval, approvalId, dialogOpen: true } });
      await vi.waitFor(() => expect(window.announcement).toBe("Waiting for you: Run a command? rm -r build/old"));
      await tick();
    }
    stop();
    // The second time the region is emptied first: the same text again is no change.
    expect(said.map((text) => text === "")).toEqual([true, false, true, false]);
  });

  it("shows a call of another session once its entries are there", async () => {
    const { window, backend } = await started();
    backend.world.transcripts.set("s2", [{ kind: "call", itemId: "x", timeMs: 0, call: call({ callId: "x1", tool: "shell", subject: "ls" }) }]);
    await window.openCall("s2", "x1");
    expect(window.navigation.chatCall).toBeNull();
    await vi.waitFor(() => expect(window.navigation.chatCall).toBe("x1"));
    expect(window.conversation.call("x1")).not.toBeNull();
  });

  it("loads older parts until a call is there, and says where it is nowhere", async () => {
    const { window, backend } = await started("");
    backend.world.transcripts.set("s2", Array.from({ length: 900 }, (_, n) => ({ kind: "call" as const, itemId: `i${n}`, timeMs: 0, call: call({ callId: `k${n}`, tool: "shell", subject: "ls" }) })));
    await window.openCall("s2", "k3");
    await vi.waitFor(() => expect(window.navigation.chatCall).toBe("k3"));
    expect(window.conversation.entries).toHaveLength(900);
    await window.openCall("s2", "gone");
    expect(window.notices.list.map((notice) => notice.text)).toEqual(["The chat doesn't hold this call."]);
  });

  it("finds a call while a page of another session is on its way, and where its own is opened anew meanwhile", async () => {
    const { window, backend } = await started();
    const many = (session: string) => Array.from({ length: 900 }, (_, n) => ({ kind: "call" as const, itemId: `${session}-${n}`, timeMs: 0, call: call({ callId: `${session}:${n}`, tool: "shell", subject: "ls" }) }));
    for (const session of ["s2", "s3"]) backend.world.transcripts.set(session, many(session));
    const older = backend.olderItems.bind(backend);
    backend.olderItems = (session, before) => (session === "s2" ? new Promise(() => undefined) : older(session, before));
    window.openSession({ sessionId: "s2" });
    await vi.waitFor(() => expect(window.conversation.sessionId).toBe("s2"));
    void window.conversation.loadOlder();
    await window.openCall("s3", "s3:3");
    await vi.waitFor(() => expect(window.navigation.chatCall).toBe("s3:3"));

    window.navigation.chatCall = null;
    window.openSession({ sessionId: "s1" });
    await vi.waitFor(() => expect(window.conversation.sessionId).toBe("s1"));
    let anew = false;
    backend.olderItems = async (session, before) => {
      const page = await older(session, before);
      if (!anew) {
        anew = true;
        backend.world.transcripts.get("s3")?.push(...many("later"));
        await backend.openSession("s3");
        await vi.waitFor(() => expect(window.conversation.before).not.toBe(before));
      }
      return page;
    };
    await window.openCall("s3", "s3:3");
    await vi.waitFor(() => expect(window.navigation.chatCall).toBe("s3:3"));
    expect(window.notices.list).toEqual([]);
  });

  it("says only what went wrong where older parts can't be had", async () => {
    const { window, backend } = await started();
    backend.world.transcripts.set("s2", Array.from({ length: 300 }, (_, n) => ({ kind: "notice" as const, itemId: `n${n}`, timeMs: 0, code: "x", message: "x" })));
    backend.olderItems = () => Promise.reject({ code: "io", message: "The disk is gone." });
    await window.openCall("s2", "k3");
    await vi.waitFor(() => expect(window.notices.list.map((notice) => notice.text)).toEqual(["The disk is gone."]));
  });

  it("sends a draft once, and keeps what is typed meanwhile", async () => {
    const { window, backend } = await started();
    const sent: string[] = [];
    let answer: (sessionId: string) => void = () => undefined;
    backend.sendMessage = (message) => {
      sent.push(message.text);
      return new Promise((resolve) => (answer = resolve));
    };
    window.draft.text = "once";
    const first = window.send();
    expect(window.draft.text).toBe("");
    window.draft.text = "typed meanwhile";
    answer("s1");
    await first;
    expect(sent).toEqual(["once"]);
    expect(window.draft.text).toBe("typed meanwhile");
  });

  it("puts a draft that was not sent back into its own session", async () => {
    const { window, backend } = await started();
    let refuse: (error: unknown) => void = () => undefined;
    backend.sendMessage = () => new Promise((_, reject) => (refuse = reject));
    window.draft.text = "precious";
    const sending = window.send();
    window.openSession({ sessionId: "s2" });
    await vi.waitFor(() => expect(window.conversation.sessionId).toBe("s2"));
    window.draft.text = "of s2";
    refuse({ code: "io", message: "The disk is full." });
    await sending;
    expect(window.draft.text).toBe("of s2");
    window.openSession({ sessionId: "s1" });
    await vi.waitFor(() => expect(window.draft.text).toBe("precious"));
  });

  it("puts a queued message that is not to be sent back into the draft, with its files", async () => {
    const { window, backend } = await started();
    backend.emit({ type: "run_started", sessionId: "s1", runId: "r" });
    window.draft.text = "later, see @src/tax.rs";
    window.draft.mention("src/tax.rs");
    window.draft.attach({ name: "a.txt", mediaType: "text/plain", base64: "aGVsbG8=", bytes: 5 });
    await window.send();
    window.draft.text = "typed since";
    window.unqueue(0);
    expect(window.conversation.queue).toEqual([]);
    const { text, mentions, attachments } = window.draft;
    expect({ text, mentions, attachments }).toEqual({ text: "later, see @src/tax.rs\ntyped since", mentions: ["src/tax.rs"], attachments: [{ name: "a.txt", mediaType: "text/plain", base64: "aGVsbG8=", bytes: 5 }] });
  });

  it("keeps a refused first message with the session it brought into being, also at the next start", async () => {
    const { window, backend } = await started();
    const empty = { ...backend.world.sessions[0]!, sessionId: "s9", title: "" };
    backend.sendMessage = async () => {
      backend.world.sessions.unshift(empty);
      backend.world.transcripts.set("s9", []);
      backend.emit({ type: "session_opened", transcript: { session: empty, items: [], before: null, usage: window.conversation.usage } });
      throw { code: "not_attached", message: "Can't attach a.zip." };
    };
    window.newSession();
    window.draft.text = "unpack this";
    await window.send();
    expect([window.conversation.sessionId, window.draft.text]).toEqual(["s9", "unpack this"]);
    window.draft.keep();
    const again = new AppWindow(backend);
    await again.connect();
    expect([again.conversation.sessionId, again.draft.text]).toEqual(["s9", "unpack this"]);
  });

  it("leaves what is typed in a new chat there when an empty session is opened, also while a message is on its way", async () => {
    const { window, backend } = await started();
    for (const id of ["s2", "s3"]) backend.world.transcripts.set(id, []);
    localStorage.setItem("assent.draft.s2", '"of s2"');
    localStorage.setItem("assent.draft.s3", '"of s3"');
    window.newSession();
    window.draft.text = "for a new chat";
    window.openSession({ sessionId: "s2" });
    await vi.waitFor(() => expect(window.draft.text).toBe("of s2"));
    window.newSession();
    expect(window.draft.text).toBe("for a new chat");
    backend.sendMessage = () => new Promise(() => undefined);
    void window.send();
    window.draft.text = "typed since";
    window.openSession({ sessionId: "s3" });
    await vi.waitFor(() => expect(window.draft.text).toBe("of s3"));
    window.newSession();
    expect(window.draft.text).toBe("typed since");
  });

  it("keeps the order when deltas wait for a frame", async () => {
    const { window, backend } = await started();
    backend.emit({ type: "run_started", sessionId: "s1", runId: "r" });
    backend.emit({ type: "text_delta", sessionId: "s1", itemId: "z", text: "before" });
    backend.emit({ type: "run_finished", sessionId: "s1", runId: "r", itemId: "e", outcome: "completed", errorCode: null, message: null, turns: 1 });
    expect(window.conversation.entries.slice(-2).map((entry) => entry.kind)).toEqual(["assistant", "run_end"]);
    expect(window.conversation.running).toBe(false);
  });

  it("counts the bytes of a dropped file, not its padding", async () => {
    const { window, backend } = await started();
    for (const base64 of ["", "eA==", "eHg=", "eHh4"]) backend.emit({ type: "file_dropped", file: { name: "a", mediaType: "text/plain", base64 } });
    expect(window.draft.attachments.map((file) => file.bytes)).toEqual([0, 1, 2, 3]);
  });

  it("says that the shell can't be reached, and connects again", async () => {
    const backend = new FakeBackend("demo", new URLSearchParams());
    backend.failNext("subscribe", "ipc", "no answer");
    const window = new AppWindow(backend);
    await window.connect();
    expect(window.state.lost).toBe("no answer");
    await window.connect();
    expect(window.state.lost).toBeNull();
    expect(window.state.app).not.toBeNull();
  });

  it("starts anew in the empty chat that it was left in", async () => {
    const { window, backend } = await started();
    expect(localStorage.getItem("assent.session")).toBe('"s1"');
    window.newSession();
    const again = new FakeBackend("demo", new URLSearchParams());
    again.world.sessions = [];
    await new AppWindow(again).connect();
    expect(again.calls.map((call) => call.name)).not.toContain("open_session");
    backend.world.transcripts.set("s2", []);
    window.openSession({ sessionId: "s2" });
    await vi.waitFor(() => expect(localStorage.getItem("assent.session")).toBe('"s2"'));
  });

  it("starts an empty chat when another folder is opened", async () => {
    const { window, backend } = await started();
    await backend.openWorkspace("/home/ada/code/handbook");
    expect(window.conversation.sessionId).toBeNull();
  });

  it("leaves a session that is deleted, and forgets it with its draft", async () => {
    const { window, backend } = await started();
    localStorage.setItem("assent.draft.s2", '"of another"');
    window.draft.text = "half a thought";
    window.draft.keep();
    await backend.deleteSession("s1");
    expect(window.conversation.sessionId).toBeNull();
    expect(window.conversation.entries).toEqual([]);
    expect(window.draft.text).toBe("");
    expect(Object.keys(localStorage)).toEqual(["assent.draft.s2"]);
    await backend.deleteSession("s2");
    expect(Object.keys(localStorage)).toEqual([]);
  });

  it("forgets all it remembers when the data is deleted", async () => {
    const { window, backend } = await started();
    localStorage.setItem("other", "stays");
    window.draft.text = "a secret";
    window.draft.take();
    window.draft.text = "another";
    window.draft.keep();
    expect(localStorage.length).toBeGreaterThan(1);
    await backend.deleteData();
    expect({ ...localStorage }).toEqual({ other: "stays" });
    expect(window.draft.text).toBe("");
    expect(window.draft.recallSent(1)).toBe(false);
    expect(window.conversation.sessionId).toBeNull();
  });

  it("stays in a session whose folder was located", async () => {
    const { window, backend } = await started();
    const { transcript } = { transcript: { session: { ...backend.world.sessions[0]!, workspace: "/moved" }, items: [], before: null, usage: window.conversation.usage } };
    backend.emit({ type: "session_opened", transcript });
    backend.emit({ type: "app", app: { ...backend.world.app, workspace: { ...backend.world.app.workspace!, path: "/moved" } } });
    expect(window.conversation.sessionId).toBe("s1");
  });

  it("follows the tray and deep links, which can only show", async () => {
    const { window, backend } = await started();
    backend.emit({ type: "show", sessionId: null, panel: "approvals" });
    expect(window.navigation.panel).toBe("approvals");
  });

  it("asks again for what the shell worded when the language changes", async () => {
    const { window, backend } = await started();
    await window.audit.load();
    const row = window.audit.rows[0];
    if (!row) throw new Error("the log has rows");
    await window.audit.open(row.seq);
    const session = vi.spyOn(backend, "openSession");
    const detail = vi.spyOn(backend, "auditDetail");
    const rows = vi.spyOn(backend, "queryAudit");
    await backend.setSetting("theme", "dark");
    expect([session, detail, rows].map((asked) => asked.mock.calls.length)).toEqual([0, 0, 0]);
    await backend.setSetting("language", "zh-CN");
    expect(session).toHaveBeenCalledExactlyOnceWith("s1");
    expect(detail).toHaveBeenCalledExactlyOnceWith(row.seq);
    expect(rows).toHaveBeenCalledTimes(1);
    await backend.setSetting("language", "en");
  });

  it("tells a warning that belongs to no session", async () => {
    const { window, backend } = await started();
    backend.emit({ type: "warning", sessionId: null, code: "hook_failed", message: "A hook failed." });
    expect(window.notices.list.map((notice) => notice.text)).toEqual(["A hook failed."]);
  });
});

describe("commands", () => {
  it("have shortcuts of their own, and slash words of their own", async () => {
    const { window } = await started();
    const commands = commandsOf(window);
    for (const field of ["id", "shortcut", "slash"] as const) {
      const values = commands.map((command) => command[field]).filter((value) => value !== undefined);
      expect(new Set(values).size).toBe(values.length);
    }
  });

  it("offer to send again wherever something was sent, but not where one can only read", async () => {
    const { window, backend } = await started();
    const again = commandsOf(window).filter((command) => ["retry", "compact"].includes(command.id));
    const offered = (): boolean[] => again.map((command) => command.enabled());
    window.conversation.startNew();
    expect(offered()).toEqual([false, false]);
    const session = backend.world.sessions[0]!;
    const items = [{ kind: "notice" as const, itemId: "n", timeMs: 0, code: "x", message: "x" }];
    const { usage } = window.conversation;
    backend.emit({ type: "session_opened", transcript: { session, items, before: "200", usage } });
    expect(offered()).toEqual([true, true]);
    backend.emit({ type: "session_opened", transcript: { session: { ...session, readOnly: "other_process" }, items, before: "200", usage } });
    expect(offered()).toEqual([false, false]);
  });

  it("say that a session was exported, as its row does, and only where it was", async () => {
    const { window, backend } = await started();
    const said = (): string[] => window.notices.list.map((notice) => notice.text);
    const run = (): void => commandsOf(window).find((command) => command.id === "export-markdown")?.run();
    backend.exportSession = async () => ({ status: "declined", message: null });
    run();
    await tick();
    expect(said()).toEqual([]);
    backend.exportSession = async () => ({ status: "done", message: null });
    run();
    await vi.waitFor(() => expect(said()).toEqual(["The session was exported."]));
  });

  it("quit, where no tray and no menu of the system does", async () => {
    const { window, backend } = await started();
    commandsOf(window).find((command) => command.id === "quit")?.run();
    expect(backend.calls.map((call) => call.name)).toContain("quit");
  });

  it("never allow a waiting call (R30)", async () => {
    const { window, backend } = await started("waiting=1");
    vi.useFakeTimers();
    for (const command of commandsOf(window)) if (command.enabled() && command.id !== "deny-all") command.run();
    vi.useRealTimers();
    expect(backend.world.app.approvals).toHaveLength(1);
    const names = backend.calls.map((call) => call.name);
    expect(names.filter((name) => /allow|approve|accept|answer/.test(name))).toEqual([]);
  });

  it.each([
    [{ key: "k", ctrlKey: true }, "Mod+K", true],
    [{ key: "K", ctrlKey: true, shiftKey: true }, "Mod+K", false],
    [{ key: "A", ctrlKey: true, shiftKey: true }, "Mod+Shift+A", true],
    [{ key: "k" }, "Mod+K", false],
    [{ key: "k", ctrlKey: true, altKey: true }, "Mod+K", false],
    [{ key: ",", ctrlKey: true }, "Mod+,", true],
    // Colemak: the key of a QWERTY K writes E.
    [{ key: "e", code: "KeyK", ctrlKey: true }, "Mod+K", false],
    [{ key: "k", code: "KeyN", ctrlKey: true }, "Mod+K", true],
    // Dvorak: the key of a QWERTY W writes a comma.
    [{ key: ",", code: "KeyW", ctrlKey: true }, "Mod+,", true],
    [{ key: "л", code: "KeyK", ctrlKey: true }, "Mod+K", true],
    // On AZERTY digits need Shift.
    [{ key: "&", code: "Digit1", ctrlKey: true }, "Mod+1", true],
    // A German keyboard: so does the slash.
    [{ key: "/", code: "Digit7", ctrlKey: true, shiftKey: true }, "Mod+/", true],
  ])("%j is %s: %s", (init, shortcut, expected) => expect(isShortcut(new KeyboardEvent("keydown", init), shortcut)).toBe(expected));
});
