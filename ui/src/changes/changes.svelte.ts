/** What the file tools changed in the session on screen, and taking it back. */
import type { Backend } from "../backend/backend";
import type { AppEvent, Change, FileDiff } from "../backend/types";
import type { Notices } from "../shared/notices.svelte";

export class Changes {
  list = $state.raw<readonly Change[]>([]);
  diffs = $state.raw<ReadonlyMap<string, FileDiff>>(new Map());
  ready = $state(false);
  #sessionId: string | null = null;
  readonly #backend: Backend;
  readonly #notices: Notices;

  constructor(backend: Backend, notices: Notices) {
    this.#backend = backend;
    this.#notices = notices;
  }

  get undoable(): readonly Change[] {
    return this.list.filter((change) => change.state === "undoable" || change.state === "changed_since");
  }

  async load(sessionId: string | null): Promise<void> {
    this.#sessionId = sessionId;
    if (sessionId === null) {
      this.list = [];
      this.ready = true;
      return;
    }
    const list = await this.#notices.attempt(this.#backend.changes(sessionId));
    if (this.#sessionId !== sessionId) return;
    this.list = list ?? [];
    this.ready = true;
  }

  async diff(changeId: string): Promise<void> {
    if (this.diffs.has(changeId)) return;
    const diff = await this.#notices.attempt(this.#backend.changeDiff(changeId));
    if (diff) this.diffs = new Map(this.diffs).set(changeId, diff);
  }

  handle(event: AppEvent): void {
    if (event.type === "session_opened") void this.load(event.transcript.session.sessionId);
    if (event.type === "changes_changed" && event.sessionId === this.#sessionId) void this.load(event.sessionId);
  }
}
