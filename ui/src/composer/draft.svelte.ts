/** What is being written: text, attachments and mentions, kept per session until sent. */
import type { AttachmentInput } from "../backend/types";
import { isNamed } from "../shared/mention";
import { recall, remember } from "../shared/remembered.svelte";

/** One attachment, bytes. */
export const MAX_ATTACHMENT = 5 * 1024 * 1024;
const MAX_HISTORY = 50;
/** A sent text of more characters can be recalled until the window closes. */
const MAX_REMEMBERED = 4_000;
const MAX_MENTIONED = 200;
/** How long a change may wait for its copy in the storage. */
const COPY_MS = 300;
const NEW = "new";

export interface DraftAttachment extends AttachmentInput {
  bytes: number;
}

/** What was written, and where: for a message that may still come back. */
export interface Taken {
  /** Changes when the new chat it was written in comes into being. */
  key: string;
  text: string;
  mentions: string[];
  attachments: readonly DraftAttachment[];
}

type Kept = Omit<Taken, "key">;

/** A text that can be recalled. */
interface Sent {
  text: string;
  /** Where it was sent: it goes with that. */
  key: string;
}

const NOTHING: Kept = { text: "", mentions: [], attachments: [] };

export class Draft {
  attachments = $state.raw<readonly DraftAttachment[]>([]);
  /** Asks the text field to take the focus, by changing. */
  focusRequests = $state(0);
  #text = $state(recall(`draft.${NEW}`, ""));
  #key = NEW;
  /** What was taken and is on its way. */
  readonly #taken = new Set<Taken>();
  /** The paths that were picked in the open folder, newest last: a text that comes back names its files by itself. */
  #mentioned: readonly string[] = [];
  #folder = "";
  /** The drafts of other sessions. Storage holds a copy of the texts, for the next start. */
  readonly #kept = new Map<string, Kept>();
  #copying: ReturnType<typeof setTimeout> | undefined;
  #history: readonly Sent[] = recall<Sent[]>("history", []).filter((sent) => typeof sent?.text === "string");
  #at: number | null = null;

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    clearTimeout(this.#copying);
    this.#copying = setTimeout(() => this.keep(), COPY_MS);
  }

  /** Changes to the draft of another session; what was written stays with its own. */
  use(sessionId: string | null): void {
    this.keep();
    this.#kept.set(this.#key, { text: this.#text, mentions: this.mentions, attachments: this.attachments });
    this.#key = sessionId ?? NEW;
    this.#show(this.#kept.get(this.#key) ?? { ...NOTHING, text: recall(`draft.${this.#key}`, "") });
  }

