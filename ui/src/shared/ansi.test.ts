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

  it("shows hidden characters", () => {
    expect(stripAnsi("a\u202eb")).toBe("a\\u{202e}b");
  });
});
