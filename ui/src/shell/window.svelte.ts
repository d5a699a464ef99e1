/** Puts the window together: one store a panel, and the one stream of events that feeds them all. */
import { Approvals } from "../approvals/approvals.svelte";
import { Audit } from "../audit/audit.svelte";
import type { Backend } from "../backend/backend";
import type { AppEvent, SessionSummary } from "../backend/types";
import { Changes } from "../changes/changes.svelte";
import { Conversation } from "../chat/conversation.svelte";
import { Draft, sized } from "../composer/draft.svelte";
import { setLanguage, t } from "../i18n/index.svelte";
import { Permissions } from "../permissions/permissions.svelte";
import { Sessions } from "../sessions/sessions.svelte";
import { openForms } from "../settings/profile_draft.svelte";
import { AppState } from "../shared/app.svelte";
import { copyDiagnostics } from "../shared/diagnostics";
import type { Ui } from "../shared/context";
import { Navigation } from "../shared/navigation.svelte";
import { messageOf, Notices } from "../shared/notices.svelte";
import { forgetAll, recall, remember } from "../shared/remembered.svelte";

/** How long a region for screen readers stays empty before it speaks. */
const ANNOUNCE_MS = 60;

export class AppWindow {
  readonly backend: Backend;
  readonly state = new AppState();
  readonly notices = new Notices();
  readonly navigation = new Navigation();
  readonly conversation: Conversation;
  readonly approvals: Approvals;
  readonly audit: Audit;
  readonly permissions: Permissions;
  readonly changes: Changes;
  readonly sessions: Sessions;
  readonly draft = new Draft();
  /** Said to a screen reader at once. */
  announcement = $state("");
  #announcing: ReturnType<typeof setTimeout> | undefined;
  #unsaid: string[] = [];
  /** The calls of which it was said that they wait. */
  readonly #announced = new Set<string>();
  /** A call to show as soon as its session is here. */
  #wanted: { sessionId: string; callId: string } | null = null;

  #pending: AppEvent[] = [];
  #scheduled = false;
  #workspace: string | null | undefined;

  constructor(backend: Backend) {
    this.backend = backend;
    this.conversation = new Conversation(backend, this.notices);
    this.approvals = new Approvals(backend, this.notices);
    this.audit = new Audit(backend, this.notices);
    this.permissions = new Permissions(backend, this.notices);
    this.changes = new Changes(backend);
    this.sessions = new Sessions(backend, this.notices);
    this.draft.use(null);
  }

  get ui(): Ui {
    return { backend: this.backend, state: this.state, notices: this.notices, navigation: this.navigation };
  }

  async connect(): Promise<void> {
    this.state.lost = null;
    try {
      await this.backend.subscribe((event) => this.#receive(event));
    } catch (error) {
      this.state.lost = messageOf(error);
    }
  }

  openSession(session: Pick<SessionSummary, "sessionId">): void {
    this.navigation.closeDrawer();
    this.#wanted = null;
    if (session.sessionId !== this.conversation.sessionId) void this.conversation.open(session.sessionId);
    this.draft.focus();
  }

  newSession(): void {
    this.navigation.closeDrawer();
    this.conversation.startNew();
    // The next start begins where this one was left, not in the folder of an older session.
    remember("session", null);
    void this.changes.load(null);
    this.draft.use(null);
    this.draft.focus();
  }

  /** Shows a call in the chat, once its session and the part that holds it are loaded. */
  async openCall(sessionId: string, callId: string): Promise<void> {
    this.navigation.closeDrawer();
    this.#wanted = { sessionId, callId };
    if (sessionId === this.conversation.sessionId) await this.#showWanted();
    else if (!(await this.conversation.open(sessionId))) this.#wanted = null;
  }

  async #showWanted(): Promise<void> {
    const wanted = this.#wanted;
    if (wanted?.sessionId !== this.conversation.sessionId) return;
    this.#wanted = null;
    if (await this.conversation.loadCall(wanted.callId)) this.navigation.showInChat(wanted.callId);
    else if (wanted.sessionId === this.conversation.sessionId && this.conversation.before === null) this.notices.say(t("chat.no_such_call"));
  }

  /** Offered beside an error of the app itself. */
  get diagnostics(): { label: string; run: () => void } {
    return { label: t("settings.diagnostics"), run: () => void copyDiagnostics(this.ui) };
  }

  /** Sends the draft. It is empty at once; what could not be sent comes back. */
  async send(): Promise<void> {
    const taken = this.draft.take();
    const attachments = taken.attachments.map(({ name, mediaType, base64 }) => ({ name, mediaType, base64 }));
    if (await this.conversation.send({ text: taken.text.trim(), mentions: taken.mentions, attachments })) this.draft.sent(taken);
    else this.draft.putBack(taken);
  }

  /** What was to be sent later is in the text field again, to be changed or thrown away there. */
  unqueue(index: number): void {
    const message = this.conversation.unqueue(index);
    if (message) this.draft.takeBack(message);
  }

  /** Deltas wait for the next frame, so that several of them redraw once; everything else is handled as it comes. */
  #receive(event: AppEvent): void {
    this.#pending.push(event);
    if (event.type !== "text_delta" && event.type !== "reasoning_delta" && event.type !== "call_output") {
      this.#flush();
    } else if (!this.#scheduled) {
      this.#scheduled = true;
      // A hidden window draws no frames.
      if (document.hidden) setTimeout(() => this.#flush(), 50);
      else requestAnimationFrame(() => this.#flush());
    }
  }

  #flush(): void {
    this.#scheduled = false;
    const events = this.#pending;
    this.#pending = [];
    for (const event of merged(events)) this.#handle(event);
  }

