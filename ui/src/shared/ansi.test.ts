import { describe, expect, it } from "vitest";
import { ansiLines, stripAnsi } from "./ansi";

const E = "\u001b";

describe("ansiLines", () => {
  it.each([
    ["plain", "a\nb", [[{ text: "a", classes: "" }], [{ text: "b", classes: "" }]]],
    ["colour and reset", `${E}[31mred${E}[0m plain`, [[{ text: "red", classes: "ansi-1" }, { text: " plain", classes: "" }]]],
    ["bright and bold", `${E}[1;92mok`, [[{ text: "ok", classes: "ansi-2 ansi-bold" }]]],
    ["256 colours", `${E}[38;5;196mx`, [[{ text: "x", classes: "ansi-1" }]]],
    ["true colour", `${E}[38;2;20;200;30mx`, [[{ text: "x", classes: "ansi-2" }]]],
    ["a background takes no later code with it", `${E}[48;5;4;31mx`, [[{ text: "x", classes: "ansi-1" }]]],
    ["a style across lines", `${E}[33ma\nb`, [[{ text: "a", classes: "ansi-3" }], [{ text: "b", classes: "ansi-3" }]]],
    ["a progress bar", "10%\r50%\r100%\ndone", [[{ text: "100%", classes: "" }], [{ text: "done", classes: "" }]]],
    ["carriage return and newline", "a\r\nb", [[{ text: "a", classes: "" }], [{ text: "b", classes: "" }]]],
    ["a coloured progress bar", `${E}[32m10%${E}[0m\r${E}[32m50%${E}[0m\r${E}[32m100%${E}[0m\n`, [[{ text: "100%", classes: "ansi-2" }]]],
    ["a bar that erases its line", `10%\r${E}[Kdone\r${E}[0K`, [[]]],
    ["a bar that goes to the first column", `10%${E}[1G${E}[0K50%${E}[Gok`, [[{ text: "ok", classes: "" }]]],
    ["a bar between two pieces", "10%\r", [[{ text: "10%", classes: "" }]]],
    ["a newline after an escape after a return", `a\r${E}[0m\nb`, [[{ text: "a", classes: "" }], [{ text: "b", classes: "" }]]],
    ["two returns before a newline", "a\r\r\nb", [[{ text: "a", classes: "" }], [{ text: "b", classes: "" }]]],
    ["erasing behind the end", `abc${E}[Kd`, [[{ text: "abcd", classes: "" }]]],
    ["erasing up to the end", `abc${E}[1Kd`, [[{ text: "d", classes: "" }]]],
    ["a coloured spinner", `|${E}[31m\b/${E}[0m\b-`, [[{ text: "-", classes: "" }]]],
    ["backspaces past the start", "a\b\b\bb", [[{ text: "b", classes: "" }]]],
    ["backspaces", "abc\b\bX", [[{ text: "aX", classes: "" }]]],
    ["an erased line", `abc${E}[2Kd`, [[{ text: "d", classes: "" }]]],
  ])("%s", (_, text, lines) => {
    expect(ansiLines(text)).toEqual(lines);
  });

  it.each([
    ["a title", `${E}]0;title\u0007x`],
    ["a hyperlink", `${E}]8;;https://evil.example${E}\\x${E}]8;;${E}\\`],
    ["a device string", `${E}Pq#0${E}\\x`],
    ["cursor moves", `${E}[2J${E}[Hx`],
    ["a cut escape at the end", `x${E}[`],
  ])("drops %s", (_, text) => {
    expect(stripAnsi(text)).toBe("x");
  });

  it("keeps the last lines only", () => {
    const text = Array.from({ length: 5_000 }, (_, n) => String(n)).join("\n");
    expect(ansiLines(text, 3).map((line) => line[0]?.text)).toEqual(["4997", "4998", "4999"]);
  });

  it("keeps one line of a long bar, however often it is drawn", () => {
    const text = Array.from({ length: 2_000 }, (_, n) => `${E}[36m${n}/2000${E}[0m\r`).join("");
    expect(ansiLines(text)).toEqual([[{ text: "1999/2000", classes: "ansi-6" }]]);
  });

  it("shows hidden characters", () => {
    expect(stripAnsi("a\u202eb")).toBe("a\\u{202e}b");
  });
});
