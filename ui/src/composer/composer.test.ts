import { fireEvent, render } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { tick } from "svelte";
import type { Backend } from "../backend/backend";
import { withUi } from "../shared/with_ui.test_host";
import Composer from "./Composer.svelte";
import { Draft, readAttachment } from "./draft.svelte";
import { complete, triggerAt } from "./trigger";

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
});
afterEach(() => vi.useRealTimers());

const FILE = { name: "a.png", mediaType: "image/png", base64: "", bytes: 0 };

describe("triggerAt", () => {
  it.each([
    ["/", { kind: "command", query: "", start: 0 }],
    ["/ret", { kind: "command", query: "ret", start: 0 }],
    ["see @src/t", { kind: "file", query: "src/t", start: 4 }],
    ["@", { kind: "file", query: "", start: 0 }],
    ["看看@税", { kind: "file", query: "税", start: 2 }],
  ])("%j", (text, expected) => expect(triggerAt(text, text.length)).toEqual(expected));

  it.each(["a/b", "mail@example.com", "/two words", "@done ", "see /etc"])("%j asks for nothing", (text) => expect(triggerAt(text, text.length)).toBeNull());
});

it("a command is asked for only where nothing follows", () => {
  expect(triggerAt("/", 1)).toMatchObject({ kind: "command" });
  expect(triggerAt("/a long text that was written", 1)).toBeNull();
  expect(triggerAt("/ret", 2)).toBeNull();
});

it("completes in the middle of a text", () => {
  const trigger = triggerAt("see @ta and", 7);
  expect(trigger && complete("see @ta and", 7, trigger, "@src/tax.rs")).toEqual({ text: "see @src/tax.rs and", cursor: 16 });
});

