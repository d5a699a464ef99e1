/**
 * What bounds the work of one Markdown block, whatever a model writes into it.
 *
 * Nesting costs stack, a table is filled up to its widest row, and emphasis looks from each delimiter to the end of
 * its text. What would cost too much is shown as it was written.
 */
import { Lexer, type Token } from "marked";

/** Delimiters times characters, summed over the texts of a block: the steps that emphasis may take. */
const MAX_STEPS = 4_000_000;
const MAX_CELLS = 20_000;
/** Of what is drawn, closing ones included. */
const MAX_TAGS = 10_000;
/** List items and quotes of a block. */
const MAX_MARKERS = 4_000;

/** A lexer whose inline part takes a bounded number of steps; the texts beyond are plain. */
export class BoundedLexer extends Lexer {
  #steps = 0;

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    this.#steps += delimiters(source) * source.length;
    if (this.#steps <= MAX_STEPS) return super.inlineTokens(source, tokens);
    tokens.push({ type: "text", raw: source, text: source, escaped: false });
    return tokens;
  }
}

/** True for a text whose blocks can't be told apart in reasonable time and stack. */
export function tooCostlyToSplit(text: string): boolean {
  return nestsDeeply(text) || cells(text) > 4 * MAX_CELLS;
}

/** True for a block that can't be shown as Markdown in reasonable time and stack. */
export function tooCostly(block: string): boolean {
  return nestsDeeply(block) || cells(block) > MAX_CELLS || markers(block) > MAX_MARKERS;
}

/** True for a block of so many elements that drawing it would take too long. */
export function tooManyTags(html: string): boolean {
  return html.split("<").length > MAX_TAGS;
}

/** Quotes, lists and brackets nested so deeply that a recursive parser would run out of stack or time. */
function nestsDeeply(text: string): boolean {
  return /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])){24}/m.test(text) || /^[ \t]{200}/m.test(text) || /[[()*_~!?.,:;'"]{400}/.test(text) || /(?:&\w{1,32};){400}/.test(text);
}

/** At most how many cells the tables of a text have, once each row is as wide as what could be the table's head. */
function cells(text: string): number {
  if (!text.includes("|")) return 0;
  let [count, columns] = [0, 0];
  for (const line of text.split("\n")) {
    if (/^[>\s]*$/.test(line)) columns = 0;
    else if (line.includes("|") && /^[-|:\s>*+\d.)]+$/.test(line)) columns = Math.max(columns, line.split("|").length);
    count += columns;
  }
  return count;
}

/** The marks of lists and quotes at the start of the lines. */
function markers(text: string): number {
  let count = 0;
  for (const [prefix] of text.matchAll(/^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)]))+/gm)) count += prefix.match(/[->+*.)]/g)?.length ?? 0;
  return count;
}

function delimiters(source: string): number {
  let count = 0;
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === 42 || code === 95 || code === 126) count++;
  }
  return count;
}
