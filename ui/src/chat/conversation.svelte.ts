/** The session on screen: its transcript, what is running, and what waits to be sent. */
import type { Backend } from "../backend/backend";
import type { AppEvent, SessionSummary, Usage } from "../backend/types";
import type { Notices } from "../shared/notices.svelte";
import { isNamed } from "../shared/mention";
import { AssistantEntry, CallEntry, type Entry, entryOf, type UserEntry } from "./entries.svelte";
import { NEW, type Outgoing, type Queued, Queues } from "./queues.svelte";

/** Where a message on its way goes; the new chat's changes with the session it brings into being. */
interface Destination {
  key: string;
}

type SessionEvent = Extract<AppEvent, { sessionId: string | null }>;

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, contextTokens: null, contextWindow: null, contextPercent: null, cost: null };

export class Conversation {
  session = $state.raw<SessionSummary | null>(null);
  entries = $state.raw<readonly Entry[]>([]);
  usage = $state.raw<Usage>(NO_USAGE);
  running = $state(false);
  loading = $state(false);
  /** Older items exist before these. */
  before = $state<string | null>(null);
  /** Sessions of which a summary is being made. */
  #summarised = $state.raw<ReadonlySet<string>>(new Set());
  readonly #queues = new Queues();

  readonly #backend: Backend;
  readonly #notices: Notices;
  #sending = $state.raw<readonly Destination[]>([]);
  /** Sessions in which the person stopped what was on. */
  readonly #stopped = new Set<string>();
  /** Every session that was asked for or shown. */
  readonly #known = new Set<string>();
  /** The page that is on its way, by session. */
  readonly #older = new Map<string, Promise<boolean>>();

  constructor(backend: Backend, notices: Notices) {
    this.#backend = backend;
    this.#notices = notices;
  }

  get sessionId(): string | null {
    return this.session?.sessionId ?? null;
  }

  /** A summary of this session is being made. */
  get compacting(): boolean {
    return this.#summarised.has(this.#key);
  }

  /** Something is on that can be stopped; what is sent waits for its end. */
  get busy(): boolean {
    return this.running || this.compacting;
  }

  /** A call waits for its answer, also one from before a restart, whose run goes on then. A message would withdraw it. */
  readonly asks = $derived(this.entries.some((entry) => entry instanceof CallEntry && entry.call.state === "waiting"));

  /** What is written now is sent later. */
  get holds(): boolean {
    return this.busy || this.asks;
  }

  /** The messages of this session that wait for the end of its run. */
  get queue(): readonly Queued[] {
    return this.#queues.of(this.#key);
  }

  /** A message of this session is on its way. */
  get sending(): boolean {
    return this.#isSending(this.#key);
  }

  /** Something may be sent again, or be replaced. */
  get editable(): boolean {
    return !this.holds && !this.sending && this.session?.readOnly == null;
  }

  /** The last message has been answered, if only in part. */
  get answered(): boolean {
    const sent = this.entries.findLastIndex((entry) => entry.kind === "user");
    return this.entries.slice(sent + 1).some((entry) => entry.kind === "assistant" || entry.kind === "call");
  }

  /** The text of the newest run's reply is still coming in. */
  get streaming(): AssistantEntry | null {
    const last = this.entries.at(-1);
    return this.running && last instanceof AssistantEntry && last.open ? last : null;
  }

  /** Asks for a session; `session_opened` brings it. False where it can't be had. */
  async open(sessionId: string): Promise<boolean> {
    this.loading = true;
    this.#known.add(sessionId);
    try {
      await this.#backend.openSession(sessionId);
      return true;
    } catch (error) {
      this.#notices.fail(error);
      return false;
    } finally {
      this.loading = false;
    }
  }

  /** Whether a session that opens now is the new chat's, brought into being by the message that is on its way. */
  begins(sessionId: string): boolean {
    return this.#isSending(NEW) && !this.#known.has(sessionId);
  }

  /** An empty chat; the session comes into being with the first message. */
  startNew(): void {
    this.session = null;
    this.entries = [];
    this.usage = NO_USAGE;
    this.running = false;
    this.before = null;
  }

  /** Loads older items in front; false where there are none, or the session was opened anew meanwhile. */
  loadOlder(): Promise<boolean> {
    const key = this.#key;
    const page = this.#older.get(key) ?? this.#loadOlder().finally(() => this.#older.delete(key));
    this.#older.set(key, page);
    return page;
  }

  /** Loads older parts until a call is there; false where it isn't in this session, can't be had, or the session went out of sight. */
  loadCall(callId: string): Promise<boolean> {
    return this.#loadUntil(() => this.call(callId) !== null);
  }

