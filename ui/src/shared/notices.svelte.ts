/** Short messages at the foot of the window: an error with what to do, or a change that can be undone. */
import type { Asked, BackendError } from "../backend/types";
import { fill, tCode } from "../i18n/index.svelte";

export interface Notice {
  id: number;
  kind: "plain" | "error";
  text: string;
  action: { label: string; run: () => void } | null;
  /** What it speaks of: what is said of the same next takes its place. */
  about: string | undefined;
}

const PLAIN_MS = 6_000;
/** Time to read, decide and reach the button. */
const ACTION_MS = 20_000;

export class Notices {
  list = $state.raw<readonly Notice[]>([]);
  #nextId = 0;
  #held = false;
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();

  /** Shows `text` for a while. */
  say(text: string, action: Notice["action"] = null, about?: string): void {
    const notice = this.#add("plain", text, action, about);
    if (!this.#held) this.#expire(notice);
  }

  /** Shows an error until it is dismissed. */
  fail(error: unknown, action: Notice["action"] = null, about?: string): void {
    const text = messageOf(error);
    // Anew where it is shown already, so that it is heard again.
    this.list = this.list.filter((notice) => notice.text !== text);
    this.#add("error", text, action, about);
  }

  /** What was said of that no longer holds. */
  over(about: string): void {
    if (this.list.some((notice) => notice.about === about)) this.list = this.list.filter((notice) => notice.about !== about);
  }

  /** While they are pointed at or have the focus, none goes away by itself. */
  hold(held: boolean): void {
    if (held === this.#held) return;
    this.#held = held;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    if (!held) for (const notice of this.list) if (notice.kind === "plain") this.#expire(notice);
  }

  dismiss(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.list = this.list.filter((notice) => notice.id !== id);
  }

  /** Waits for `work`; an error is shown and gives undefined. Why something is impossible is shown too. */
  async attempt<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      const answer = await work;
      if (isImpossible(answer)) this.fail({ message: answer.message });
      return answer;
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  /** Waits for what may open a native question: whether it was done. */
  async done(work: Promise<Asked>): Promise<boolean> {
    return (await this.attempt(work))?.status === "done";
  }

  #add(kind: Notice["kind"], text: string, action: Notice["action"], about: string | undefined): Notice {
    if (about !== undefined) this.over(about);
    const notice = { id: this.#nextId++, kind, text, action, about };
    this.list = [...this.list.slice(-3), notice];
    return notice;
  }

  #expire({ id, action }: Notice): void {
    this.#timers.set(id, setTimeout(() => this.dismiss(id), action === null ? PLAIN_MS : ACTION_MS));
  }
}

function isImpossible(answer: unknown): answer is { message: string } {
  const { status, message } = (answer ?? {}) as Partial<Asked>;
  return status === "impossible" && typeof message === "string";
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
