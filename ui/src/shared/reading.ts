/** The output of a running command while one reads further up: as it stood, and what follows. */
import { ansiLines, type Line } from "./ansi";

/** How much may follow; the rest is drawn when the end is reached. */
const CHARACTERS = 256 * 1024;
const LINES = 1_000;

export class Reading {
  #text: string;
  /** Where the text ends in all that was written. */
  #end: number;
  /** Lines that were not drawn when it began. */
  readonly #skipped: number;
  readonly #most: number;
  #lines: readonly Line[] = [];

  /** `from`: how much had been written before `text`. */
  constructor(text: string, from: number, limit: number) {
    this.#text = text;
    this.#end = from + text.length;
    this.#skipped = Math.max(0, ansiLines(text).length - limit);
    this.#most = limit + LINES;
  }

  /** What is drawn of it, now that `text` is the newest that is known. */
  lines(text: string, from: number): readonly Line[] {
    // A gap would be read as one line after the other.
    if (from <= this.#end && from + text.length > this.#end && this.#text.length < CHARACTERS) {
      this.#text += text.slice(this.#end - from);
      this.#end = from + text.length;
    }
    // All but the last are the same ones again, which aren't drawn anew.
    const settled = this.#lines.slice(0, -1);
    this.#lines = [...settled, ...ansiLines(this.#text).slice(this.#skipped + settled.length, this.#skipped + this.#most)];
    return this.#lines;
  }
}
