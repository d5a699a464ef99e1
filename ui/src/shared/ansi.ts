/** Terminal output as lines of coloured runs. Understands SGR colours, carriage return, backspace and line erasing; drops all else. */
import { visible } from "./visible";

export interface Run {
  text: string;
  /** Space-separated class names, empty for plain text. */
  classes: string;
}

export type Line = Run[];

interface Style {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  /** 0–7, null for the default. */
  colour: number | null;
}

const PLAIN: Style = { bold: false, dim: false, italic: false, underline: false, colour: null };

// CSI … final, OSC … BEL or ST, other string sequences, two-character escapes.
const ESCAPES =
  /\u001b\[([0-?]*)[ -/]*([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[PX^_][^\u001b]*(?:\u001b\\)?|\u001b[ -/]*[0-~]?/g;

/** Splits `text` into lines; at most the last `limit` are kept. */
export function ansiLines(text: string, limit = Number.POSITIVE_INFINITY): Line[] {
  const lines: Line[] = [];
  let line: Run[] = [];
  let style = PLAIN;
  let at = 0;
  // A carriage return counts with the next character: the line starts over, as a progress bar does. Before a newline it means nothing.
  let returned = false;

  const put = (raw: string): void => {
    for (const [piece] of raw.matchAll(/[\n\r\b]|[^\n\r\b]+/g)) {
      if (piece === "\n") {
        lines.push(line);
        line = [];
        returned = false;
        if (lines.length > limit + 64) lines.splice(0, lines.length - limit);
      } else if (piece === "\r") {
        returned = true;
      } else if (piece === "\b") {
        if (!returned) takeLast(line);
      } else {
        if (returned) line = [];
        returned = false;
        append(line, piece, classesOf(style));
      }
    }
  };

  for (const match of text.matchAll(ESCAPES)) {
    if (match.index > at) put(text.slice(at, match.index));
    at = match.index + match[0].length;
    const [, parameters = "", final] = match;
    if (final === "m") style = restyle(style, parameters);
    else if (final === "G" && Number(parameters) <= 1) returned = true;
    else if (final === "K" && erasesAll(Number(parameters), returned)) line = [];
  }
  if (at < text.length) put(text.slice(at));
  if (line.length > 0 || lines.length === 0) lines.push(line);
  return (lines.length > limit ? lines.slice(-limit) : lines).map((runs) => runs.map((run) => ({ ...run, text: visible(run.text) })));
}

/** The text without any escape. */
export function stripAnsi(text: string): string {
  return ansiLines(text)
    .map((line) => line.map((run) => run.text).join(""))
    .join("\n");
}

/** Whether erasing in the line takes all of it: what follows the cursor (0), what precedes it (1), or both (2). */
function erasesAll(what: number, atStart: boolean): boolean {
  return what === 2 || what === (atStart ? 0 : 1);
}

function append(line: Run[], text: string, classes: string): void {
  const last = line.at(-1);
  if (last && last.classes === classes) last.text += text;
  else line.push({ text, classes });
}

/** Takes the last character of a line, as a backspace does. */
function takeLast(line: Run[]): void {
  const last = line.at(-1);
  if (!last) return;
  last.text = last.text.replace(/.$/su, "");
  if (last.text === "") line.pop();
}

function restyle(style: Style, parameters: string): Style {
  let next = style;
  const codes = parameters === "" ? [0] : parameters.split(/[;:]/).map(Number);
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0;
    if (code === 0) next = PLAIN;
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 3) next = { ...next, italic: true };
    else if (code === 4) next = { ...next, underline: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 23) next = { ...next, italic: false };
    else if (code === 24) next = { ...next, underline: false };
    else if (code >= 30 && code <= 37) next = { ...next, colour: code - 30 };
    else if (code >= 90 && code <= 97) next = { ...next, colour: code - 90 };
    else if (code === 39) next = { ...next, colour: null };
    else if (code === 38 || code === 48) {
      const kind = codes[index + 1];
      const colour = kind === 5 ? indexed(codes[index + 2] ?? 0) : nearest(codes.slice(index + 2, index + 5));
      index += kind === 5 ? 2 : 4;
      if (code === 38) next = { ...next, colour };
    }
  }
  return next;
}

function indexed(value: number): number {
  if (value < 16) return value % 8;
  if (value >= 232) return value < 244 ? 0 : 7;
  const cube = value - 16;
  return nearest([Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51]);
}

/** The eight-colour index whose channels are on where the given ones are strong. */
function nearest([red = 0, green = 0, blue = 0]: number[]): number {
  const strong = Math.max(red, green, blue) * 0.6;
  return (red > strong ? 1 : 0) + (green > strong ? 2 : 0) + (blue > strong ? 4 : 0);
}

function classesOf(style: Style): string {
  const classes: string[] = [];
  if (style.colour !== null) classes.push(`ansi-${style.colour}`);
  if (style.bold) classes.push("ansi-bold");
  if (style.dim) classes.push("ansi-dim");
  if (style.italic) classes.push("ansi-italic");
  if (style.underline) classes.push("ansi-underline");
  return classes.join(" ");
}
