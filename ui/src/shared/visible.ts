/**
 * Makes invisible and direction-changing characters visible as `\u{…}`, so that text can't look like other text.
 *
 * The core escapes what decisions are made from; this covers what arrives as it is: the model's prose, program
 * output and diffs. Emoji sequences keep their joiners and selectors.
 */

// Bidi controls, zero-width and other default-ignorable characters, tags, private use, line separators,
// C0/C1 controls but for tab and newline.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ue000-\uf8ff]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}]/gu;

const PICTOGRAPH_BEFORE = /[\p{Extended_Pictographic}\p{Emoji_Component}]$/u;
const PICTOGRAPH_AFTER = /^\p{Extended_Pictographic}/u;

/** `text` with every hidden character written out. Carriage returns before a newline are dropped. */
export function visible(text: string): string {
  const unix = text.includes("\r") ? text.replace(/\r\n/g, "\n") : text;
  HIDDEN.lastIndex = 0;
  if (!HIDDEN.test(unix)) return unix;
  return unix.replace(HIDDEN, (character: string, offset: number) =>
    inEmoji(unix, character, offset) ? character : escaped(character),
  );
}

/** True when `text` holds a character that `visible` would write out. */
export function hasHidden(text: string): boolean {
  return visible(text) !== text.replace(/\r\n/g, "\n");
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`;
}

function inEmoji(text: string, character: string, offset: number): boolean {
  if (character !== "\u200d" && character !== "\ufe0f") return false;
  if (!PICTOGRAPH_BEFORE.test(text.slice(Math.max(0, offset - 2), offset))) return false;
  return character === "\ufe0f" || PICTOGRAPH_AFTER.test(text.slice(offset + 1, offset + 3));
}