describe("Draft", () => {
  it("belongs to its session and outlives the window", () => {
    const draft = new Draft();
    draft.use("a");
    draft.text = "half";
    draft.use("b");
    expect(draft.text).toBe("");
    draft.use("a");
    expect(draft.text).toBe("half");
    const again = new Draft();
    again.use("a");
    expect(again.text).toBe("half");
  });

  it("keeps attachments and picked files with its session too", () => {
    const draft = new Draft();
    draft.use("a");
    draft.text = "see @src/a.rs";
    draft.mention("src/a.rs");
    draft.attach(FILE);
    draft.use("b");
    expect([draft.attachments, draft.mentions]).toEqual([[], []]);
    draft.use("a");
    expect([draft.attachments, draft.mentions]).toEqual([[FILE], ["src/a.rs"]]);
  });

  it("is in the storage a moment after a key, without leaving the field", () => {
    const draft = new Draft();
    draft.use("a");
    draft.text = "typed";
    vi.advanceTimersByTime(1_000);
    const again = new Draft();
    again.use("a");
    expect(again.text).toBe("typed");
  });

  it("of a new chat outlives the window too, and is forgotten once the chat came into being", () => {
    const draft = new Draft();
    draft.use(null);
    draft.text = "first words";
    draft.keep();
    const again = new Draft();
    again.use(null);
    expect(again.text).toBe("first words");
    again.take();
    again.text = "next";
    again.keep();
    again.adopt("s");
    expect(again.text).toBe("next");
    again.use(null);
    expect(again.text).toBe("");
    expect(localStorage.getItem("assent.draft.new")).toBeNull();
  });

  it("is not lost where the storage is full", () => {
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    const draft = new Draft();
    draft.use("a");
    draft.text = "a long log";
    draft.use("b");
    draft.use("a");
    expect(draft.text).toBe("a long log");
  });

  it("that could not be sent comes back where it was written, before what was written since", () => {
    const draft = new Draft();
    draft.use("a");
    draft.text = "first";
    draft.attach(FILE);
    const taken = draft.take();
    expect(draft.empty).toBe(true);
    draft.text = "meanwhile";
    draft.putBack(taken);
    expect([draft.text, draft.attachments]).toEqual(["first\nmeanwhile", [FILE]]);
    draft.text = "second";
    const again = draft.take();
    draft.use("b");
    draft.text = "of another";
    draft.putBack(again);
    expect(draft.text).toBe("of another");
    draft.use("a");
    expect([draft.text, draft.attachments]).toEqual(["second", [FILE]]);
    expect(draft.recallSent(1)).toBe(false);
  });

  it("that could not be sent follows its chat into being", () => {
    const draft = new Draft();
    draft.use(null);
    draft.text = "first";
    const taken = draft.take();
    draft.text = "second";
    draft.sent(draft.take());
    draft.adopt("s");
    draft.putBack(taken);
    expect(draft.text).toBe("first");
  });

  it("stores no huge text in the history", () => {
    const draft = new Draft();
    draft.text = "x".repeat(100_000);
    draft.take();
    expect(draft.recallSent(1)).toBe(true);
    expect(localStorage.getItem("assent.history")?.length).toBeLessThan(100);
  });

  it("is empty after it was sent, and can be recalled", () => {
    const draft = new Draft();
    draft.use(null);
    draft.text = "first";
    draft.take();
    draft.text = "second";
    draft.take();
    expect(draft.text).toBe("");
    expect(draft.recallSent(1)).toBe(true);
    expect(draft.text).toBe("second");
    draft.recallSent(1);
    expect(draft.text).toBe("first");
    expect(draft.recallSent(1)).toBe(false);
    draft.recallSent(-1);
    draft.recallSent(-1);
    expect(draft.text).toBe("");
  });

  it("is recalled over nothing that was written, nor over a recalled text that was changed", () => {
    const draft = new Draft();
    for (const text of ["first", "second"]) {
      draft.text = text;
      draft.take();
    }
    draft.text = "half a thought";
    expect([draft.recallSent(1), draft.text]).toEqual([false, "half a thought"]);
    draft.text = "";
    draft.recallSent(1);
    draft.text = "second, and more";
    expect([draft.recallSent(1), draft.recallSent(-1), draft.text]).toEqual([false, false, "second, and more"]);
    draft.text = "";
    expect([draft.recallSent(-1), draft.recallSent(1), draft.text]).toEqual([false, true, "second"]);
  });

  it("names only the files still in it", () => {
    const draft = new Draft();
    draft.mention("src/a.rs");
    draft.mention("src/b.rs");
    draft.text = "look at @src/b.rs";
    expect(draft.mentions).toEqual(["src/b.rs"]);
  });

  it("forgets what was sent in a session that is deleted, in a new chat that became it too", () => {
    const draft = new Draft();
    draft.text = "first words of s";
    draft.take();
    draft.adopt("s");
    draft.use("other");
    draft.text = "elsewhere";
    draft.take();
    draft.forget("s");
    expect([draft.recallSent(1), draft.text, draft.recallSent(1)]).toEqual([true, "elsewhere", false]);
    expect(JSON.stringify(localStorage)).not.toContain("first words");
  });

  it("names them again when it is recalled, and after a restart, in their own folder", () => {
    const draft = new Draft();
    draft.inFolder("/shop");
    draft.mention("src/a.rs");
    draft.text = "look at @src/a.rs.";
    draft.take();
    draft.recallSent(1);
    expect(draft.mentions).toEqual(["src/a.rs"]);
    draft.keep();
    const restarted = new Draft();
    restarted.inFolder("/other");
    expect(restarted.mentions).toEqual([]);
    restarted.inFolder("/shop");
    expect(restarted.mentions).toEqual(["src/a.rs"]);
    draft.text = "@src/a.rs.bak, @src/a.rs2 and x@src/a.rs/";
    expect(draft.mentions).toEqual([]);
    draft.text = "看@src/a.rs的内容";
    expect(draft.mentions).toEqual(["src/a.rs"]);
    draft.forgetAll();
    draft.text = "@src/a.rs";
    expect(draft.mentions).toEqual([]);
  });

  it("survives a storage that was tampered with", () => {
    localStorage.setItem("assent.draft.x", "{not json");
    localStorage.setItem("assent.history", '"a string"');
    const draft = new Draft();
    draft.use("x");
    expect(draft.text).toBe("");
    expect(draft.recallSent(1)).toBe(false);
  });
});

