/**
 * Syntax colours for reading, not for compiling: comments, strings, numbers, words of the language, names that
 * are called. One pass, linear in the text, whatever it holds; the result is text nodes and spans, never HTML.
 */
import { type LanguageName, type LanguageRules, rulesOf } from "./languages";

/** Longer code stays plain, in characters. */
export const MAX_HIGHLIGHT = 30 * 1024;

export interface Token {
  text: string;
  kind: "comment" | "string" | "number" | "keyword" | "title" | "name" | "added" | "removed" | null;
}

const NUMBER = /(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)[\w%]*/y;
const WORD = /[\p{L}_@#][\p{L}\p{N}_-]*/uy;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const VARIABLE = /\$(?:\{[^}\n]{0,200}\}|[\p{L}\p{N}_@#?*!-]+)/uy;
const SPACE = /\s+/y;

/** `text` as coloured nodes, null where it stays plain. */
export function highlight(text: string, language: LanguageName): DocumentFragment | null {
  if (text.length > MAX_HIGHLIGHT) return null;
  const fragment = document.createDocumentFragment();
  for (const token of tokens(text, language)) {
    if (token.kind === null) {
      fragment.append(token.text);
    } else {
      const span = document.createElement("span");
      span.className = `code-${token.kind}`;
      span.textContent = token.text;
      fragment.append(span);
    }
  }
  return fragment;
}

/** The tokens of `text`, which together are `text`. */
export function tokens(text: string, language: LanguageName): Token[] {
  if (language === "diff") return diffTokens(text);
  if (language === "markup") return markupTokens(text);
  return codeTokens(text, rulesOf(language));
}

class Tokens {
  readonly list: Token[] = [];

  add(text: string, kind: Token["kind"]): void {
    const last = this.list.at(-1);
    if (last && last.kind === kind) last.text += text;
    else if (text !== "") this.list.push({ text, kind });
  }
}

function codeTokens(text: string, rules: LanguageRules): Token[] {
  const out = new Tokens();
  let at = 0;
  while (at < text.length) {
    const [piece, kind] = next(text, at, rules);
    out.add(piece, kind);
    at += piece.length;
  }
  return out.list;
}

function next(text: string, at: number, rules: LanguageRules): [string, Token["kind"]] {
  const space = match(SPACE, text, at);
  if (space) return [space, null];
  const block = rules.block.find(([start]) => text.startsWith(start, at));
  if (block) return [until(text, at, block[1], at + block[0].length), "comment"];
  // In shells a # inside a word is no comment.
  if (rules.line.some((start) => text.startsWith(start, at)) && (text[at] !== "#" || at === 0 || /[\s;]/.test(text.charAt(at - 1)))) return [until(text, at, "\n", at, false), "comment"];
  const quote = rules.quotes.find((candidate) => text.startsWith(candidate, at));
  if (quote) {
    const string = quoted(text, at, quote, rules.long.includes(quote));
    return [string, rules.keys && followedBy(text, at + string.length, ":") ? "name" : "string"];
  }
  if (rules.dollar) {
    const variable = match(VARIABLE, text, at);
    if (variable) return [variable, "name"];
  }
  const number = match(NUMBER, text, at);
  if (number) return [number, "number"];
  const word = match(rules.keys ? WORD : NAME, text, at);
  if (!word) return [String.fromCodePoint(text.codePointAt(at) ?? 32), null];
  if (rules.keywords.has(rules.anyCase ? word.toLowerCase() : word)) return [word, "keyword"];
  const end = at + word.length;
  if (rules.keys) return [word, followedBy(text, end, ":") || followedBy(text, end, "=") ? "name" : null];
  return [word, text[end] === "(" || text.startsWith("!(", end) ? "title" : null];
}

function markupTokens(text: string): Token[] {
  const out = new Tokens();
  let at = 0;
  while (at < text.length) {
    if (text.startsWith("<!--", at)) {
      const comment = until(text, at, "-->", at + 4);
      out.add(comment, "comment");
      at += comment.length;
    } else if (text[at] === "<" && /[a-zA-Z/!?]/.test(text.charAt(at + 1))) {
      at = tag(text, at, out);
    } else {
      const plain = until(text, at, "<", at + 1, false);
      out.add(plain, null);
      at += plain.length;
    }
  }
  return out.list;
}

/** One tag from `<` to `>`; the place after it. */
function tag(text: string, from: number, out: Tokens): number {
  let at = from;
  let first = true;
  while (at < text.length) {
    const character = text.charAt(at);
    const word = match(WORD, text, at);
    if (word) {
      out.add(word, first ? "keyword" : "name");
      first = false;
      at += word.length;
    } else if (character === '"' || character === "'") {
      const string = quoted(text, at, character, true);
      out.add(string, "string");
      at += string.length;
    } else {
      out.add(character, null);
      at++;
      if (character === ">") break;
    }
  }
  return at;
}

function diffTokens(text: string): Token[] {
  const out = new Tokens();
  for (const line of text.split(/(?<=\n)/)) {
    const kind = /^(?:@@|diff |index |\+\+\+|---)/.test(line) ? "comment" : line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : null;
    out.add(line, kind);
  }
  return out.list;
}

/** A string from its quote to the same quote, a backslash taking the next character with it. */
function quoted(text: string, at: number, quote: string, long: boolean): string {
  for (let end = at + quote.length; end < text.length; end++) {
    const character = text[end];
    if (character === "\\") end++;
    else if (text.startsWith(quote, end)) return text.slice(at, end + quote.length);
    else if (character === "\n" && !long) return text.slice(at, end);
  }
  return text.slice(at);
}

function until(text: string, at: number, end: string, from: number, including = true): string {
  const found = text.indexOf(end, from);
  return found < 0 ? text.slice(at) : text.slice(at, found + (including ? end.length : 0));
}

function followedBy(text: string, at: number, character: string): boolean {
  let place = at;
  while (text[place] === " ") place++;
  return text[place] === character;
}

function match(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}
