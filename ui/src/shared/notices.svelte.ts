/** Short messages at the foot of the window: an error with what to do, or a change that can be undone. */
import type { BackendError } from "../backend/types";
import { fill, tCode } from "../i18n/index.svelte";

export interface Notice {
  id: number;
  kind: "plain" | "error";
  text: string;
  action: { label: string; run: () => void } | null;
}

const PLAIN_MS = 6_000;

export class Notices {
  list = $state.raw<readonly Notice[]>([]);
  #nextId = 0;

  /** Shows `text` for a few seconds. */
  say(text: string, action: Notice["action"] = null): void {
    const id = this.#add("plain", text, action);
    setTimeout(() => this.dismiss(id), PLAIN_MS);
  }

  /** Shows an error until it is dismissed. */
  fail(error: unknown, action: Notice["action"] = null): void {
    const text = messageOf(error);
    if (!this.list.some((notice) => notice.text === text)) this.#add("error", text, action);
  }

  dismiss(id: number): void {
    this.list = this.list.filter((notice) => notice.id !== id);
  }

  /** Waits for `work`; an error is shown and gives undefined. */
  async attempt<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  #add(kind: Notice["kind"], text: string, action: Notice["action"]): number {
    const id = this.#nextId++;
    this.list = [...this.list.slice(-3), { id, kind, text, action }];
    return id;
  }
}

/** The words of whatever was thrown; those of the shell in the language of the window, with its own where they say more. */
export function messageOf(error: unknown): string {
  const code = codeOf(error);
  if (code !== null) {
    const words = tCode("refused", code);
    if (words !== code) return fill(words, { message: String((error as BackendError).message) });
  }
  if (typeof error === "object" && error !== null && "message" in error) return String((error as BackendError).message);
  return String(error);
}

/** The stable code of a backend error, null for anything else. */
export function codeOf(error: unknown): string | null {
  return typeof error === "object" && error !== null && "code" in error ? String((error as BackendError).code) : null;
}
