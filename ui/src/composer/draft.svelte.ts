/** What is being written: text, attachments and mentions, kept per session until sent. */
import type { AttachmentInput } from "../backend/types";
import { recall, remember } from "../shared/remembered.svelte";

/** One attachment, bytes. */
export const MAX_ATTACHMENT = 5 * 1024 * 1024;
const MAX_HISTORY = 50;
const NEW = "new";

export interface DraftAttachment extends AttachmentInput {
  bytes: number;
}

export class Draft {
  text = $state("");
  attachments = $state.raw<readonly DraftAttachment[]>([]);
  /** Asks the text field to take the focus, by changing. */
  focusRequests = $state(0);
  #key = NEW;
  #mentioned = new Set<string>();
  #history = recall<string[]>("history", []);
  #at: number | null = null;
  #unsent = "";

  /** Changes to the draft of another session; what was written stays with its own. */
  use(sessionId: string | null): void {
    this.keep();
    this.#key = sessionId ?? NEW;
    this.text = recall(`draft.${this.#key}`, "");
    this.attachments = [];
    this.#at = null;
  }

  /** A chat that just came into being takes nothing over: its first message was sent. */
  adopt(sessionId: string): void {
    this.#key = sessionId;
  }

  keep(): void {
    remember(`draft.${this.#key}`, this.text === "" ? null : this.text);
  }

  focus(): void {
    this.focusRequests++;
  }

  /** Puts `text` at the start of what is written. */
  insert(text: string): void {
    this.text = this.text === "" ? text : `${text}\n${this.text}`;
    this.focus();
  }

  mention(path: string): void {
    this.#mentioned.add(path);
  }

  /** The picked paths that are still in the text. */
  get mentions(): string[] {
    return [...this.#mentioned].filter((path) => this.text.includes(`@${path}`));
  }

  get empty(): boolean {
    return this.text.trim() === "" && this.attachments.length === 0;
  }

  attach(attachment: DraftAttachment): void {
    this.attachments = [...this.attachments, attachment];
  }

  detach(attachment: DraftAttachment): void {
    this.attachments = this.attachments.filter((known) => known !== attachment);
  }

  /** The message was taken: empties the draft and keeps its text for the history. */
  sent(): void {
    const text = this.text.trim();
    if (text !== "") this.#history = [text, ...this.#history.filter((known) => known !== text)].slice(0, MAX_HISTORY);
    remember("history", this.#history);
    this.clear();
  }

  clear(): void {
    this.text = "";
    this.attachments = [];
    this.#mentioned.clear();
    this.#at = null;
    this.keep();
  }

  /** Steps through what was sent before; false where there is nothing in that direction. */
  recallSent(step: 1 | -1): boolean {
    const next = (this.#at ?? -1) + step;
    if (next >= this.#history.length || next < -1) return false;
    if (this.#at === null) this.#unsent = this.text;
    this.#at = next === -1 ? null : next;
    this.text = next === -1 ? this.#unsent : (this.#history[next] ?? "");
    return true;
  }
}

/** Reads a file of a drop, paste or picker. Null where it is too large. */
export async function readAttachment(file: File): Promise<DraftAttachment | null> {
  if (file.size > MAX_ATTACHMENT) return null;
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return { name: file.name || "image.png", mediaType: file.type || "application/octet-stream", base64: btoa(binary), bytes: file.size };
}
