/** The list of sessions, searched and grouped. */
import type { Backend } from "../backend/backend";
import type { AppEvent, SessionSummary } from "../backend/types";
import type { Notices } from "../shared/notices.svelte";
import { t } from "../i18n/index.svelte";
import { day } from "../i18n/time";

export interface SessionGroup {
  title: string;
  sessions: SessionSummary[];
}

/** So many are listed, and so many more each time one asks. */
const STEP = 300;

export class Sessions {
  list = $state.raw<readonly SessionSummary[]>([]);
  text = $state("");
  /** Every folder's, or the open one's only. */
  everywhere = $state(false);
  archived = $state(false);
  ready = $state(false);
  failed = $state<string | null>(null);
  #limit = $state(STEP);
  #workspace: string | null = null;
  #request = 0;
  readonly #backend: Backend;
  readonly #notices: Notices;

  constructor(backend: Backend, notices: Notices) {
    this.#backend = backend;
    this.#notices = notices;
  }

  async load(): Promise<void> {
    const request = ++this.#request;
    try {
      const list = await this.#backend.listSessions({
        workspace: this.everywhere ? null : this.#workspace,
        text: this.text,
        archived: this.archived,
        limit: this.#limit,
      });
      if (request !== this.#request) return;
      this.list = list;
      this.failed = null;
    } catch (error) {
      if (request === this.#request) this.failed = error instanceof Object && "message" in error ? String(error.message) : String(error);
    }
    this.ready = true;
  }

  /** There may be older ones than those that are listed. */
  get more(): boolean {
    return this.list.length >= this.#limit;
  }

  async loadMore(): Promise<void> {
    this.#limit += STEP;
    await this.load();
  }

  async rename(sessionId: string, title: string): Promise<void> {
    if (title.trim() !== "") await this.#notices.attempt(this.#backend.renameSession(sessionId, title.trim()));
  }

  /** Whether it was done. */
  async archive(sessionId: string, archived: boolean): Promise<boolean> {
    return (await this.#notices.attempt(this.#backend.archiveSession(sessionId, archived).then(() => true))) ?? false;
  }

  /** Adds a session from a file that the person picks natively; the shell then shows it. */
  async import(): Promise<void> {
    if (await this.#notices.done(this.#backend.importSession())) this.#notices.say(t("sessions.imported"));
  }

  /** Writes a session to a file that the person picks natively. */
  async export(sessionId: string, format: "markdown" | "json"): Promise<void> {
    if (await this.#notices.done(this.#backend.exportSession(sessionId, format))) this.#notices.say(t("sessions.exported"));
  }

  handle(event: AppEvent): void {
    if (event.type === "app") {
      const workspace = event.app.workspace?.path ?? null;
      if (workspace !== this.#workspace || !this.ready) {
        this.#workspace = workspace;
        void this.load();
      }
    } else if (event.type === "sessions_changed") {
      void this.load();
    } else if (event.type === "session_changed") {
      this.#upsert(event.session);
    } else if (event.type === "session_opened") {
      this.#upsert(event.transcript.session);
    }
  }

  #upsert(session: SessionSummary): void {
    if (session.archived !== this.archived) {
      this.list = this.list.filter((known) => known.sessionId !== session.sessionId);
      return;
    }
    if (!this.everywhere && session.workspace !== this.#workspace) return;
    const others = this.list.filter((known) => known.sessionId !== session.sessionId);
    const known = others.length < this.list.length;
    if (!known && this.text !== "") return;
    this.list = [...others, session].sort((a, b) => b.updatedMs - a.updatedMs);
  }
}

/** By day, or by folder where sessions of every folder are shown. */
export function grouped(sessions: readonly SessionSummary[], byFolder: boolean, nowMs: number): SessionGroup[] {
  const groups = new Map<string, SessionSummary[]>();
  for (const session of sessions) {
    const title = byFolder ? session.workspaceDisplay : day(session.updatedMs, nowMs);
    groups.set(title, [...(groups.get(title) ?? []), session]);
  }
  return [...groups].map(([title, list]) => ({ title, sessions: list }));
}
