/** Errors are said in the language of the window. */
import { afterEach, expect, it } from "vitest";
import { setLanguage } from "../i18n/index.svelte";
import { messageOf } from "./notices.svelte";

afterEach(() => setLanguage("en"));

it.each([
  ["en", { code: "busy", message: "A run is on." }, "A run is on in this session. Stop it, or wait for its end."],
  ["zh-CN", { code: "busy", message: "A run is on." }, "这个会话正在运行。请停止它，或等它结束。"],
  ["en", { code: "io", message: "Can't read {message}." }, "Can't read {message}."],
  ["zh-CN", { code: "io", message: "Can't read a.txt." }, "操作没有成功：Can't read a.txt."],
  ["zh-CN", { code: "unheard_of", message: "Something else." }, "Something else."],
  ["zh-CN", new Error("thrown"), "thrown"],
  ["zh-CN", "text", "text"],
] as const)("%s %j", async (language, error, words) => {
  await setLanguage(language);
  expect(messageOf(error)).toBe(words);
});
