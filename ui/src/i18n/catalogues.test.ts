/** Both languages say the same things, in the terms of the glossary, in the writing of their language. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import en from "../../locales/en.json";
import glossary from "../../locales/glossary.json";
import nativeEn from "../../locales/native/en.json";
import nativeZh from "../../locales/native/zh-CN.json";
import requestEn from "../../locales/request/en.json";
import requestZh from "../../locales/request/zh-CN.json";
import zh from "../../locales/zh-CN.json";
import { type Key, setLanguage, t } from "./index.svelte";

const CATALOGUES: [string, Record<string, string>, Record<string, string>][] = [
  ["window", en, zh],
  ["native", nativeEn, nativeZh],
];

/** What is said of requests: single texts, and reasons and failures under their own English. */
function saidOf(words: Record<string, string | Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(words).flatMap(([key, text]) => (typeof text === "string" ? [[key, text]] : Object.entries(text))));
}
const chineseOfRequests = saidOf(requestZh);
const englishOfRequests: Record<string, string> = { ...Object.fromEntries(Object.keys(chineseOfRequests).map((english) => [english, english])), ...saidOf(requestEn) };

/** These name a file's fields, and what the system calls it. */
const OTHERS_WORDS = ["name and reason are not empty", "the system gave no reason", "Permission denied (os error 13)", "Access is denied. (os error 5)"];
const NAMES = /\{\w+\}|`[^`]*`|assent-\w+/g;

function strays(english: Record<string, string>, chinese: Record<string, string>): string[] {
  return Object.entries(english)
    .filter(([key]) => !OTHERS_WORDS.includes(key))
    .flatMap(([key, text]) =>
      Object.entries(glossary)
        .filter(([term, word]) => new RegExp(`\\b${term}s?\\b`, "i").test(text.replace(NAMES, "…")) && !(chinese[key] ?? "").includes(word))
        .map(([term, word]) => `${key}: ${term} is ${word}: ${chinese[key]}`),
    );
}

it("what is said of requests keeps to the glossary", () => expect(strays(englishOfRequests, chineseOfRequests)).toEqual([]));

const placeholders = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "").sort();

describe.each(CATALOGUES)("%s", (_, english, chinese) => {
  it("has the same keys in both languages", () => expect(Object.keys(chinese).sort()).toEqual(Object.keys(english).sort()));

  it("has the same placeholders in both languages", () => {
    for (const [key, text] of Object.entries(english)) expect([key, placeholders(chinese[key] ?? "")]).toEqual([key, placeholders(text)]);
  });

  it("has no empty text", () => expect([...Object.entries(english), ...Object.entries(chinese)].filter(([, text]) => text.trim() === "")).toEqual([]));

  it("keeps to the glossary", () => expect(strays(english, chinese)).toEqual([]));

  it("is written in Chinese with its own punctuation and spacing", () => {
    const HAN = "\\p{Script=Han}";
    const wrong: string[] = [];
    for (const [key, text] of Object.entries(chinese)) {
      const plain = text.replace(/\{\w+\}/g, "\u0000");
      if (new RegExp(`${HAN}[,;:!?]|[,;!?]${HAN}|${HAN}\\.($|\\s)`, "u").test(plain)) wrong.push(`${key}: half-width punctuation: ${text}`);
      if (new RegExp(`${HAN}[A-Za-z0-9]|[A-Za-z0-9]${HAN}`, "u").test(plain)) wrong.push(`${key}: no space between Chinese and Latin: ${text}`);
      if (text.includes("您")) wrong.push(`${key}: 您: ${text}`);
      if (/[！!]/.test(text)) wrong.push(`${key}: exclamation: ${text}`);
    }
    expect(wrong).toEqual([]);
  });

  it("speaks English without exclamation, apology or I", () => {
    const wrong = Object.entries(english).filter(([, text]) => /!|\b(?:sorry|please|oops|I'm|I'll|I've)\b/i.test(text));
    expect(wrong).toEqual([]);
  });
});

it("every key of the window is used, and every used key exists", () => {
  const source = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(ts|svelte)$/.test(path) && !path.includes(".test."))
    .map((path) => readFileSync(`src/${path}`, "utf8"))
    .join("\n");
  const literal = new Set([...source.matchAll(/["'`]([a-z]+\.[\w.-]+)["'`]/g)].map((match) => match[1] ?? ""));
  const patterns = [...source.matchAll(/t\(`([^`]+)`/g)].map((match) => new RegExp(`^${(match[1] ?? "").replace(/\./g, "\\.").replace(/\$\{[^}]*\}/g, "[\\w-]+")}$`));
  const codes = [...source.matchAll(/tCode\("(\w+)"/g)].map((match) => `${match[1]}.`);
  const unused = Object.keys(en).filter((key) => {
    const base = key.replace(/\.(?:one|other)$/, "");
    return !literal.has(key) && !literal.has(base) && !patterns.some((pattern) => pattern.source !== "^[\\w-]+\\.[\\w-]+$" && pattern.test(key)) && !codes.some((prefix) => key.startsWith(prefix));
  });
  expect(unused).toEqual([]);
});

it("has every English text under its own key after the build put them in groups", () => {
  const keys = Object.keys(en) as Key[];
  expect(keys.map((key) => [key, t(key)])).toEqual(Object.entries(en));
});

it("has every Chinese text under its own key, at once", () => {
  setLanguage("zh-CN");
  try {
    expect(Object.entries(zh).map(([key]) => [key, t(key as Key)])).toEqual(Object.entries(zh));
    expect(document.documentElement.lang).toBe("zh-CN");
  } finally {
    setLanguage("en");
  }
});
