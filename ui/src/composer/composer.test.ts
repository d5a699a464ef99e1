import { beforeEach, describe, expect, it } from "vitest";
import { Draft, readAttachment } from "./draft.svelte";
import { complete, triggerAt } from "./trigger";

beforeEach(() => localStorage.clear());

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

  it("is empty after it was sent, and can be recalled", () => {
    const draft = new Draft();
    draft.use(null);
    draft.text = "first";
    draft.sent();
    draft.text = "second";
    draft.sent();
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

  it("names only the files still in it", () => {
    const draft = new Draft();
    draft.mention("src/a.rs");
    draft.mention("src/b.rs");
    draft.text = "look at @src/b.rs";
    expect(draft.mentions).toEqual(["src/b.rs"]);
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

it("reads attachments as they are, and none that is too large", async () => {
  expect(await readAttachment(new File(["aé"], "a.txt", { type: "text/plain" }))).toEqual({ name: "a.txt", mediaType: "text/plain", base64: "YcOp", bytes: 3 });
  expect(await readAttachment(new File([new Uint8Array(5 * 1024 * 1024 + 1)], "b"))).toBeNull();
});
