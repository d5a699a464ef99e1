/**
 * Splits streamed Markdown into blocks so that only the last one is parsed again with each delta.
 *
 * A block is final as soon as another follows it; CommonMark never lets later text change an earlier
 * top-level block, but for link definitions, which are collected in `links`.
 */
import { Lexer, type Links } from "marked";
import { tooCostlyToSplit } from "./markdown_bounds";

export interface Block {
  id: number;
  source: string;
  /** A fenced code block's language and text; null for everything else. */
  code: { language: string; text: string } | null;
  /** False once nothing can be added. */
  open: boolean;
}

/** Longer blocks are shown as plain text: no reader needs their markup, and parsing must not stall a frame. */
export const MAX_BLOCK_CHARACTERS = 32 * 1024;

/** Link definitions of one text: each reference of each block is looked up among them. */
const MAX_LINKS = 1_000;

/** Blocks in one chunk: a delta touches the last chunk only, however long the text is. */
const CHUNK = 32;

export class BlockStream {
  links: Links = {};
  #chunks: (readonly Block[])[] = [];
  #nextId = 0;
  /** What `read` was last given, and whether more could come. */
  #text = "";
  #open = true;

  constructor(text = "") {
    if (text !== "") {
      this.append(text);
      this.finish();
    }
  }

  /** Chunks of blocks. A new outer array with each change; unchanged chunks and blocks keep their identity. */
  get chunks(): readonly (readonly Block[])[] {
    return this.#chunks;
  }

  get blocks(): readonly Block[] {
    return this.#chunks.flat();
  }

  /** Brings it to `text`: more of the one before, or another one. The chunks. */
  read(text: string, open: boolean): readonly (readonly Block[])[] {
    if (text !== this.#text && (!this.#open || !text.startsWith(this.#text))) {
      this.links = {};
      this.#chunks = [];
      this.#text = "";
    }
    if (text !== this.#text) this.append(text.slice(this.#text.length));
    if (!open) this.finish();
    this.#text = text;
    this.#open = open;
    return this.#chunks;
  }

  append(text: string): void {
    const chunk = this.#chunks.at(-1) ?? [];
    const last = chunk.at(-1);
    // A block too long to be shown as Markdown takes no more: with each delta all of it would be split again.
    const full = last?.open === true && last.code === null && last.source.length > MAX_BLOCK_CHARACTERS;
    const open = last?.open && !full ? last : undefined;
    const pieces = split((open?.source ?? "") + text.replace(/\r\n?/g, "\n"), this.links);
    const tail: Block[] = open || full ? chunk.slice(0, -1) : [...chunk];
    if (full) tail.push({ ...last, open: false });
    pieces.forEach((piece, index) => {
      const id = index === 0 && open ? open.id : this.#nextId++;
      tail.push({ id, ...piece, open: index === pieces.length - 1 });
    });
    const chunks = this.#chunks.slice(0, -1);
    for (let at = 0; at < tail.length; at += CHUNK) chunks.push(tail.slice(at, at + CHUNK));
    this.#chunks = chunks;
  }

  /** Says that nothing follows. */
  finish(): void {
    const chunk = this.#chunks.at(-1);
    const last = chunk?.at(-1);
    if (chunk && last?.open) this.#chunks = [...this.#chunks.slice(0, -1), [...chunk.slice(0, -1), { ...last, open: false }]];
  }
}

type Piece = Pick<Block, "source" | "code">;

function split(text: string, links: Links): Piece[] {
  if (text.length > MAX_BLOCK_CHARACTERS * 8 || tooCostlyToSplit(text)) return [{ source: text, code: null }];
  const lexer = new Lexer({ gfm: true });
  let tokens;
  try {
    tokens = lexer.blockTokens(text, []);
  } catch {
    return [{ source: text, code: null }];
  }
  const known = Object.keys(links).length;
  Object.assign(links, Object.fromEntries(Object.entries(lexer.tokens.links).slice(0, Math.max(0, MAX_LINKS - known))));

  const pieces: Piece[] = [];
  let used = 0;
  let defined = false;
  for (const token of tokens) {
    // The lexer gives back each character in `raw`, but for an empty list item at the end, which it completes.
    // From where it doesn't, the text stays one block.
    if (!text.startsWith(token.raw, used)) {
      pieces.push({ source: text.slice(used), code: null });
      return pieces;
    }
    used += token.raw.length;
    const last = pieces.at(-1);
    // Definitions draw nothing: a run of them is one block.
    if (last && (token.type === "space" || (token.type === "def" && defined))) {
      last.source += token.raw;
    } else {
      defined = token.type === "def";
      const fenced = token.type === "code" && token.codeBlockStyle !== "indented";
      pieces.push({
        source: token.raw,
        code: fenced ? { language: firstWord(token.lang as string | undefined), text: token.text as string } : null,
      });
    }
  }
  if (used < text.length) pieces.push({ source: text.slice(used), code: null });
  return pieces;
}

function firstWord(info: string | undefined): string {
  return (info ?? "").trim().split(/\s+/)[0]?.toLowerCase() ?? "";
}
