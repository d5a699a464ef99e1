/** Errors arrive in the language of the window; some say in a word of the window's own what they stop. */
import { render } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, expect, it, vi } from "vitest";
import type { Backend } from "../backend/backend";
import { setLanguage } from "../i18n/index.svelte";
import NoticeList from "./NoticeList.svelte";
import { messageOf, Notices } from "./notices.svelte";
import { withUi } from "./with_ui.test_host";

afterEach(() => {
  setLanguage("en");
  vi.useRealTimers();
});

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

const texts = (notices: Notices): string[] => notices.list.map((notice) => notice.text);

it("what is said goes away by itself, with an action later, and not while it is held", () => {
  vi.useFakeTimers();
  const notices = new Notices();
  notices.say("plain");
  notices.say("with undo", { label: "Undo", run: () => undefined });
  vi.advanceTimersByTime(6_000);
  expect(texts(notices)).toEqual(["with undo"]);
  notices.hold(true);
  notices.say("meanwhile");
  vi.advanceTimersByTime(60_000);
  expect(texts(notices)).toEqual(["with undo", "meanwhile"]);
  notices.hold(false);
  vi.advanceTimersByTime(6_000);
  expect(texts(notices)).toEqual(["with undo"]);
  vi.advanceTimersByTime(20_000);
  expect(texts(notices)).toEqual([]);
});

it("an error is one notice, new each time, so that it is heard again", () => {
  const notices = new Notices();
  notices.fail({ message: "The disk is full." });
  const [first] = notices.list;
  notices.fail({ message: "The disk is full." });
  expect(texts(notices)).toEqual(["The disk is full."]);
  expect(notices.list[0]?.id).not.toBe(first?.id);
});

it("what is said of the same next takes its place, and what is over goes", () => {
  const notices = new Notices();
  notices.say("Mode: Strict", null, "mode");
  notices.fail({ message: "Between 1 and 60." }, null, "wrong");
  notices.say("Mode: Balanced", null, "mode");
  expect(texts(notices)).toEqual(["Between 1 and 60.", "Mode: Balanced"]);
  notices.over("wrong");
  expect(texts(notices)).toEqual(["Mode: Balanced"]);
});

it("why something is impossible is said; a refusal by the person is not", async () => {
  const notices = new Notices();
  await notices.attempt(Promise.resolve({ status: "declined", message: null }));
  await notices.attempt(Promise.resolve({ status: "impossible", message: "Only https links are opened." }));
  expect(texts(notices)).toEqual(["Only https links are opened."]);
});

it("a notice whose button has the focus waits for the person", async () => {
  vi.useFakeTimers();
  const notices = new Notices();
  const { container } = render(withUi(NoticeList, { backend: {} as Backend, notices }), { place: "composer" });
  notices.say("Archived.", { label: "Undo", run: () => undefined });
  await tick();
  container.querySelector("button")?.focus();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(texts(notices)).toEqual(["Archived."]);
  container.querySelector("button")?.blur();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(texts(notices)).toEqual([]);
});
