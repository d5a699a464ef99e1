/** What the file tools changed in the session on screen, and taking it back. */
import type { Backend } from "../backend/backend";
import type { AppEvent, Change, FileDiff } from "../backend/types";
import type { Notices } from "../shared/notices.svelte";

/** An undo that met a later edit: the person chooses. */
export interface Conflict {
  change: Change;
  diff: FileDiff | null;
}

export class Changes {
  list = $state.raw<readonly Change[]>([]);
  diffs = $state.raw<ReadonlyMap<string, FileDiff>>(new Map());
  conflict = $state.raw<Conflict | null>(null);
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

  async undo(change: Pick<Change, "changeId">, evenIfChanged = false): Promise<boolean> {
    const result = await this.#notices.attempt(this.#backend.undo(change.changeId, evenIfChanged));
    if (!result) return false;
    const known = this.list.find((candidate) => candidate.changeId === change.changeId);
    if (result.status === "changed_since" && known) this.conflict = { change: known, diff: result.diff };
    else this.conflict = null;
    if (result.status === "failed") this.#notices.fail({ message: result.message ?? "" });
    await this.load(this.#sessionId);
    return result.status === "undone";
  }

  handle(event: AppEvent): void {
    if (event.type === "session_opened") void this.load(event.transcript.session.sessionId);
    if (event.type === "changes_changed" && event.sessionId === this.#sessionId) void this.load(event.sessionId);
  }
}
