/** Errors arrive in the language of the window; some say in a word of the window's own what they stop. */
import { afterEach, expect, it } from "vitest";
import { setLanguage } from "../i18n/index.svelte";
import { messageOf } from "./notices.svelte";

afterEach(() => setLanguage("en"));

it.each([
  ["en", { code: "keychain", message: "It is {message}." }, "The keychain can't be used. It is {message}."],
  ["zh-CN", { code: "keychain", message: "它已上锁。" }, "无法使用钥匙串。它已上锁。"],
  ["zh-CN", { code: "unheard_of", message: "Something else." }, "Something else."],
  ["zh-CN", new Error("thrown"), "thrown"],
  ["zh-CN", "text", "text"],
] as const)("%s %j", (language, error, words) => {
  setLanguage(language);
  expect(messageOf(error)).toBe(words);
});
