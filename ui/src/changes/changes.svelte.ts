/** What the file tools changed in the session on screen, and taking it back. */
import type { Backend } from "../backend/backend";
import type { AppEvent, Change, FileDiff } from "../backend/types";
import { messageOf } from "../shared/notices.svelte";

export class Changes {
  list = $state.raw<readonly Change[]>([]);
  /** By change; the words of why where it can't be read. */
  diffs = $state.raw<ReadonlyMap<string, FileDiff | string>>(new Map());
  ready = $state(false);
  failed = $state<string | null>(null);
  #sessionId: string | null = null;
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  get sessionId(): string | null {
    return this.#sessionId;
  }

  get undoable(): readonly Change[] {
    return this.list.filter((change) => change.state === "undoable" || change.state === "changed_since");
  }

  async load(sessionId: string | null): Promise<void> {
    if (sessionId !== this.#sessionId) {
      this.#sessionId = sessionId;
      this.list = [];
      this.failed = null;
      this.ready = sessionId === null;
    }
    if (sessionId === null) return;
    const list = await this.#backend.changes(sessionId).catch(messageOf);
    if (this.#sessionId !== sessionId) return;
    if (typeof list !== "string") this.list = list;
    this.failed = typeof list === "string" ? list : null;
    this.ready = true;
  }

  async diff(changeId: string): Promise<void> {
    const known = this.diffs.get(changeId);
    if (known !== undefined && typeof known !== "string") return;
    this.#keep(changeId, undefined);
    this.#keep(changeId, await this.#backend.changeDiff(changeId).catch(messageOf));
  }

  #keep(changeId: string, diff: FileDiff | string | undefined): void {
    const diffs = new Map(this.diffs);
    if (diff === undefined) diffs.delete(changeId);
    else diffs.set(changeId, diff);
    this.diffs = diffs;
  }

  handle(event: AppEvent): void {
    if (event.type === "session_opened") void this.load(event.transcript.session.sessionId);
    if (event.type === "changes_changed" && event.sessionId === this.#sessionId) void this.load(event.sessionId);
  }
}
