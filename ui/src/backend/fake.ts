/**
 * A scripted backend for browser tests and for working on the window without the shell.
 *
 * It keeps the contract: nothing the window can call allows anything. Only `person`, which the window
 * doesn't know, answers the way a person would at the native dialog.
 */
import { matches } from "../audit/audit.svelte";
import type { Backend } from "./backend";
import { demoApproval } from "./fake/approvals";
import { auditRow } from "./fake/audit";
import { TAX_DIFF } from "./fake/changes";
import { fixedNow } from "./fake/clock";
import { SHOP } from "./fake/folders";
import { call, decision, SHELL_VERDICTS, userItem } from "./fake/transcripts";
import { makeWorld, type Scenario, type World } from "./fake/world";
import type {
  App,
  AppEvent,
  Approval,
  Asked,
  AuditRow,
  DetectedServer,
  Mode,
  ModelProfile,
  Price,
  SessionSummary,
  Settings,
  Surface,
  TranscriptItem,
} from "./types";

const DONE: Asked = { status: "done", message: null };
const STRICTNESS: Mode[] = ["strict", "balanced", "sandboxed"];

interface Answer {
  end: "allowed" | "denied" | "withdrawn" | "expired";
  surface: Surface | null;
  words: string | null;
}

export class FakeBackend implements Backend {
  readonly world: World;
  /** Every command the window called. */
  readonly calls: { name: string; args: unknown[] }[] = [];
  /** What the person does at native questions other than approvals. */
  consent: "done" | "declined" = "done";
  /** The model servers that run on this computer. */
  localServers: DetectedServer[] = [{ name: "Ollama", baseUrl: "http://localhost:11434/v1", models: ["qwen3:8b", "llama3.3:70b"] }];
  /** Milliseconds between two pieces of a run. */
  pace: number;
  #listen: (event: AppEvent) => void = () => undefined;
  #waiting = new Map<string, (answer: Answer) => void>();
  #stopped = new Set<string>();
  #next = 100;
  #prices: Price[] = [
    { model: "deepseek-chat", input: 0.28, output: 0.42 },
    { model: "qwen3*", input: 0, output: 0 },
  ];
  /** Profiles as they were and as they became, each taken back by its place. */
  readonly #removed: { before: ModelProfile; after: ModelProfile | null }[] = [];
  #failing = new Map<string, { code: string; message: string }>();

  constructor(scenario: Scenario, params: URLSearchParams) {
    this.world = makeWorld(scenario, params);
    this.pace = Number(params.get("pace") ?? 12);
    if (params.has("no-models")) this.localServers = [{ name: "LM Studio", baseUrl: "http://localhost:1234/v1", models: [] }];
    if (params.has("two-servers")) this.localServers.push({ name: "LM Studio", baseUrl: "http://localhost:1234/v1", models: ["gemma"] });
    if (params.has("waiting")) this.#putWaiting(Number(params.get("waiting")));
  }

  // What a test or a person at the dialog does.

  emit(event: AppEvent): void {
    this.#listen(event);
  }

  /** Answers a waiting call at the native dialog. */
  person(approvalId: string, end: "allowed" | "denied"): void {
    this.#settle(approvalId, { end, surface: "dialog", words: null });
  }

  /** Makes the next call of a command fail. */
  failNext(name: string, code: string, message: string): void {
    this.#failing.set(name, { code, message });
  }

  #called(name: string, ...args: unknown[]): void {
    this.calls.push({ name, args });
    const failure = this.#failing.get(name);
    if (failure) {
      this.#failing.delete(name);
      throw failure;
    }
  }

  #app(change: Partial<App>): void {
    Object.assign(this.world.app, change);
    this.emit({ type: "app", app: { ...this.world.app } });
  }

  #settings(change: Partial<Settings>): void {
    this.#app({ settings: { ...this.world.app.settings, ...change } });
  }

  async subscribe(onEvent: (event: AppEvent) => void): Promise<void> {
    this.#called("subscribe");
    this.#listen = onEvent;
    this.#app({});
    const first = this.world.sessions[0];
    if (first) this.#show(first.sessionId);
  }

  // Workspace

  async pickWorkspace(): Promise<Asked> {
    this.#called("pick_workspace");
    if (this.consent === "done") this.#app({ workspace: this.world.app.workspace ?? this.world.app.recents[0] ?? null });
    return { status: this.consent, message: null };
  }
  async openWorkspace(path: string): Promise<void> {
    this.#called("open_workspace", path);
    this.#app({ workspace: this.world.app.recents.find((recent) => recent.path === path) ?? null });
  }
  async pinWorkspace(path: string, pinned: boolean): Promise<void> {
    this.#called("pin_workspace", path, pinned);
    this.#app({ recents: this.world.app.recents.map((recent) => (recent.path === path ? { ...recent, pinned } : recent)) });
  }
  async forgetWorkspace(path: string): Promise<void> {
    this.#called("forget_workspace", path);
    this.#app({ recents: this.world.app.recents.filter((recent) => recent.path !== path) });
  }
  async trustWorkspace(): Promise<Asked> {
    this.#called("trust_workspace");
    const { workspace } = this.world.app;
    if (workspace) this.#app({ workspace: this.consent === "done" ? { ...workspace, trusted: true, shellEnabled: true, keptRestricted: false } : { ...workspace, keptRestricted: true } });
    return { status: this.consent, message: null };
  }
  async keepRestricted(path: string): Promise<void> {
    this.#called("keep_restricted", path);
    const { workspace } = this.world.app;
    if (workspace?.path === path) this.#app({ workspace: { ...workspace, keptRestricted: true } });
  }
  async distrustWorkspace(path: string): Promise<void> {
    this.#called("distrust_workspace", path);
    const { workspace } = this.world.app;
    if (workspace?.path === path) this.#app({ workspace: { ...workspace, trusted: false, shellEnabled: false, keptRestricted: true } });
  }
  async trustProjectPolicy(): Promise<Asked> {
    this.#called("trust_project_policy");
    return { status: this.consent, message: null };
  }
  async setShellEnabled(enabled: boolean): Promise<Asked> {
    this.#called("set_shell_enabled", enabled);
    const { workspace } = this.world.app;
    if (workspace) this.#app({ workspace: { ...workspace, shellEnabled: enabled } });
    return DONE;
  }
  async setMode(mode: Mode): Promise<Asked> {
    this.#called("set_mode", mode);
    const loosens = STRICTNESS.indexOf(mode) > STRICTNESS.indexOf(this.world.app.mode);
    if (loosens && this.consent === "declined") return { status: "declined", message: null };
    this.#app({ mode });
    return DONE;
  }
  async searchFiles(query: string, limit: number): Promise<{ path: string; folder: boolean }[]> {
    this.#called("search_files", query, limit);
    const files = ["src/tax.rs", "src/cart.rs", "src/checkout.rs", "src/main.rs", "tests/checkout.rs", "docs/locale.md", "Cargo.toml", "README.md", "docs/税率.md"];
    return [...files.map((path) => ({ path, folder: false })), { path: "src", folder: true }].slice(0, limit);
  }

  // Sessions

  async listSessions(query: { workspace: string | null; text: string; archived: boolean; limit: number }): Promise<SessionSummary[]> {
    this.#called("list_sessions", query);
    return this.world.sessions
      .filter((s) => (query.workspace === null || s.workspace === query.workspace) && s.archived === query.archived && s.title.toLowerCase().includes(query.text.toLowerCase()))
      .sort((a, b) => b.updatedMs - a.updatedMs)
      .slice(0, query.limit);
  }
  async openSession(sessionId: string): Promise<void> {
    this.#called("open_session", sessionId);
    this.#session(sessionId);
    // The command answers first; events wait a moment, to be joined.
    setTimeout(() => this.#show(sessionId), 2);
  }
  #show(sessionId: string): void {
    const session = this.#session(sessionId);
    const items = this.world.transcripts.get(sessionId) ?? [];
    const from = Math.max(0, items.length - 200);
    this.emit({
      type: "session_opened",
      transcript: { session, items: items.slice(from), before: from > 0 ? String(from) : null, usage: { inputTokens: 11_240, outputTokens: 1_105, contextTokens: 11_240, contextWindow: 128_000, contextPercent: 9, cost: 0.0431 } },
    });
  }
  async olderItems(sessionId: string, before: string): Promise<{ items: TranscriptItem[]; before: string | null }> {
    this.#called("older_items", sessionId, before);
    const from = Math.max(0, Number(before) - 200);
    return { items: (this.world.transcripts.get(sessionId) ?? []).slice(from, Number(before)), before: from > 0 ? String(from) : null };
  }
  async renameSession(sessionId: string, title: string): Promise<void> {
    this.#called("rename_session", sessionId, title);
    this.#touch(sessionId, { title });
  }
  async archiveSession(sessionId: string, archived: boolean): Promise<void> {
    this.#called("archive_session", sessionId, archived);
    this.#touch(sessionId, { archived });
  }
  async deleteSession(sessionId: string): Promise<Asked> {
    this.#called("delete_session", sessionId);
    if (this.consent !== "done") return { status: this.consent, message: null };
    this.world.sessions = this.world.sessions.filter((session) => session.sessionId !== sessionId);
    this.emit({ type: "session_deleted", sessionId });
    this.emit({ type: "sessions_changed" });
    return DONE;
  }
  async exportSession(sessionId: string, format: string): Promise<Asked> {
    this.#called("export_session", sessionId, format);
    return DONE;
  }
  async importSession(): Promise<Asked> {
    this.#called("import_session");
    if (this.consent !== "done") return { status: "declined", message: null };
    const sessionId = `s${this.#next++}`;
    const { path, display } = this.world.app.workspace ?? SHOP;
    this.world.sessions.unshift({ sessionId, title: "Imported", workspace: path, workspaceDisplay: display, createdMs: fixedNow(), updatedMs: fixedNow(), running: false, waiting: 0, archived: false, readOnly: null });
    this.world.transcripts.set(sessionId, [userItem(`${sessionId}-u`, fixedNow(), "Said elsewhere")]);
    this.emit({ type: "sessions_changed" });
    this.emit({ type: "show", sessionId, panel: null });
    return DONE;
  }
  async locateWorkspace(sessionId: string): Promise<Asked> {
    this.#called("locate_workspace", sessionId);
    this.#touch(sessionId, { readOnly: null });
    return DONE;
  }

  #session(sessionId: string): SessionSummary {
    const session = this.world.sessions.find((candidate) => candidate.sessionId === sessionId);
    if (!session) throw { code: "not_found", message: "There is no such session." };
    return session;
  }
  #touch(sessionId: string, change: Partial<SessionSummary>): void {
    const session = { ...this.#session(sessionId), ...change };
    this.world.sessions = this.world.sessions.map((known) => (known.sessionId === sessionId ? session : known));
    this.emit({ type: "session_changed", session });
  }

  // Conversation

  async sendMessage(message: { sessionId: string | null; text: string; replaceFrom: string | null }): Promise<string> {
    this.#called("send_message", message);
    const sessionId = message.sessionId ?? `s${this.#next++}`;
    if (message.sessionId === null) {
      const session: SessionSummary = {
        sessionId, title: message.text.slice(0, 60), workspace: this.world.app.workspace?.path ?? "", workspaceDisplay: this.world.app.workspace?.display ?? "",
        createdMs: Date.now(), updatedMs: Date.now(), running: false, waiting: 0, archived: false, readOnly: null,
      };
      this.world.sessions = [session, ...this.world.sessions];
      this.world.transcripts.set(sessionId, []);
      this.#show(sessionId);
    }
    if (message.replaceFrom !== null) this.emit({ type: "history_cut", sessionId, fromItemId: message.replaceFrom });
    void this.#run(sessionId, message.text);
    return sessionId;
  }
  async stopCommand(callId: string): Promise<void> {
    this.#called("stop_command", callId);
    this.#app({ running: this.world.app.running.filter((command) => command.callId !== callId) });
  }
  async stop(sessionId: string): Promise<void> {
    this.#called("stop", sessionId);
    this.#stopped.add(sessionId);
    for (const approval of this.world.app.approvals) {
      if (approval.sessionId === sessionId) this.#settle(approval.approvalId, { end: "withdrawn", surface: null, words: null });
    }
  }
  async callArguments(callId: string): Promise<{ name: string; value: string; cut: number }[]> {
    this.#called("call_arguments", callId);
    return [{ name: "content", value: "whole", cut: 0 }];
  }
  async toolOutput(callId: string, offset: number): Promise<{ text: string; next: number | null; totalBytes: number }> {
    this.#called("tool_output", callId, offset);
    return { text: `page at ${offset}\n`, next: null, totalBytes: 100_000 };
  }

  /** One run: looks at a file, asks for a command, changes a file, answers. `slow` in the text streams long. */
  async #run(sessionId: string, text: string): Promise<void> {
    const run = new FakeRun(this, sessionId, () => this.#stopped.has(sessionId), (approval) => this.#ask(approval));
    this.#stopped.delete(sessionId);
    this.#touch(sessionId, { running: true });
    await run.play(text, () => this.#next++);
    this.#touch(sessionId, { running: false, updatedMs: Date.now() });
  }

  #ask(approval: Approval): Promise<Answer> {
    this.world.app.approvals = [...this.world.app.approvals, approval];
    this.emit({ type: "approval_waiting", approval });
    this.#countWaiting(approval.sessionId);
    return new Promise((resolve) => this.#waiting.set(approval.approvalId, resolve));
  }
  #settle(approvalId: string, answer: Answer): void {
    const approval = this.world.app.approvals.find((candidate) => candidate.approvalId === approvalId);
    if (!approval) return;
    this.world.app.approvals = this.world.app.approvals.filter((candidate) => candidate !== approval);
    this.emit({ type: "approval_settled", approvalId, sessionId: approval.sessionId, callId: approval.callId, ...answer });
    this.#countWaiting(approval.sessionId);
    this.#waiting.get(approvalId)?.(answer);
    this.#waiting.delete(approvalId);
  }
  /** As in the shell, a session's line changes with what waits in it. */
  #countWaiting(sessionId: string): void {
    this.#touch(sessionId, { waiting: this.world.app.approvals.filter((approval) => approval.sessionId === sessionId).length });
  }
  #putWaiting(count: number): void {
    const zh = this.world.app.language === "zh-CN";
    const now = fixedNow();
    const more: Partial<Approval>[] = [
      {},
      { approvalId: "a2", callId: "w2", tool: "edit_file", title: zh ? "修改文件？" : "Change a file?", subject: "src/tax.rs", source: "effect-default", risk: { level: "medium", sentence: zh ? "修改一个文件，可以撤销。" : "Changes a file. Can be undone." }, diffs: [TAX_DIFF], lines: [], says: null, digestShort: "0C11-7E5A" },
      { approvalId: "a3", callId: "w3", sessionId: "s2", sessionTitle: zh ? "把 price 改名为 amount" : "Rename price to amount", subject: "npm install", digestShort: "88D2-14AF", mine: false },
    ];
    this.world.app.approvals = more.slice(0, count).map((part) => demoApproval(now, zh, part));
    const items = this.world.transcripts.get("s1");
    items?.push({ kind: "call", itemId: "iw1", timeMs: now, call: call({ callId: "w1", tool: "shell", subject: "rm -r build/old", state: "waiting", approvalId: "a1", arguments: [{ name: "command", value: "rm -r build/old", cut: 0 }] }) });
    this.world.sessions = this.world.sessions.map((s) => (s.sessionId === "s1" ? { ...s, waiting: 1, running: true } : s));
  }

  // Approvals

  async review(approvalId: string): Promise<void> {
    this.#called("review", approvalId);
    const approval = this.world.app.approvals.find((candidate) => candidate.approvalId === approvalId);
    if (!approval) throw { code: "not_found", message: "It was answered already." };
    const open = { ...approval, dialogOpen: true };
    this.world.app.approvals = this.world.app.approvals.map((candidate) => (candidate === approval ? open : candidate));
    this.emit({ type: "approval_waiting", approval: open });
  }
  async deny(approvalId: string, words: string | null): Promise<void> {
    this.#called("deny", approvalId, words);
    this.#settle(approvalId, { end: "denied", surface: "window", words });
  }
  async denyAll(): Promise<void> {
    this.#called("deny_all");
    for (const approval of this.world.app.approvals) if (approval.mine) this.#settle(approval.approvalId, { end: "denied", surface: "window", words: null });
  }

  // Audit

  async queryAudit(filter: Parameters<Backend["queryAudit"]>[0], before: number | null, limit: number): ReturnType<Backend["queryAudit"]> {
    this.#called("query_audit", filter, before, limit);
    const rows: AuditRow[] = [];
    const top = before ?? Number.POSITIVE_INFINITY;
    for (const row of this.world.audit) if (row.seq < top && matches(row, filter) && rows.length < limit) rows.push(row);
    if (this.world.auditDepth > 0) {
      const tools = ["read_file", "grep", "shell", "edit_file"];
      for (let seq = Math.min(top - 1, this.world.auditDepth); seq > 0 && rows.length < limit; seq--) {
        const row = auditRow(seq, { tool: tools[seq % 4] ?? "glob", subject: `src/part_${seq}.rs`, timeMs: fixedNow() - (this.world.auditDepth - seq) * 500 });
        if (matches(row, filter)) rows.push(row);
      }
    }
    const last = rows.at(-1);
    const more = rows.length === limit && last !== undefined;
    return { rows, before: more ? last.seq : null, total: filter.text === "" ? this.world.audit.length + this.world.auditDepth : null, indexing: null };
  }
  async auditDetail(seq: number): ReturnType<Backend["auditDetail"]> {
    this.#called("audit_detail", seq);
    const row = this.world.audit.find((candidate) => candidate.seq === seq) ?? auditRow(seq, {});
    const fields = [{ name: "session", value: row.sessionId ?? "–" }, { name: "tool", value: row.tool }, { name: "subject", value: row.subject }];
    const record = (offset: number, phase: "intent" | "decision" | "outcome" | "event", ms: number) => ({ seq: seq + offset, phase, timeMs: row.timeMs + ms, fields, mac: "9f31ab02", previousMac: "04c7d1e8" });
    return {
      row,
      records: row.kind === "event" ? [record(0, "event", 0)] : [record(0, "intent", 0), record(1, "decision", row.asked ? 8_400 : 1), record(2, "outcome", (row.asked ? 8_400 : 1) + (row.durationMs ?? 0))],
      verdicts: row.kind === "event" ? [] : row.tool === "shell" ? SHELL_VERDICTS : [{ source: row.source, behavior: row.behavior ?? "deny", reason: row.reason }],
      arguments: row.kind === "event" ? [] : [{ name: row.tool === "shell" ? "command" : "path", value: row.subject, cut: 0 }],
      targets: row.kind === "event" ? [] : ["/home/ada/code/shop/src/tax.rs"],
      digestShort: row.asked ? "7F3A-91C2" : "",
      approver: row.asked ? "ada · dialog" : null,
      policyVersion: "b41f0a6e",
      sandbox: row.tool === "shell" ? "workspace-write" : null,
      attempt: 1,
      changeId: row.callId === "c3" ? "ch1" : null,
    };
  }
  async auditRowOf(callId: string): Promise<number | null> {
    this.#called("audit_row_of", callId);
    return this.world.audit.find((row) => row.callId === callId)?.seq ?? null;
  }
  async verifyAudit(): ReturnType<Backend["verifyAudit"]> {
    this.#called("verify_audit");
    const total = 3 * (this.world.audit.length + this.world.auditDepth);
    this.emit({ type: "verify_progress", checked: Math.floor(total / 2), total });
    await this.rest(20);
    return { ok: true, kind: null, seq: null, records: total, durationMs: 84, finishedMs: fixedNow() };
  }
  async stopVerify(): Promise<void> {
    this.#called("stop_verify");
  }
  async exportAudit(...args: Parameters<Backend["exportAudit"]>): Promise<Asked> {
    this.#called("export_audit", ...args);
    return DONE;
  }
  async auditMetrics(filter: unknown): ReturnType<Backend["auditMetrics"]> {
    this.#called("audit_metrics", filter);
    return [
      { tool: "shell", calls: 214, denied: 31, asked: 90, failed: 22, p50Ms: 480, p95Ms: 12_300 },
      { tool: "read_file", calls: 1_630, denied: 2, asked: 3, failed: 9, p50Ms: 2, p95Ms: 9 },
      { tool: "edit_file", calls: 120, denied: 6, asked: 120, failed: 4, p50Ms: 11, p95Ms: 40 },
    ];
  }

  // Permissions

  async permissions(): ReturnType<Backend["permissions"]> {
    this.#called("permissions");
    return { ...this.world.permissions, mode: this.world.app.mode };
  }
  async testPolicy(tool: string, args: string): ReturnType<Backend["testPolicy"]> {
    this.#called("test_policy", tool, args);
    try {
      JSON.parse(args);
    } catch {
      throw { code: "invalid_json", message: "The arguments are not a JSON object." };
    }
    const deny = args.includes("sudo");
    const read = !deny && (tool !== "shell" || args.includes("git status")) && !tool.includes("write") && !tool.includes("edit");
    const behavior = deny ? "deny" : read ? "allow" : "ask";
    const source = deny ? "hard-deny" : read ? "default" : "shell-default";
    const reason = deny ? "sudo asks for administrator rights; no rule allows that." : read ? "Proven read-only." : "Commands that can write need you.";
    return { behavior, source, reason, risk: { level: deny ? "critical" : read ? "low" : "high", sentence: read ? "Reads files of the workspace." : "Runs a program that may change the workspace." }, errorCode: deny ? "permission_denied" : null, verdicts: [{ source, behavior, reason }], display: behavior === "ask" ? ["Run a command?", "Workspace   ~/code/shop"] : [] };
  }
  async ruleCandidates(callId: string): ReturnType<Backend["ruleCandidates"]> {
    this.#called("rule_candidates", callId);
    return [
      { candidateId: "k1", scope: "session", text: "cargo test --test checkout", refused: null },
      { candidateId: "k2", scope: "rule", text: '[[rules]]\nname = "cargo-test"\nbehavior = "allow"\ntools = ["shell"]\ncommands = ["cargo test *"]', refused: null },
      { candidateId: "k3", scope: "rule", text: 'commands = ["cargo *"]', refused: "Too broad: cargo can run any program." },
    ];
  }
  async proposeRule(callId: string, candidateId: string): Promise<Asked> {
    this.#called("propose_rule", callId, candidateId);
    return { status: this.consent, message: null };
  }
  async revokeGrant(grantId: string): Promise<void> {
    this.#called("revoke_grant", grantId);
    this.world.permissions = { ...this.world.permissions, grants: this.world.permissions.grants.filter((grant) => grant.grantId !== grantId) };
    this.emit({ type: "permissions_changed" });
  }
  async replayPolicy(toml: string, limit: number): ReturnType<Backend["replayPolicy"]> {
    this.#called("replay_policy", toml, limit);
    const row = this.world.audit[3];
    return { judged: 1_000, changes: row ? [{ row, before: "ask", after: "allow" }] : [], problem: null };
  }
  async userPolicyText(): Promise<string> {
    this.#called("user_policy_text");
    return 'version = 1\n\n[[rules]]\nname = "no-push"\nbehavior = "deny"\ntools = ["shell"]\ncommands = ["git push *"]\nreason = "Pushing is done by hand."\n';
  }
  async openPolicyFile(layer: string): Promise<void> {
    this.#called("open_policy_file", layer);
  }

  // Changes

  async changes(sessionId: string): ReturnType<Backend["changes"]> {
    this.#called("changes", sessionId);
    return this.world.changes.filter((change) => change.sessionId === sessionId);
  }
  async changeDiff(changeId: string): ReturnType<Backend["changeDiff"]> {
    this.#called("change_diff", changeId);
    return { ...TAX_DIFF, path: this.world.changes.find((change) => change.changeId === changeId)?.path ?? TAX_DIFF.path };
  }
  async undo(changeId: string, evenIfChanged: boolean): ReturnType<Backend["undo"]> {
    this.#called("undo", changeId, evenIfChanged);
    const change = this.world.changes.find((candidate) => candidate.changeId === changeId);
    if (change?.state === "changed_since" && !evenIfChanged) return { status: "changed_since", diff: { ...TAX_DIFF, path: change.path }, message: null };
    this.world.changes = this.world.changes.map((candidate) => (candidate === change ? { ...candidate, state: "undone" } : candidate));
    if (change) this.emit({ type: "changes_changed", sessionId: change.sessionId });
    return { status: "undone", diff: null, message: null };
  }

  // Settings

  async setSetting(key: string, value: unknown): Promise<void> {
    this.#called("set_setting", key, value);
    if (key === "language") this.world.app.language = value === "zh-CN" ? "zh-CN" : "en";
    this.#settings({ [key]: value });
  }
  async saveProfile(profile: Parameters<Backend["saveProfile"]>[0]): ReturnType<Backend["saveProfile"]> {
    this.#called("save_profile", profile);
    if (profile.baseUrl.startsWith("http://192.")) return { status: "impossible", message: "A server on another machine needs https://.", change: null };
    const profileId = profile.profileId ?? `p${this.#next++}`;
    const local = /^https?:\/\/(localhost|127\.)/.test(profile.baseUrl);
    const known = this.world.app.settings.profiles.find((candidate) => candidate.profileId === profileId);
    const moved = known && new URL(known.baseUrl).host !== new URL(profile.baseUrl).host;
    const saved = { hasKey: false, keyPlace: null, ...(moved ? null : known), ...profile, profileId, local };
    const profiles = known ? this.world.app.settings.profiles.map((candidate) => (candidate === known ? saved : candidate)) : [...this.world.app.settings.profiles, saved];
    this.#settings({ profiles, activeProfileId: known ? this.world.app.settings.activeProfileId : profileId });
    return { ...DONE, change: known && JSON.stringify(known) !== JSON.stringify({ ...known, ...saved }) ? this.#removed.push({ before: known, after: saved }) - 1 : null };
  }
  async removeProfile(profileId: string): ReturnType<Backend["removeProfile"]> {
    this.#called("remove_profile", profileId);
    const before = this.world.app.settings.profiles.find((profile) => profile.profileId === profileId);
    this.#settings({ profiles: this.world.app.settings.profiles.filter((profile) => profile.profileId !== profileId) });
    return before ? this.#removed.push({ before, after: null }) - 1 : null;
  }
  async restoreProfile(change: number): ReturnType<Backend["restoreProfile"]> {
    this.#called("restore_profile", change);
    const { before, after } = this.#removed[change]!;
    const { profiles } = this.world.app.settings;
    const now = profiles.find((profile) => profile.profileId === before.profileId);
    if (now?.baseUrl !== after?.baseUrl) throw { code: "later_change", message: "It was changed again since. Undo that first." };
    const back = { ...(now ?? before), ...Object.fromEntries(Object.entries(before).filter(([field, value]) => after?.[field as keyof ModelProfile] !== value)) };
    this.#settings({ profiles: now ? profiles.map((profile) => (profile === now ? back : profile)) : [...profiles, back] });
    return now?.hasKey && now.baseUrl !== before.baseUrl ? this.#removed.push({ before: now, after: back }) - 1 : null;
  }
  async selectModel(profileId: string, model: string): Promise<void> {
    this.#called("select_model", profileId, model);
    this.#settings({ activeProfileId: profileId, profiles: this.world.app.settings.profiles.map((profile) => (profile.profileId === profileId ? { ...profile, model } : profile)) });
  }
  async saveKey(profileId: string, key: string, where: "keychain" | "memory" | "file"): Promise<void> {
    this.#called("save_key", profileId, key.length, where);
    this.#settings({ profiles: this.world.app.settings.profiles.map((profile) => (profile.profileId === profileId ? { ...profile, hasKey: true, keyPlace: where } : profile)) });
  }
  async removeKey(profileId: string): Promise<number> {
    this.#called("remove_key", profileId);
    const { profiles } = this.world.app.settings;
    const before = profiles.find((profile) => profile.profileId === profileId)!;
    const after = { ...before, hasKey: false, keyPlace: null };
    this.#settings({ profiles: profiles.map((profile) => (profile === before ? after : profile)) });
    return this.#removed.push({ before, after }) - 1;
  }
  async testConnection(profileId: string): ReturnType<Backend["testConnection"]> {
    this.#called("test_connection", profileId);
    const profile = this.world.app.settings.profiles.find((candidate) => candidate.profileId === profileId);
    if (profile?.baseUrl.includes("11434")) return { ok: false, durationMs: 4, code: "connection_refused", message: "Can't reach http://localhost:11434 (connection refused). Is Ollama running?", tools: null };
    if (profile?.model === "") return { ok: false, durationMs: 80, code: "model_not_found", message: "The provider has no such model. Choose one from the model list.", tools: null };
    return { ok: true, durationMs: 312, code: null, message: `${profile?.name ?? ""} answers.`, tools: true };
  }
  async listModels(profileId: string): Promise<string[]> {
    this.#called("list_models", profileId);
    return ["qwen3:8b", "llama3.3:70b"];
  }
  async compactSession(sessionId: string): Promise<void> {
    this.#called("compact_session", sessionId);
    const item: TranscriptItem = { kind: "summary", itemId: `i${this.#next++}`, timeMs: Date.now(), text: "The person wants the checkout test to pass. The tax rate was read and changed.", undone: false };
    this.world.transcripts.set(sessionId, [...(this.world.transcripts.get(sessionId) ?? []), item]);
    this.emit({ type: "item_added", sessionId, item });
  }
  async undoCompaction(sessionId: string): Promise<void> {
    this.#called("undo_compaction", sessionId);
    const summary = (this.world.transcripts.get(sessionId) ?? []).findLast((item) => item.kind === "summary");
    if (summary) this.emit({ type: "summary_undone", sessionId, itemId: summary.itemId });
  }
  async prices(): ReturnType<Backend["prices"]> {
    this.#called("prices");
    return { file: "~/.config/assent/prices.toml", rows: this.#prices, problem: null };
  }
  async savePrices(rows: Parameters<Backend["savePrices"]>[0]): Promise<void> {
    this.#called("save_prices", rows);
    this.#prices = rows;
  }
  async detectLocalServers(): ReturnType<Backend["detectLocalServers"]> {
    this.#called("detect_local_servers");
    await this.rest(5);
    return this.localServers;
  }
  async testSandbox(): Promise<void> {
    this.#called("test_sandbox");
    this.#app({});
  }
  async deleteData(): Promise<Asked> {
    this.#called("delete_data");
    if (this.consent !== "done") return { status: this.consent, message: null };
    for (const { sessionId } of this.world.sessions.splice(0)) this.emit({ type: "session_deleted", sessionId });
    this.emit({ type: "sessions_changed" });
    this.emit({ type: "data_deleted" });
    this.#app({ workspace: null });
    return DONE;
  }

  // Outside the window

  async openLink(url: string): Promise<Asked> {
    this.#called("open_link", url);
    return DONE;
  }
  async openPath(path: string, how: string): Promise<void> {
    this.#called("open_path", path, how);
  }
  async quit(): Promise<void> {
    this.#called("quit");
  }
  async openFolder(which: string): Promise<void> {
    this.#called("open_folder", which);
  }
  async diagnostics(): Promise<string> {
    this.#called("diagnostics");
    return "Assent 0.1.0, linux\nsandbox: in force";
  }
  async reportWindowError(message: string): Promise<void> {
    this.#called("report_window_error", message);
  }

  rest(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}

/** One scripted run. */
class FakeRun {
  readonly #backend: FakeBackend;
  readonly #sessionId: string;
  readonly #stopped: () => boolean;
  readonly #ask: (approval: Approval) => Promise<Answer>;

  constructor(backend: FakeBackend, sessionId: string, stopped: () => boolean, ask: (approval: Approval) => Promise<Answer>) {
    this.#backend = backend;
    this.#sessionId = sessionId;
    this.#stopped = stopped;
    this.#ask = ask;
  }

  async play(text: string, id: () => number): Promise<void> {
    const sessionId = this.#sessionId;
    const backend = this.#backend;
    const runId = `r${id()}`;
    backend.emit({ type: "run_started", sessionId, runId });
    backend.emit({ type: "item_added", sessionId, item: userItem(`u${id()}`, Date.now(), text) });
    const finish = (outcome: "completed" | "cancelled" | "provider_error", message: string | null = null): void =>
      backend.emit({ type: "run_finished", sessionId, runId, itemId: `e${id()}`, outcome, errorCode: message === null ? null : "connection_refused", message, turns: 2 });

    if (text.includes("offline")) return finish("provider_error", "Can't reach http://localhost:11434 (connection refused). Is Ollama running?");
    await this.#say(`m${id()}`, text.includes("slow") ? LONG : "I'll look at the file first, then clean up.\n", true);
    if (this.#stopped()) return finish("cancelled");
    if (text.includes("slow") || text.includes("talk")) return finish("completed");

    const read = `c${id()}`;
    const readCall = call({ callId: read, tool: "read_file", subject: "README.md", arguments: [{ name: "path", value: "README.md", cut: 0 }] });
    backend.emit({ type: "call_proposed", sessionId, itemId: `i${read}`, call: readCall });
    backend.emit({ type: "call_decided", sessionId, callId: read, decision: decision(), errorCode: null });
    await backend.rest(backend.pace);
    backend.emit({ type: "call_finished", sessionId, callId: read, state: "succeeded", errorCode: null, exitCode: null, durationMs: 3, output: "1\t# shop", outputBytes: 8, diffs: [], changeId: null });
    backend.emit({ type: "audit_rows", rows: [auditRow(2_000_000 + id(), { callId: read, sessionId, timeMs: Date.now() })] });

    const shell = `c${id()}`;
    backend.emit({ type: "call_proposed", sessionId, itemId: `i${shell}`, call: call({ callId: shell, tool: "shell", subject: "rm -r build/old", arguments: [{ name: "command", value: "rm -r build/old", cut: 0 }] }) });
    const zh = backend.world.app.language === "zh-CN";
    const title = backend.world.sessions.find((session) => session.sessionId === sessionId)?.title ?? "";
    const answer = await this.#ask(demoApproval(Date.now(), zh, { approvalId: `a${id()}`, sessionId, sessionTitle: title, callId: shell }));
    const allowed = answer.end === "allowed";
    const errorCode = { allowed: null, denied: "approval_denied", withdrawn: "approval_withdrawn", expired: "approval_expired" }[answer.end];
    backend.emit({
      type: "call_decided", sessionId, callId: shell, errorCode,
      decision: decision({ behavior: allowed ? "allow" : "deny", source: answer.surface ?? answer.end, reason: allowed ? "You allowed it once." : "You denied it.", asked: true, surface: answer.surface, words: answer.words, verdicts: SHELL_VERDICTS, risk: { level: "high", sentence: "Deletes files. Can't be undone by Assent." }, digestShort: "7F3A-91C2", sandbox: "can write this workspace, no network" }),
    });
    if (allowed) {
      for (const line of ["removed build/old/a.o\n", "removed build/old/b.o\n"]) {
        backend.emit({ type: "call_output", sessionId, callId: shell, chunk: line, totalBytes: line.length });
        await backend.rest(backend.pace);
      }
      backend.emit({ type: "call_finished", sessionId, callId: shell, state: "succeeded", errorCode: null, exitCode: 0, durationMs: 40, output: "removed build/old/a.o\nremoved build/old/b.o\n", outputBytes: 44, diffs: [], changeId: null });
    }
    backend.emit({ type: "audit_rows", rows: [auditRow(2_000_000 + id(), { callId: shell, sessionId, timeMs: Date.now(), tool: "shell", subject: "rm -r build/old", behavior: allowed ? "allow" : "deny", asked: true, surface: answer.surface, source: answer.surface ?? answer.end, outcome: errorCode ?? "succeeded", risk: "high", reason: "" })] });
    if (this.#stopped()) return finish("cancelled");
    await this.#say(`m${id()}`, allowed ? "The old build output is **gone**.\n" : "You denied it, so *nothing* was deleted.\n", false);
    finish("completed");
  }

  async #say(itemId: string, text: string, thinks: boolean): Promise<void> {
    const sessionId = this.#sessionId;
    if (thinks) this.#backend.emit({ type: "reasoning_delta", sessionId, itemId, text: "Reading comes first; it changes nothing." });
    for (let at = 0; at < text.length && !this.#stopped(); at += 24) {
      this.#backend.emit({ type: "text_delta", sessionId, itemId, text: text.slice(at, at + 24) });
      await this.#backend.rest(this.#backend.pace);
    }
    this.#backend.emit({ type: "reply_finished", sessionId, itemId });
    this.#backend.emit({ type: "usage", sessionId, usage: { inputTokens: 12_000, outputTokens: Math.ceil(text.length / 4), contextTokens: 12_000, contextWindow: 128_000, contextPercent: 10, cost: 0.0462 } });
  }
}

const LONG = `# A long answer\n\n${"The test assumes a locale that uses a comma; CI has none. ".repeat(6)}\n\n\`\`\`rust\nfn main() {\n    println!("hi");\n}\n\`\`\`\n\n- one\n- two\n\n`.repeat(120);

/** The backend for `?scenario=…`, reachable by tests as `window.fake`. */
export function fakeBackend(params: URLSearchParams): FakeBackend {
  const backend = new FakeBackend((params.get("scenario") ?? "demo") as Scenario, params);
  Object.assign(globalThis, { fake: backend });
  return backend;
}
