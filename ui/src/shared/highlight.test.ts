import { describe, expect, it } from "vitest";
import { highlight, tokens } from "./highlight";
import { type LanguageName, languageOf, languageOfPath } from "./languages";

/** The coloured tokens as `kind:text`. */
const coloured = (text: string, language: LanguageName): string[] => tokens(text, language).flatMap((token) => (token.kind === null ? [] : [`${token.kind}:${token.text}`]));

describe("tokens", () => {
  it.each<[LanguageName, string, string[]]>([
    ["rust", 'let a = f("x\\"y"); // c', ["keyword:let", "title:f", 'string:"x\\"y"', "comment:// c"]],
    ["rust", "println!(0xff_u8)", ["title:println", "number:0xff_u8"]],
    ["script", "const a = `x\ny`", ["keyword:const", "string:`x\ny`"]],
    ["python", 'def f():\n  """doc\n"""\n  return None', ["keyword:def", "title:f", 'string:"""doc\n"""', "keyword:return", "keyword:None"]],
    ["shell", 'echo "$A" ${B} a#b # c', ["keyword:echo", 'string:"$A"', "name:${B}", "comment:# c"]],
    ["json", '{"a": [1, true, "b"]}', ['name:"a"', "number:1", "keyword:true", 'string:"b"']],
    ["yaml", "on-push: true # c", ["name:on-push", "keyword:true", "comment:# c"]],
    ["toml", 'name = "x"', ["name:name", 'string:"x"']],
    ["sql", "SELECT a FROM b -- c", ["keyword:SELECT", "keyword:FROM", "comment:-- c"]],
    ["markup", '<!-- c --><a href="x">t</a>', ["comment:<!-- c -->", "keyword:a", "name:href", 'string:"x"', "keyword:a"]],
    ["diff", "@@ -1 +1 @@\n-a\n+b\n c\n", ["comment:@@ -1 +1 @@\n", "removed:-a\n", "added:+b\n"]],
  ])("%s: %j", (language, text, expected) => expect(coloured(text, language)).toEqual(expected));

  it("lose no character, whatever comes, and take no longer for hostile text", () => {
    const hostile = ['"'.repeat(30_000), "/*".repeat(15_000), "<a ".repeat(10_000), "\\".repeat(30_000), "${".repeat(15_000), "a-".repeat(15_000), "\ud800\udfff\ud800", "é中文👩‍💻", "0x".repeat(9_000)];
    const languages: LanguageName[] = ["rust", "script", "python", "shell", "json", "yaml", "css", "markup", "diff", "sql"];
    const start = process.cpuUsage();
    for (const language of languages) for (const text of hostile) expect(tokens(text, language).map((token) => token.text).join("")).toBe(text);
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(3_000);
  });
});

it("makes text and spans only", () => {
  const box = document.createElement("div");
  box.append(highlight("<script>alert(1)</script>", "markup") ?? "");
  expect(box.textContent).toBe("<script>alert(1)</script>");
  expect([...box.querySelectorAll("*")].every((element) => element.tagName === "SPAN")).toBe(true);
});

it.each([["rs", "rust"], ["TypeScript", "script"], ["klingon", null]])("%s is %s", (word, language) => expect(languageOf(word)).toBe(language));
it.each([["src/a.rs", "rust"], ["Makefile", "shell"], ["a.tar.gz", null]])("%s is %s", (path, language) => expect(languageOfPath(path)).toBe(language));
