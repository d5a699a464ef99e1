/** The audit as a list: pages by sequence, newest first, live at the top. */
import type { Backend } from "../backend/backend";
import type { AppEvent, AuditDetail, AuditFilter, AuditRow, AuditVerification, ToolMetrics } from "../backend/types";
import type { Notices } from "../shared/notices.svelte";

export const PAGE = 200;
/** Between two searches of an audit that is still being indexed, and two counts of one that grows, ms. */
const AGAIN = 1000;

export const NO_FILTER: AuditFilter = {
  text: "",
  sessionId: null,
  tool: null,
  behavior: null,
  source: null,
  surface: null,
  risk: null,
  fromMs: null,
  toMs: null,
};

export class Audit {
  rows = $state.raw<readonly AuditRow[]>([]);
  total = $state<number | null>(null);
  filter = $state.raw<AuditFilter>(NO_FILTER);
  /** Narrowed to the session that is shown, as soon as there is one. */
  thisSession = $state(false);
  loading = $state(false);
  /** Loaded at least once. */
  ready = $state(false);
  failed = $state<string | null>(null);
  /** How far the index of words has come, percent; null where a search sees everything. */
  indexing = $state<number | null>(null);
  detail = $state.raw<AuditDetail | null>(null);
  openSeq = $state<number | null>(null);
  verification = $state.raw<AuditVerification | null>(null);
  progress = $state.raw<{ checked: number; total: number } | null>(null);
  /** Shown, by tool, for what the list shows. */
  figures = $state(false);
  metrics = $state.raw<readonly ToolMetrics[] | null>(null);
  verifying = $state(false);

  #before: number | null = null;
  #request = 0;
  /** Rows came since the figures were counted. */
  #grown = false;
  #recounting = false;
  readonly #backend: Backend;
  readonly #notices: Notices;

  constructor(backend: Backend, notices: Notices) {
    this.#backend = backend;
    this.#notices = notices;
  }

  get filtered(): boolean {
    return Object.values(this.filter).some((value) => value !== null && value !== "");
  }

  get atEnd(): boolean {
    return this.ready && this.#before === null;
  }