  /** The new chat came into being: what is written since its first message belongs to it. */
  adopt(sessionId: string): void {
    this.#kept.delete(this.#key);
    remember(`draft.${this.#key}`, null);
    for (const taken of this.#taken) if (taken.key === this.#key) taken.key = sessionId;
    if (this.#sentIn(this.#key)) this.#remember(this.#history.map((sent) => (sent.key === this.#key ? { ...sent, key: sessionId } : sent)));
    this.#key = sessionId;
    this.keep();
  }

  /** Another folder is open: its paths are others. */
  inFolder(folder: string): void {
    this.#folder = folder;
    this.#mentioned = recall<string[]>(`mentioned.${folder}`, []);
  }

  /** Forgets the draft of a session that is gone, and what was sent in it; the draft of a new chat stays. */
  forget(sessionId: string): void {
    if (this.#sentIn(sessionId)) this.#remember(this.#history.filter((sent) => sent.key !== sessionId));
    this.#kept.delete(sessionId);
    remember(`draft.${sessionId}`, null);
    if (this.#key === sessionId) this.#empty();
  }

  /** Forgets every draft, and what was sent; what storage holds is not looked at. */
  forgetAll(): void {
    this.#kept.clear();
    this.#history = [];
    this.#mentioned = [];
    this.#empty();
  }

  /** Copies the text to storage at once. */
  keep(): void {
    clearTimeout(this.#copying);
    copy(this.#key, this.#text);
  }

  focus(): void {
    this.focusRequests++;
  }

  /** Puts `text` at the start of what is written. */
  insert(text: string): void {
    this.text = joined(text, this.#text);
    this.focus();
  }

  mention(path: string): void {
    this.#mentioned = [...this.#mentioned.filter((known) => known !== path), path].slice(-MAX_MENTIONED);
    remember(`mentioned.${this.#folder}`, this.#mentioned);
  }

  /** The picked paths that the text names. */
  get mentions(): string[] {
    return this.#mentioned.filter((path) => isNamed(this.#text, path));
  }

  get empty(): boolean {
    return this.#text.trim() === "" && this.attachments.length === 0;
  }

  attach(attachment: DraftAttachment): void {
    this.attachments = [...this.attachments, attachment];
  }

  detach(attachment: DraftAttachment): void {
    this.attachments = this.attachments.filter((known) => known !== attachment);
  }

  /** Takes what is written to be sent: the draft is empty, and its text goes to the history. */
  take(): Taken {
    const taken = { key: this.#key, text: this.#text, mentions: this.mentions, attachments: this.attachments };
    const text = taken.text.trim();
    if (text !== "") this.#remember([{ text, key: this.#key }, ...this.#history.filter((known) => known.text !== text)]);
    this.#show(NOTHING);
    this.keep();
    this.#taken.add(taken);
    return taken;
  }

  /** What was taken has arrived, or waits in a queue. */
  sent(taken: Taken): void {
    this.#taken.delete(taken);
  }

  /** What was taken was not sent: it is where it came from again, before what was written since. */
  putBack(taken: Taken): void {
    const { key, text, mentions, attachments } = taken;
    this.#taken.delete(taken);
    if (this.#history[0]?.text === text.trim()) this.#remember(this.#history.slice(1));
    if (key === this.#key) {
      this.#prepend(taken);
    } else {
      const since = this.#kept.get(key) ?? { ...NOTHING, text: recall(`draft.${key}`, "") };
      const kept = { text: joined(text, since.text), mentions: [...mentions, ...since.mentions], attachments: [...attachments, ...since.attachments] };
      this.#kept.set(key, kept);
      copy(key, kept.text);
    }
  }

  /** A message that waited is written on, before what was written since. */
  takeBack({ text, mentions, attachments }: { text: string; mentions: string[]; attachments: readonly AttachmentInput[] }): void {
    this.#prepend({ text, mentions, attachments: attachments.map(sized) });
    this.focus();
  }

  #prepend({ text, mentions, attachments }: Kept): void {
    for (const path of mentions) this.mention(path);
    this.attachments = [...attachments, ...this.attachments];
    this.text = joined(text, this.#text);
  }

  /** What is written was recalled, and is unchanged. */
  get recalled(): boolean {
    return this.#text !== "" && this.#at !== null && this.#text === this.#history[this.#at]?.text;
  }

  /** Steps through what was sent before, never over what is being written; false where there is nothing in that direction. */
  recallSent(step: 1 | -1): boolean {
    if (!this.recalled) {
      if (this.#text !== "") return false;
      this.#at = null;
    }
    const next = (this.#at ?? -1) + step;
    if (next >= this.#history.length || next < -1) return false;
    this.#at = next === -1 ? null : next;
    this.text = this.#history[next]?.text ?? "";
    return true;
  }

  #show({ text, attachments }: Omit<Kept, "mentions">): void {
    this.#text = text;
    this.attachments = attachments;
    this.#at = null;
  }

  #empty(): void {
    this.#taken.clear();
    this.#show(NOTHING);
    this.keep();
  }

  #sentIn(key: string): boolean {
    return this.#history.some((sent) => sent.key === key);
  }

  #remember(history: readonly Sent[]): void {
    this.#history = history.slice(0, MAX_HISTORY);
    // A pasted log would crowd everything else out of the storage.
    remember("history", this.#history.filter(({ text }) => text.length <= MAX_REMEMBERED));
  }
}

function copy(key: string, text: string): void {
  remember(`draft.${key}`, text === "" ? null : text);
}

function joined(before: string, after: string): string {
  return before === "" || after === "" ? before + after : `${before}\n${after}`;
}

/** An attachment with its size. */
export function sized(input: AttachmentInput): DraftAttachment {
  return { ...input, bytes: Math.floor((input.base64.replace(/=/g, "").length * 3) / 4) };
}

/** Reads a file of a drop, paste or picker. Null where it is too large. */
export async function readAttachment(file: File): Promise<DraftAttachment | null> {
  if (file.size > MAX_ATTACHMENT) return null;
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return { name: file.name || "image.png", mediaType: file.type || "application/octet-stream", base64: btoa(binary), bytes: file.size };
}
