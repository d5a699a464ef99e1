/** What a message holds from outside can't take the transcript down. */
import { fireEvent, render } from "@testing-library/svelte";
import { expect, it, vi } from "vitest";
import Arguments from "../shared/Arguments.svelte";
import TerminalOutput from "../shared/TerminalOutput.svelte";
import { call } from "../backend/fake/transcripts";
import { CallEntry } from "./entries.svelte";
import UserMessage from "./UserMessage.svelte";

it("two attachments of one name are both shown", () => {
  const file = { name: "image.png", mediaType: "image/png", bytes: 1 };
  const entry = { kind: "user" as const, itemId: "u", timeMs: 0, text: "look", mentions: [], attachments: [file, { ...file, bytes: 2 }] };
  const { getAllByText } = render(UserMessage, { entry, sessionId: "s", editable: true, onresend: async () => true });
  expect(getAllByText("image.png")).toHaveLength(2);
});

it("two arguments whose names read alike are both shown", () => {
  const { getAllByText } = render(Arguments, { list: [{ name: "a", value: "1", cut: 0 }, { name: "a", value: "2", cut: 0 }] });
  expect(getAllByText("a")).toHaveLength(2);
});

it.each([{ isComposing: true }, { keyCode: 229 }])("the Enter that ends a composition (%j) sends no edited message", async (init) => {
  const onresend = vi.fn(async () => true);
  const entry = { kind: "user" as const, itemId: "u", timeMs: 0, text: "你好", mentions: [], attachments: [] };
  const { getByRole, getByLabelText } = render(UserMessage, { entry, sessionId: "s", editable: true, onresend });
  await fireEvent.click(getByLabelText("Edit and resend"));
  await fireEvent.keyDown(getByRole("textbox"), { key: "Enter", ...init });
  expect(onresend).not.toHaveBeenCalled();
  await fireEvent.keyDown(getByRole("textbox"), { key: "Enter" });
  expect(onresend).toHaveBeenCalledWith("u", "你好");
});

it("a message that was a file only is edited and sent again, an empty one is not", async () => {
  const onresend = vi.fn(async () => true);
  const entry = { kind: "user" as const, itemId: "u", timeMs: 0, text: "", mentions: [], attachments: [{ name: "image.png", mediaType: "image/png", bytes: 1 }] };
  const { getByText, getByLabelText, rerender } = render(UserMessage, { entry, sessionId: "s", editable: true, onresend });
  await fireEvent.click(getByLabelText("Edit and resend"));
  await fireEvent.click(getByText("Resend"));
  expect(onresend).toHaveBeenCalledWith("u", "");
  await rerender({ entry: { ...entry, attachments: [] } });
  await fireEvent.click(getByLabelText("Edit and resend"));
  expect(getByText("Resend").hasAttribute("disabled")).toBe(true);
});

it("what is typed in place of a message is there again after another session, and takes no focus then", async () => {
  const entry = { kind: "user" as const, itemId: "u", timeMs: 7, text: "one", mentions: [], attachments: [] };
  const props = { entry, sessionId: "a", editable: true, onresend: async () => true };
  const { getByRole, getByLabelText, unmount } = render(UserMessage, props);
  await fireEvent.click(getByLabelText("Edit and resend"));
  expect(document.activeElement).toBe(getByRole("textbox"));
  await fireEvent.input(getByRole("textbox"), { target: { value: "another" } });
  unmount();
  // Another session numbers its items alike.
  const other = render(UserMessage, { ...props, sessionId: "b" });
  expect(other.queryByRole("textbox")).toBeNull();
  other.unmount();
  const again = render(UserMessage, props);
  expect((again.getByRole("textbox") as HTMLTextAreaElement).value).toBe("another");
  expect(document.activeElement).toBe(document.body);
  await fireEvent.click(again.getByText("Cancel"));
  expect(again.queryByRole("textbox")).toBeNull();
});

it("the output of a running command follows its end, but not while one reads further up", async () => {
  const { getByRole, rerender } = render(TerminalOutput, { text: "1\n", live: true, label: "Output" });
  const output = getByRole("group");
  Object.defineProperties(output, { scrollHeight: { value: 500 }, clientHeight: { value: 100 } });
  const after = async (scrollTop: number, text: string): Promise<number> => {
    output.scrollTop = scrollTop;
    await fireEvent.scroll(output);
    await rerender({ text });
    return output.scrollTop;
  };
  expect(await after(120, "1\n2\n")).toBe(120);
  expect(await after(400, "1\n2\n3\n")).toBe(500);
});

it("the output of a running command keeps the lines that are read, however much follows, until its end is reached", async () => {
  const entry = new CallEntry("c", 0, call({ callId: "c1", tool: "shell", subject: "make", state: "running" }));
  const write = (from: number, to: number): void => entry.write(Array.from({ length: to - from }, (_, n) => `${from + n} ${"x".repeat(2_000)}\n`).join(""), 0);
  write(0, 20);
  const props = () => ({ text: entry.live, from: entry.liveFrom, live: true, limit: 10, label: "Output" });
  const { getByRole, rerender } = render(TerminalOutput, props());
  const output = getByRole("group");
  Object.defineProperties(output, { scrollHeight: { value: 500 }, clientHeight: { value: 100 } });
  const scrolled = async (scrollTop: number): Promise<void> => {
    output.scrollTop = scrollTop;
    await fireEvent.scroll(output);
  };
  const drawn = (): number[] => (output.textContent ?? "").split("\n").map(Number.parseFloat);
  const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);
  expect(drawn()).toEqual(numbers(10, 20));
  await scrolled(120);
  // More than is kept of it.
  for (const from of [20, 40, 60]) {
    write(from, from + 20);
    await rerender(props());
    expect(drawn()).toEqual(numbers(10, from + 20));
  }
  await scrolled(400);
  expect(drawn()).toEqual(numbers(70, 80));
  expect(output.scrollTop).toBe(500);
});
