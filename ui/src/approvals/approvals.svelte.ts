/** The calls that wait for the person. The window can open the native question again, or deny. */
import { SvelteMap } from "svelte/reactivity";
import type { Backend } from "../backend/backend";
import type { AppEvent, Approval, ApprovalEnd } from "../backend/types";
import type { Notices } from "../shared/notices.svelte";

/** One that was answered or ran out while the window was open. */
export interface Settled {
  approval: Approval;
  end: ApprovalEnd;
  words: string | null;
  timeMs: number;
}

const KEPT = 20;

export class Approvals {
  waiting = $state.raw<readonly Approval[]>([]);
  settled = $state.raw<readonly Settled[]>([]);
  /** What is typed for the model with a no that isn't said yet, by call. */
  readonly words = new SvelteMap<string, string>();
  readonly #backend: Backend;
  readonly #notices: Notices;

  constructor(backend: Backend, notices: Notices) {
    this.#backend = backend;
    this.#notices = notices;
  }

  get count(): number {
    return this.waiting.length;
  }

  ofSession(sessionId: string | null): readonly Approval[] {
    return this.waiting.filter((approval) => approval.sessionId === sessionId);
  }

  handle(event: AppEvent): void {
    if (event.type === "app") {
      this.waiting = event.app.approvals;
    } else if (event.type === "approval_waiting") {
      const known = this.waiting.some((a) => a.approvalId === event.approval.approvalId);
      this.waiting = known
        ? this.waiting.map((a) => (a.approvalId === event.approval.approvalId ? event.approval : a))
        : [...this.waiting, event.approval];
    } else if (event.type === "approval_settled") {
      this.words.delete(event.approvalId);
      const approval = this.waiting.find((a) => a.approvalId === event.approvalId);
      if (!approval) return;
      this.waiting = this.waiting.filter((a) => a !== approval);
      this.settled = [{ approval, end: event.end, words: event.words, timeMs: Date.now() }, ...this.settled].slice(0, KEPT);
    }
  }

  review(approvalId: string): Promise<void | undefined> {
    return this.#notices.attempt(this.#backend.review(approvalId));
  }

  deny(approvalId: string, words: string): Promise<void | undefined> {
    return this.#notices.attempt(this.#backend.deny(approvalId, words.trim() === "" ? null : words.trim()));
  }

  denyAll(): Promise<void | undefined> {
    return this.#notices.attempt(this.#backend.denyAll());
  }
}
