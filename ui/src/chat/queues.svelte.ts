/** What waits to be sent, by session; each goes on when its own run ends, in sight or not. */
import type { AttachmentInput } from "../backend/types";
import { recall, remember } from "../shared/remembered.svelte";

export interface Outgoing {
  text: string;
  mentions: string[];
  attachments: AttachmentInput[];
}

/** A message that waits to be sent. */
export interface Queued extends Outgoing {
  /** The names of its files, which the last window took with it. */
  without?: readonly string[];
}

/** The key of a chat that has no session yet. */
export const NEW = "";

export class Queues {
  #all = $state.raw<ReadonlyMap<string, readonly Queued[]>>(new Map());

  of(key: string): readonly Queued[] {
    return this.#all.get(key) ?? [];
  }

  set(key: string, queue: readonly Queued[]): void {
    this.#all = new Map([...this.#all, [key, queue]]);
    // As with a draft, the words outlive the window and the files don't.
    if (key !== NEW) remember(`queue.${key}`, queue.length === 0 ? null : queue.map(wordsOf));
  }

  /** What waited when the window was closed is there again, and held: only a completed run or the person sends it. */
  recall(key: string): void {
    if (this.#all.has(key)) return;
    // Without its files, one that had no words is nothing.
    const queue = recall<Queued[]>(`queue.${key}`, []).filter(({ text }) => text !== "");
    this.#all = new Map([...this.#all, [key, queue]]);
  }
}

/** What of a waiting message outlives the window. */
function wordsOf({ text, mentions, attachments, without = [] }: Queued): Queued {
  const names = [...without, ...attachments.map(({ name }) => name)];
  return { text, mentions, attachments: [], ...(names.length > 0 && { without: names }) };
}