describe("Composer", () => {
  async function written(text: string, cursor: number): Promise<{ draft: Draft; area: HTMLTextAreaElement; ran: () => void; options: () => number }> {
    const draft = new Draft();
    const ran = vi.fn();
    const commands = [{ id: "audit", title: "command.audit", icon: "list", slash: "audit", enabled: () => true, run: ran }] as const;
    const props = { draft, running: false, holds: false, commands, queued: [], blocked: null, onsend: async () => undefined, onstop: () => undefined, onunqueue: () => undefined, onqueue: () => undefined };
    const { container } = render(withUi(Composer, { backend: { searchFiles: async () => [{ path: "src/tax.rs", folder: false }] } as unknown as Backend }), props);
    const area = container.querySelector("textarea") as HTMLTextAreaElement;
    area.value = text;
    area.setSelectionRange(cursor, cursor);
    await fireEvent.input(area);
    return { draft, area, ran, options: () => container.querySelectorAll("[role=option]").length };
  }

  it("takes only the typed word away for a command", async () => {
    const { draft, area, ran } = await written("/aud", 4);
    draft.attach(FILE);
    await fireEvent.keyDown(area, { key: "Enter" });
    expect(ran).toHaveBeenCalledOnce();
    expect([draft.text, draft.attachments]).toEqual(["", [FILE]]);
  });

  it("offers no command at the start of a written text, and Enter deletes nothing", async () => {
    const { draft, area, ran, options } = await written("/precious words", 1);
    expect(options()).toBe(0);
    await fireEvent.keyDown(area, { key: "Tab" });
    expect(ran).not.toHaveBeenCalled();
    expect(draft.text).toBe("/precious words");
  });

  it("steps back with every press, wherever the cursor is, also past a text that ends in a file", async () => {
    const { draft, area, options } = await written("", 0);
    for (const text of ["oldest", "see @src/tax", "newest"]) {
      draft.text = text;
      draft.take();
    }
    const seen: string[] = [];
    for (const key of ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown"]) {
      area.focus();
      await fireEvent.keyDown(area, { key });
      area.setSelectionRange(area.value.length, area.value.length);
      document.dispatchEvent(new Event("selectionchange"));
      await tick();
      seen.push(`${draft.text}, ${options()}`);
    }
    expect(seen).toEqual(["newest, 0", "see @src/tax, 0", "oldest, 0", "see @src/tax, 0"]);
  });

  it("steps away from a text of several lines only at its first line or its last, and there with every press", async () => {
    const { draft, area } = await written("", 0);
    for (const text of ["oldest", "one\ntwo\nthree", "newest"]) {
      draft.text = text;
      draft.take();
    }
    const press = async (key: string): Promise<[string, number]> => {
      await fireEvent.keyDown(area, { key });
      await tick();
      await tick();
      return [draft.text, area.selectionStart];
    };
    const seen: [string, number][] = [];
    for (let n = 0; n < 3; n++) seen.push(await press("ArrowUp"));
    expect(seen).toEqual([["newest", 0], ["one\ntwo\nthree", 0], ["oldest", 0]]);
    expect(await press("ArrowDown")).toEqual(["one\ntwo\nthree", 13]);
    for (const cursor of [5, 13]) {
      area.setSelectionRange(cursor, cursor);
      expect(await press("ArrowUp")).toEqual(["one\ntwo\nthree", cursor]);
    }
    for (const cursor of [0, 5]) {
      area.setSelectionRange(cursor, cursor);
      expect(await press("ArrowDown")).toEqual(["one\ntwo\nthree", cursor]);
    }
    area.setSelectionRange(13, 13);
    expect((await press("ArrowDown"))[0]).toBe("newest");
  });

  it.each([
    [["Files"], 1],
    [["text/html", "Files"], 1],
    [["text/plain", "text/html", "Files"], 0],
  ])("a paste of %j attaches %s pictures", async (types, count) => {
    vi.useRealTimers();
    const { draft, area } = await written("", 0);
    const files = [new File(["p"], "image.png", { type: "image/png" })];
    const left = await fireEvent.paste(area, { clipboardData: { files, types } });
    expect(left).toBe(count === 0);
    await vi.waitFor(() => expect(draft.attachments).toHaveLength(count));
  });

  it("offers nothing for a text that was replaced, and looks again where the cursor goes", async () => {
    const { draft, area, options } = await written("/aud", 4);
    expect(options()).toBe(1);
    draft.use("another");
    await tick();
    expect(options()).toBe(0);
    draft.use(null);
    await tick();
    area.focus();
    area.setSelectionRange(0, 0);
    document.dispatchEvent(new Event("selectionchange"));
    await tick();
    expect(options()).toBe(0);
    area.setSelectionRange(4, 4);
    document.dispatchEvent(new Event("selectionchange"));
    await tick();
    expect(options()).toBe(1);
  });
});

it("reads attachments as they are, and none that is too large", async () => {
  expect(await readAttachment(new File(["aé"], "a.txt", { type: "text/plain" }))).toEqual({ name: "a.txt", mediaType: "text/plain", base64: "YcOp", bytes: 3 });
  expect(await readAttachment(new File([new Uint8Array(5 * 1024 * 1024 + 1)], "b"))).toBeNull();
});