  #handle(event: AppEvent): void {
    const wasShown = this.conversation.sessionId;
    const begun = event.type === "session_opened" && this.conversation.begins(event.transcript.session.sessionId);
    this.conversation.handle(event);
    this.approvals.handle(event);
    this.audit.handle(event);
    this.permissions.handle(event);
    this.changes.handle(event);
    this.sessions.handle(event);

    if (event.type === "app") this.#app(event);
    else if (event.type === "session_opened") {
      this.#opened(event.transcript.session.sessionId, wasShown, begun);
      void this.#showWanted();
    } else if (event.type === "approval_waiting") {
      const { approval } = event;
      this.conversation.waiting(approval.callId, approval.approvalId);
      // It comes again with what changed of it, as where its dialog opens.
      if (!this.#announced.has(approval.approvalId)) this.#announce(t("announce.waiting", { title: approval.title, subject: approval.subject }));
      this.#announced.add(approval.approvalId);
    } else if (event.type === "run_finished" && event.sessionId === this.conversation.sessionId) {
      this.#announce(t(`outcome.${event.outcome}`));
    } else if (event.type === "warning" && event.sessionId === null) {
      this.notices.fail({ message: event.message }, event.code === "panic" ? this.diagnostics : null);
    } else if (event.type === "file_dropped") {
      this.draft.attach(sized(event.file));
      this.draft.focus();
    } else if (event.type === "session_deleted") {
      this.#deleted(event.sessionId);
    } else if (event.type === "data_deleted") {
      this.draft.forgetAll();
      openForms.clear();
      forgetAll();
    } else if (event.type === "show") {
      if (event.sessionId !== null) this.openSession({ sessionId: event.sessionId });
      if (event.panel !== null) this.navigation.show(event.panel);
    }
  }

  /** Emptied first: a region whose text stays the same is not read again. */
  #announce(text: string): void {
    this.announcement = "";
    this.#unsaid.push(text);
    clearTimeout(this.#announcing);
    this.#announcing = setTimeout(() => {
      this.announcement = this.#unsaid.join(" ");
      this.#unsaid = [];
    }, ANNOUNCE_MS);
  }

  #app(event: Extract<AppEvent, { type: "app" }>): void {
    const before = this.state.app;
    this.state.app = event.app;
    const { settings, language } = event.app;
    if (before?.language !== language) {
      setLanguage(language);
      if (before !== null) this.#worded();
    }
    applyAppearance(settings.theme, settings.fontSize);
    for (const approval of event.app.approvals) this.conversation.waiting(approval.callId, approval.approvalId);

    const workspace = event.app.workspace?.path ?? null;
    if (workspace !== this.#workspace) {
      const first = this.#workspace === undefined;
      this.#workspace = workspace;
      this.draft.inFolder(workspace ?? "");
      const last = first && workspace !== null ? recall("session", "") : "";
      if (last !== "") void this.conversation.open(last);
      else if (!first && this.conversation.session?.workspace !== workspace) this.newSession();
    }
  }

  #deleted(sessionId: string): void {
    if (sessionId === this.conversation.sessionId) this.newSession();
    this.draft.forget(sessionId);
    if (recall("session", "") === sessionId) remember("session", null);
  }

  /** What the shell worded in another language is asked for again; the drafts and what is open stay. */
  #worded(): void {
    if (this.conversation.sessionId !== null) void this.conversation.open(this.conversation.sessionId);
    if (this.audit.ready) void this.audit.load();
    if (this.audit.openSeq !== null) void this.audit.open(this.audit.openSeq);
  }

  #opened(sessionId: string, before: string | null, begun: boolean): void {
    remember("session", sessionId);
    if (sessionId === before) return;
    // Its first message brought it into being: what is typed since belongs to it.
    if (begun && before === null) this.draft.adopt(sessionId);
    else this.draft.use(sessionId);
    for (const approval of this.approvals.waiting) this.conversation.waiting(approval.callId, approval.approvalId);
  }
}

/** Neighbouring deltas of one item as one. */
export function merged(events: readonly AppEvent[]): AppEvent[] {
  const list: AppEvent[] = [];
  for (const event of events) {
    const last = list.at(-1);
    if (
      (event.type === "text_delta" || event.type === "reasoning_delta") &&
      last?.type === event.type &&
      last.itemId === event.itemId &&
      last.sessionId === event.sessionId
    ) {
      list[list.length - 1] = { ...last, text: last.text + event.text };
    } else {
      list.push(event);
    }
  }
  return list;
}

const dark = typeof matchMedia === "undefined" ? null : matchMedia("(prefers-color-scheme: dark)");
let followed: "system" | "light" | "dark" = "system";
dark?.addEventListener("change", () => applyTheme(followed));

export function applyAppearance(theme: "system" | "light" | "dark", fontSize: number): void {
  followed = theme;
  applyTheme(theme);
  document.documentElement.style.fontSize = `${(fontSize / 14) * 16}px`;
}

function applyTheme(theme: "system" | "light" | "dark"): void {
  document.documentElement.dataset["theme"] = theme === "system" ? (dark?.matches ? "dark" : "light") : theme;
}