  async #loadUntil(there: () => boolean): Promise<boolean> {
    const { sessionId } = this;
    while (!there()) {
      const { before } = this;
      if (before === null) return false;
      const loaded = await this.loadOlder();
      if (this.sessionId !== sessionId) return false;
      // Opened anew meanwhile, it goes on from what is here now.
      if (!loaded && this.before === before) return false;
    }
    return true;
  }

  async #loadOlder(): Promise<boolean> {
    const { sessionId, before } = this;
    if (sessionId === null || before === null) return false;
    this.loading = true;
    const page = await this.#notices.attempt(this.#backend.olderItems(sessionId, before));
    this.loading = false;
    // Opened anew meanwhile: the page is not what comes before the entries that are here now.
    if (!page || this.sessionId !== sessionId || this.before !== before) return false;
    this.entries = [...page.items.map((item) => entryOf(item)), ...this.entries];
    this.before = page.before;
    return true;
  }

  /** Sends now, or after the run that is on. False where the message was not taken. */
  async send(message: Outgoing): Promise<boolean> {
    const key = this.#key;
    const busy = this.holds || this.#isSending(key);
    if (busy || this.queue.length > 0) {
      this.#queues.set(key, [...this.queue, message]);
      // What was written earlier goes first.
      if (!busy) await this.sendQueued(key);
      return true;
    }
    return this.#deliver({ key }, message, null);
  }

  /** Sends a button's words at once, past what is held; while something is on they wait for its end, once. */
  async say(text: string): Promise<void> {
    if (this.sending) return;
    const [key, message] = [this.#key, { text, mentions: [], attachments: [] }];
    if (!this.holds) await this.#deliver({ key }, message, null);
    else if (!this.queue.some((queued) => queued.text === text)) this.#queues.set(key, [...this.queue, message]);
  }

  /** Takes a message out of the queue on screen; null where it has gone on meanwhile. */
  unqueue(index: number): Queued | null {
    const message = this.queue[index] ?? null;
    this.#queues.set(this.#key, this.queue.filter((queued) => queued !== message));
    return message;
  }

  /** Replaces a user message and all that followed. */
  async resend(itemId: string, text: string): Promise<boolean> {
    // A call from before a restart may be asked about since, which this would withdraw.
    if (!this.editable) return false;
    const entry = this.entries.find((candidate) => candidate.itemId === itemId);
    const mentions = entry?.kind === "user" ? entry.mentions.filter((path) => isNamed(text, path)) : [];
    return this.#deliver({ key: this.#key }, { text, mentions, attachments: [] }, itemId);
  }

  /** Sends the last user message again, however much came after it. */
  async retry(): Promise<void> {
    const last = (): UserEntry | undefined => this.entries.findLast((entry) => entry.kind === "user");
    if (!(await this.#loadUntil(() => last() !== undefined)) || this.holds || this.sending) return;
    const entry = last();
    if (entry) await this.resend(entry.itemId, entry.text);
  }

  async stop(): Promise<void> {
    this.#stopped.add(this.#key);
    if (this.sessionId !== null) await this.#notices.attempt(this.#backend.stop(this.sessionId));
  }

  /** The older part is sent as a summary from now on. */
  async compact(): Promise<void> {
    const key = this.#key;
    if (key === NEW || this.holds) return;
    const held = this.#queues.of(key);
    this.#stopped.delete(key);
    this.#summarised = new Set([...this.#summarised, key]);
    const made = await this.#notices.attempt(this.#backend.compactSession(key).then(() => true));
    this.#summarised = new Set([...this.#summarised].filter((other) => other !== key));
    // One that was stopped answers as one that was made. What was held before waits on, unless something was written since.
    if (made && !this.#stopped.has(key) && this.#queues.of(key).some((message) => !held.includes(message))) await this.sendQueued(key);
  }

  async undoCompaction(): Promise<void> {
    if (this.sessionId !== null) await this.#notices.attempt(this.#backend.undoCompaction(this.sessionId));
  }

  call(callId: string): CallEntry | null {
    return this.entries.findLast((entry): entry is CallEntry => entry instanceof CallEntry && entry.call.callId === callId) ?? null;
  }

  handle(event: AppEvent): void {
    if (event.type === "session_opened") {
      const { session, items, before, usage } = event.transcript;
      if (this.begins(session.sessionId)) this.#begun(session.sessionId);
      this.#known.add(session.sessionId);
      this.#queues.recall(session.sessionId);
      this.session = session;
      this.running = session.running;
      this.entries = items.map((item, index) => entryOf(item, session.running && index === items.length - 1));
      this.before = before;
      this.usage = usage;
    } else if (event.type === "session_changed") {
      if (event.session.sessionId === this.sessionId) {
        this.session = event.session;
        if (!event.session.running) this.running = false;
      }
    } else if (event.type === "session_deleted") {
      this.#queues.set(event.sessionId, []);
    } else if ("sessionId" in event && event.sessionId !== null && event.sessionId === this.sessionId) {
      this.#handleOwn(event as SessionEvent);
    }
    if (event.type === "run_finished" && event.outcome === "completed") void this.sendQueued(event.sessionId);
  }

  #handleOwn(event: SessionEvent): void {
    switch (event.type) {
      case "run_started":
        this.running = true;
        break;
      case "history_cut": {
        const at = this.entries.findIndex((entry) => entry.itemId === event.fromItemId);
        if (at >= 0) this.entries = this.entries.slice(0, at);
        break;
      }
      case "summary_undone":
        this.entries = this.entries.map((entry) => (entry.kind === "summary" && entry.itemId === event.itemId ? { ...entry, undone: true } : entry));
        break;
      case "item_added":
        this.#add(entryOf(event.item));
        break;
      case "text_delta":
        this.#assistant(event.itemId).append(event.text);
        break;
      case "reasoning_delta":
        this.#assistant(event.itemId).reasoning += event.text;
        break;
      case "reply_finished":
        this.#close();
        break;
      case "call_proposed":
        this.#close();
        this.#add(new CallEntry(event.itemId, event.call.proposedMs, event.call));
        break;
      case "approval_settled":
        this.call(event.callId)?.update({ state: event.end === "allowed" ? "running" : event.end === "withdrawn" ? "cancelled" : "denied" });
        break;
      case "call_decided": {
        const entry = this.call(event.callId);
        if (!entry) break;
        entry.startedMs = Date.now();
        entry.update({
          decision: event.decision,
          errorCode: event.errorCode,
          state: event.decision.behavior === "allow" ? "running" : "denied",
        });
        break;
      }
      case "call_output":
        this.call(event.callId)?.write(event.chunk, event.totalBytes);
        break;
      case "call_finished": {
        const { state, errorCode, exitCode, durationMs, output, outputBytes, diffs, changeId } = event;
        this.call(event.callId)?.update({ state, errorCode, exitCode, durationMs, output, outputBytes, diffs, changeId });
        break;
      }
      case "usage":
        this.usage = event.usage;
        break;
      case "run_finished": {
        this.#close();
        this.running = false;
        const { itemId, outcome, errorCode, message, turns } = event;
        this.#add({ kind: "run_end", itemId, timeMs: Date.now(), outcome, errorCode, message, turns });
        break;
      }
      case "warning":
        this.#add({ kind: "notice", itemId: `w${this.entries.length}-${Date.now()}`, timeMs: Date.now(), code: event.code, message: event.message });
        break;
      case "changes_changed":
      case "show":
        break;
    }
  }

  /** A call that is waiting, as told by its approval. */
  waiting(callId: string, approvalId: string): void {
    this.call(callId)?.update({ state: "waiting", approvalId });
  }

  #add(entry: Entry): void {
    if (!this.entries.some((known) => known.itemId === entry.itemId)) this.entries = [...this.entries, entry];
  }

  #assistant(itemId: string): AssistantEntry {
    const known = this.entries.findLast((entry): entry is AssistantEntry => entry.itemId === itemId && entry instanceof AssistantEntry);
    if (known) return known;
    this.#close();
    const entry = new AssistantEntry(itemId, Date.now(), "", "", true);
    this.entries = [...this.entries, entry];
    return entry;
  }

  #close(): void {
    const open = this.entries.findLast((entry): entry is AssistantEntry => entry instanceof AssistantEntry);
    if (open?.open) open.finish();
  }

  /** Sends the oldest message of a queue. */
  async sendQueued(key = this.#key): Promise<void> {
    const [next, ...rest] = this.#queues.of(key);
    if (!next || this.#isSending(key) || this.#summarised.has(key)) return;
    this.#queues.set(key, rest);
    const to = { key };
    if (!(await this.#deliver(to, next, null))) this.#queues.set(to.key, [next, ...this.#queues.of(to.key)]);
  }

  get #key(): string {
    return this.sessionId ?? NEW;
  }

  #isSending(key: string): boolean {
    return this.#sending.some((to) => to.key === key);
  }

  /** The new chat became a session: what is on its way in it, and what was queued meanwhile, belongs to that, whatever comes of it. */
  #begun(sessionId: string): void {
    for (const to of this.#sending) if (to.key === NEW) to.key = sessionId;
    this.#sending = [...this.#sending];
    this.#queues.set(sessionId, [...this.#queues.of(NEW), ...this.#queues.of(sessionId)]);
    this.#queues.set(NEW, []);
  }

  /** Whether it was taken; why not is shown. */
  async #deliver(to: Destination, message: Outgoing, replaceFrom: string | null): Promise<boolean> {
    this.#sending = [...this.#sending, to];
    try {
      const { text, mentions, attachments } = message;
      const sessionId = await this.#backend.sendMessage({ sessionId: to.key === NEW ? null : to.key, text, mentions, attachments, replaceFrom });
      if (to.key === NEW) this.#begun(sessionId);
      return true;
    } catch (error) {
      this.#notices.fail(error);
      return false;
    } finally {
      this.#sending = this.#sending.filter((other) => other !== to);
    }
  }
}
