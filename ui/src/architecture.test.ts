/** What the folders promise, as tests over the sources. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const PANELS = ["approvals", "audit", "changes", "chat", "composer", "permissions", "sessions", "settings"];

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => /\.(ts|svelte)$/.test(path) && !/\.test\.ts$|\.d\.ts$/.test(path))
  .map((path) => ({ path, text: readFileSync(`src/${path}`, "utf8") }));

const imports = (text: string): string[] => [...text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
const offenders = (test: (file: { path: string; text: string }) => boolean): string[] => files.filter(test).map((file) => file.path);

it("only tauri.ts imports @tauri-apps", () => {
  expect(offenders(({ path, text }) => path !== "backend/tauri.ts" && imports(text).some((name) => name.startsWith("@tauri-apps")))).toEqual([]);
});

it("panels don't import each other, and shared imports no panel", () => {
  expect(
    offenders(({ path, text }) => {
      const folder = path.split("/")[0] ?? "";
      if (!PANELS.includes(folder) && folder !== "shared" && folder !== "i18n") return false;
      return imports(text).some((name) => PANELS.some((panel) => panel !== folder && name.startsWith(`../${panel}/`)) || name.startsWith("../shell/"));
    }),
  ).toEqual([]);
});

it("no markup is made from strings but in the one sanitised place", () => {
  expect(offenders(({ text }) => /\{@html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|new Function|\beval\(/.test(text))).toEqual([]);
  expect(offenders(({ text }) => text.includes('from "dompurify"'))).toEqual(["shared/markdown.ts"]);
});

it("no inline style in markup: the policy would drop it", () => {
  expect(offenders(({ path, text }) => path.endsWith(".svelte") && /\sstyle=/.test(text))).toEqual([]);
});

it("what belongs to an input method is told in one place", () => {
  expect(offenders(({ path, text }) => path !== "shared/composing.ts" && /isComposing|keyCode/.test(text))).toEqual([]);
});

it("only the backend talks to anything outside", () => {
  expect(offenders(({ text }) => /\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|window\.open/.test(text))).toEqual([]);
});

it("every file says what it is, and stays readable in one go", () => {
  expect(offenders(({ text }) => !/^(\/\*\*|<!--)/.test(text))).toEqual([]);
  expect(offenders(({ text }) => text.split("\n").length > 420)).toEqual([]);
});