  /** Starts over with `filter`; an answer to an older question is dropped. */
  async load(filter: AuditFilter = this.filter): Promise<void> {
    this.filter = filter;
    const request = ++this.#request;
    this.loading = true;
    try {
      const page = await this.#backend.queryAudit(filter, null, PAGE);
      if (request !== this.#request) return;
      this.rows = page.rows;
      this.#before = page.before;
      this.total = page.total;
      this.indexing = page.indexing;
      this.failed = null;
      this.ready = true;
    } catch (error) {
      if (request !== this.#request) return;
      this.failed = error instanceof Object && "message" in error ? String(error.message) : String(error);
    }
    this.loading = false;
    if (this.indexing !== null) this.#again(request);
    else void this.#count();
  }

  /** Without any filter but `text`. */
  async clear(text = ""): Promise<void> {
    this.thisSession = false;
    await this.load({ ...NO_FILTER, text });
  }

  /** Searches again while not everything could be searched. */
  #again(request: number): void {
    setTimeout(() => {
      if (request === this.#request) void this.load();
    }, AGAIN);
  }

  /** Appends the next older page. */
  async more(): Promise<void> {
    if (this.loading || this.#before === null) return;
    const request = this.#request;
    this.loading = true;
    const page = await this.#notices.attempt(this.#backend.queryAudit(this.filter, this.#before, PAGE));
    if (request !== this.#request) return;
    this.loading = false;
    if (!page) return;
    this.rows = [...this.rows, ...page.rows];
    this.#before = page.before;
  }

  async open(seq: number | null): Promise<void> {
    this.openSeq = seq;
    this.detail = null;
    if (seq === null) return;
    const detail = await this.#notices.attempt(this.#backend.auditDetail(seq));
    if (this.openSeq === seq && detail) this.detail = detail;
  }

  /** Opens the row of a call, without the filter where that hides it. Its index, or null. */
  async openCall(callId: string): Promise<number | null> {
    const seq = await this.#notices.attempt(this.#backend.auditRowOf(callId));
    if (seq === undefined || seq === null) return null;
    if (!this.rows.some((row) => row.seq === seq)) await this.clear();
    while (!this.rows.some((row) => row.seq === seq) && this.#before !== null && this.#before > seq) {
      const loaded = this.rows.length;
      await this.more();
      if (this.rows.length === loaded) break;
    }
    await this.open(seq);
    const index = this.rows.findIndex((row) => row.seq === seq);
    return index < 0 ? null : index;
  }

  async verify(): Promise<void> {
    this.verifying = true;
    this.progress = null;
    const result = await this.#notices.attempt(this.#backend.verifyAudit());
    this.verifying = false;
    this.progress = null;
    if (result) this.verification = result;
  }

  async stopVerify(): Promise<void> {
    await this.#notices.attempt(this.#backend.stopVerify());
  }

  showFigures(shown: boolean): void {
    this.figures = shown;
    this.metrics = null;
    void this.#count();
  }

  async #count(): Promise<void> {
    if (!this.figures) return;
    const { filter } = this;
    const metrics = await this.#notices.attempt(this.#backend.auditMetrics(filter));
    if (this.figures && filter === this.filter) this.metrics = metrics ?? null;
  }

  /** Counts again for rows that came, once a second at most and one count at a time. */
  #recount(): void {
    this.#grown = true;
    if (!this.figures || this.#recounting) return;
    this.#recounting = true;
    setTimeout(async () => {
      this.#grown = false;
      await this.#count();
      this.#recounting = false;
      if (this.#grown) this.#recount();
    }, AGAIN);
  }

  handle(event: AppEvent): void {
    if (event.type === "verify_progress") this.progress = { checked: event.checked, total: event.total };
    if (event.type === "audit_rows" && this.ready) this.#merge(event.rows);
  }

  #merge(incoming: readonly AuditRow[]): void {
    const known = new Map(incoming.map((row) => [row.seq, row]));
    let rows = this.rows.map((row) => {
      const newer = known.get(row.seq);
      if (newer) known.delete(row.seq);
      return newer ?? row;
    });
    rows = rows.filter((row) => matches(row, this.filter));
    const newest = this.rows[0]?.seq ?? 0;
    const fresh = [...known.values()].filter((row) => row.seq > newest && matches(row, this.filter)).sort((a, b) => b.seq - a.seq);
    this.rows = fresh.length > 0 ? [...fresh, ...rows] : rows;
    if (this.total !== null) this.total += fresh.length;
    const open = incoming.find((row) => row.seq === this.openSeq);
    if (open) void this.open(open.seq);
    this.#recount();
  }
}

/** The filter as the shell applies it, for rows that arrive live. */
export function matches(row: AuditRow, filter: AuditFilter): boolean {
  if (filter.sessionId !== null && row.sessionId !== filter.sessionId) return false;
  if (filter.tool !== null && row.tool !== filter.tool) return false;
  if (filter.behavior === "asked" && !row.asked) return false;
  if ((filter.behavior === "allow" || filter.behavior === "deny") && row.behavior !== filter.behavior) return false;
  if (filter.source !== null && row.source !== filter.source) return false;
  if (filter.surface !== null && row.surface !== filter.surface) return false;
  if (filter.risk !== null && row.risk !== filter.risk) return false;
  if (filter.fromMs !== null && row.timeMs < filter.fromMs) return false;
  if (filter.toMs !== null && row.timeMs > filter.toMs) return false;
  const words = filter.text.trim().toLowerCase();
  if (words === "") return true;
  return [row.tool, row.subject, row.reason, row.source, row.outcome ?? ""].join("\n").toLowerCase().includes(words);
}
