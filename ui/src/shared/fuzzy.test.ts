import { describe, expect, it } from "vitest";
import { fuzzy, score } from "./fuzzy";
import { visible } from "./visible";

const FILES = ["src/tax.rs", "src/checkout.rs", "tests/checkout.rs", "docs/taxes/overview.md", "Cargo.toml", "ui/src/shared/Icon.svelte"];
const best = (query: string): string | undefined => fuzzy(FILES, query, (file) => file)[0]?.item;

describe("fuzzy", () => {
  it.each([
    ["tax", "src/tax.rs"],
    ["tcheck", "tests/checkout.rs"],
    ["cargo", "Cargo.toml"],
    ["icon", "ui/src/shared/Icon.svelte"],
    ["ov md", "docs/taxes/overview.md"],
  ])("%s finds %s first", (query, file) => expect(best(query)).toBe(file));

  it("finds nothing where a letter is missing", () => expect(fuzzy(FILES, "xyzq", (f) => f)).toEqual([]));
  it("keeps the order for an empty query", () => expect(fuzzy(FILES, "", (f) => f).map((m) => m.item)).toEqual(FILES));
  it("says which characters matched", () => expect(score("tax", "src/tax.rs")?.positions).toEqual([4, 5, 6]));
});

describe("visible", () => {
  it.each([
    ["\u202e", "\\u{202e}"],
    ["\u0000", "\\u{0000}"],
    ["\u200b", "\\u{200b}"],
    ["\u{e0041}", "\\u{e0041}"],
    ["a\u200db", "a\\u{200d}b"],
    ["👩‍💻 ❤️ 中文，。", "👩‍💻 ❤️ 中文，。"],
    ["é ñ e\u0301", "é ñ e\u0301"],
    ["tab\tnew\nline", "tab\tnew\nline"],
  ])("%j is shown as %j", (text, shown) => expect(visible(text)).toBe(shown));
});
