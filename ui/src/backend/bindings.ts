/** Generated from the shell's view-models (`src-tauri/src/view`); its test there says how. The window's own types must fit it. */
import type * as Types from "./types";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Checked<T extends Record<string, true>> = T;

export type App = { version: string, os: "linux" | "macos" | "windows", language: "en" | "zh-CN", workspace: Workspace | null, recents: Array<Workspace>, mode: "strict" | "balanced" | "sandboxed", sandbox: Sandbox, settings: Settings, approvals: Array<Approval>, running: Array<RunningCommand>, instructions: Array<InstructionFile>, policyProblem: FileProblem | null, auditProblem: Sentence | null, damaged: Array<Sentence>, 
/**
 * Which of the app's own files don't say what counts, and why.
 */
unsaved: Array<Sentence>, safeMode: boolean, };

export type AppEvent = { "type": "app", app: App, } | { "type": "sessions_changed" } | { "type": "session_changed", session: SessionSummary, } | { "type": "session_deleted", sessionId: string, } | { "type": "data_deleted" } | { "type": "session_opened", transcript: Transcript, } | { "type": "run_started", sessionId: string, runId: string, } | { "type": "history_cut", sessionId: string, fromItemId: string, } | { "type": "item_added", sessionId: string, item: TranscriptItem, } | { "type": "summary_undone", sessionId: string, itemId: string, } | { "type": "text_delta", sessionId: string, itemId: string, text: string, } | { "type": "reasoning_delta", sessionId: string, itemId: string, text: string, } | { "type": "reply_finished", sessionId: string, itemId: string, } | { "type": "call_proposed", sessionId: string, itemId: string, call: Call, } | { "type": "approval_waiting", approval: Approval, } | { "type": "approval_settled", approvalId: string, sessionId: string, callId: string, end: ApprovalEnd, surface: Surface | null, words: string | null, } | { "type": "call_decided", sessionId: string, callId: string, decision: Decision, errorCode: string | null, } | { "type": "call_output", sessionId: string, callId: string, chunk: string, totalBytes: number, } | { "type": "call_finished", sessionId: string, callId: string, state: CallState, errorCode: string | null, exitCode: number | null, durationMs: number | null, output: string, outputBytes: number, diffs: Array<FileDiff>, changeId: string | null, } | { "type": "usage", sessionId: string, usage: Usage, } | { "type": "warning", sessionId: string | null, code: string, message: Sentence, } | { "type": "run_finished", sessionId: string, runId: string, itemId: string, outcome: RunOutcome, errorCode: string | null, message: string | null, turns: number, } | { "type": "audit_rows", rows: Array<AuditRow>, } | { "type": "verify_progress", checked: number, total: number, } | { "type": "permissions_changed" } | { "type": "changes_changed", sessionId: string, } | { "type": "file_dropped", file: AttachmentInput, } | { "type": "show", sessionId: string | null, panel: Panel | null, };

export type Approval = { approvalId: string, sessionId: string, sessionTitle: string, callId: string, tool: string, title: string, subject: string, risk: Risk, reason: string, source: string, says: string | null, lines: Array<RequestLine>, diffs: Array<FileDiff>, digestShort: string, createdMs: number, expiresMs: number, dialogOpen: boolean, mine: boolean, };

export type ApprovalEnd = "allowed" | "denied" | "expired" | "withdrawn" | "unavailable";

export type Argument = { name: string, value: string, cut: number, };

export type Asked = { status: AskedStatus, message: Sentence | null, };

export type AskedStatus = "done" | "declined" | "impossible";

export type Attachment = { name: string, mediaType: string, bytes: number, };

export type AttachmentInput = { name: string, mediaType: string, base64: string, };

export type AuditDetail = { row: AuditRow, records: Array<AuditRecord>, verdicts: Array<Verdict>, arguments: Array<Argument>, targets: Array<string>, digestShort: string, approver: string | null, policyVersion: string, sandbox: string | null, attempt: number, changeId: string | null, };

export type AuditField = { name: string, value: string, };

export type AuditFilter = { text: string, sessionId: string | null, tool: string | null, behavior: BehaviorFilter | null, source: string | null, surface: Surface | null, risk: RiskFilter | null, fromMs: number | null, toMs: number | null, };

export type AuditKind = "call" | "event";

export type AuditPage = { rows: Array<AuditRow>, before: number | null, total: number | null, 
/**
 * While words are still indexed: how far that has come, percent; newer rows may be missing.
 */
indexing: number | null, };

export type AuditPhase = "intent" | "decision" | "start" | "outcome" | "event";

export type AuditRecord = { seq: number, phase: AuditPhase, timeMs: number, fields: Array<AuditField>, mac: string, previousMac: string, };

export type AuditRow = { seq: number, timeMs: number, kind: AuditKind, sessionId: string | null, callId: string | null, tool: string, subject: string, behavior: Final | null, asked: boolean, source: string, surface: Surface | null, reason: string, risk: "low" | "medium" | "high" | "critical" | null, outcome: string | null, durationMs: number | null, };

export type AuditVerification = { ok: boolean, kind: "edit" | "deletion" | "insertion" | "truncation" | "rollback" | "unreadable" | "stopped" | null, seq: number | null, records: number, durationMs: number, finishedMs: number, };

export type BackendError = { code: string, message: Sentence, };

export type BehaviorFilter = "allow" | "deny" | "asked";

export type Call = { callId: string, tool: string, subject: string, arguments: Array<Argument>, says: string | null, 
/**
 * The sub-agent that proposed it.
 */
agent: string | null, state: CallState, proposedMs: number, decision: Decision | null, approvalId: string | null, errorCode: string | null, exitCode: number | null, durationMs: number | null, output: string, outputBytes: number, diffs: Array<FileDiff>, changeId: string | null, };

export type CallState = "proposed" | "waiting" | "running" | "succeeded" | "failed" | "denied" | "cancelled" | "unknown";

export type Change = { changeId: string, sessionId: string, callId: string, tool: string, path: string, timeMs: number, kind: "created" | "modified" | "deleted", added: number, removed: number, state: ChangeState, };

export type ChangeState = "undoable" | "undone" | "changed_since" | "copy_missing" | "folder_missing";

export type ConnectionTest = { ok: boolean, durationMs: number, code: string | null, message: Sentence, tools: boolean | null, };

export type Decision = { behavior: Final, source: string, reason: string, verdicts: Array<Verdict>, risk: Risk, digestShort: string, asked: boolean, surface: Surface | null, words: string | null, sandbox: string | null, };

export type DetectedServer = { name: string, baseUrl: string, models: Array<string>, };

export type DiffHunk = { header: string, lines: Array<DiffLine>, };

export type DiffKind = "context" | "added" | "removed";

export type DiffLine = { kind: DiffKind, text: string, oldLine: number | null, newLine: number | null, };

export type DiffOf = "created" | "modified" | "deleted" | "binary";

export type FileDiff = { path: string, kind: DiffOf, added: number, removed: number, hunks: Array<DiffHunk>, cut: boolean, };

export type FileMatch = { path: string, folder: boolean, };

export type FileProblem = { layer: "managed" | "user" | "project", path: string, line: number | null, column: number | null, message: Sentence, };

export type Final = "allow" | "deny";

export type Grant = { grantId: string, text: string, scope: GrantScope, sessionId: string | null, originCallId: string | null, createdMs: number, lastUsedMs: number | null, uses: number, expiresMs: number | null, };

export type GrantScope = "session" | "rule";

export type Header = { name: string, value: string, };

export type Hook = { event: string, command: string, layer: string, };

export type InstructionAuthor = "person" | "project";

export type InstructionFile = { author: InstructionAuthor, 
/**
 * For `open_path`.
 */
path: string, bytes: number, cut: boolean, };

export type KeyPlace = "keychain" | "file" | "memory";

export type LanguageSetting = "system" | "en" | "zh-CN";

export type Layer = { name: LayerName, path: string | null, state: LayerState, problem: FileProblem | null, rules: Array<Rule>, };

export type LayerName = "managed" | "user" | "project" | "session";

export type LayerState = "absent" | "in_force" | "only_tightens" | "broken";

export type MessageInput = { sessionId: string | null, text: string, mentions: Array<string>, attachments: Array<AttachmentInput>, replaceFrom: string | null, };

export type ModelProfile = { profileId: string, name: string, kind: ProviderKind, baseUrl: string, model: string, hasKey: boolean, keyPlace: KeyPlace | null, local: boolean, contextWindow: number | null, 
/**
 * It is only talked to.
 */
withoutTools: boolean, proxy: string, caFile: string, headers: Array<Header>, };

export type Notifications = "off" | "unfocused" | "always";

export type OlderItems = { items: Array<TranscriptItem>, before: string | null, };

export type OutputPage = { text: string, next: number | null, totalBytes: number, };

export type Panel = "approvals";

export type Permissions = { mode: "strict" | "balanced" | "sandboxed", policyVersion: string, layers: Array<Layer>, grants: Array<Grant>, protectedPaths: Array<string>, sensitiveReads: Array<string>, hardDenies: Array<string>, readFolders: Array<string>, trustedFolders: Array<TrustedFolder>, hooks: Array<Hook>, };

export type PolicyTest = { behavior: "allow" | "ask" | "deny", source: string, reason: string, risk: Risk, errorCode: string | null, verdicts: Array<Verdict>, display: Array<string>, };

export type Price = { model: string, input: number, output: number, };

export type Prices = { file: string, rows: Array<Price>, problem: Sentence | null, };

export type ProfileInput = { profileId: string | null, name: string, kind: ProviderKind, baseUrl: string, model: string, contextWindow: number | null, withoutTools: boolean, proxy: string, caFile: string, headers: Array<Header>, };

export type ProjectPolicy = "absent" | "only_tightens" | "trusted" | "broken";

export type ProviderKind = "tour" | "chat_completions" | "anthropic";

export type ReadOnly = "folder_missing" | "other_process";

export type Replay = { judged: number, changes: Array<ReplayChange>, problem: FileProblem | null, };

export type ReplayChange = { row: AuditRow, before: "allow" | "ask" | "deny", after: "allow" | "ask" | "deny", };

export type RequestLine = { label: string, value: string, };

export type Risk = { level: "low" | "medium" | "high" | "critical", sentence: string, };

export type RiskFilter = "low" | "medium" | "high" | "critical";

export type Rule = { name: string, behavior: "allow" | "ask" | "deny", tools: Array<string>, commands: Array<string>, paths: Array<string>, reason: string, inForce: boolean, };

export type RuleCandidate = { candidateId: string, scope: GrantScope, text: string, refused: Sentence | null, };

export type RunOutcome = "completed" | "turn_limit" | "incomplete" | "cancelled" | "provider_error" | "circuit_breaker";

export type RunningCommand = { sessionId: string, callId: string, command: string, sandboxed: boolean, };

export type Sandbox = { state: SandboxStatus, backend: Sentence, why: Sentence | null, checks: Array<SandboxCheck>, };

export type SandboxCheck = { name: Sentence, held: boolean, detail: Sentence, };

export type SandboxStatus = "in_force" | "limited" | "none" | "testing";

export type SavedProfile = { 
/**
 * What takes it back; none where nothing was changed, or it is new.
 */
change: number | null, status: AskedStatus, message: Sentence | null, };

export type Sentence = string;

export type SessionQuery = { workspace: string | null, text: string, archived: boolean, limit: number, };

export type SessionSummary = { sessionId: string, title: string, workspace: string, workspaceDisplay: string, createdMs: number, updatedMs: number, running: boolean, waiting: number, archived: boolean, readOnly: ReadOnly | null, };

export type Settings = { language: LanguageSetting, theme: Theme, fontSize: number, notifications: Notifications, closeToTray: boolean, approvalMinutes: number, maxTurns: number, profiles: Array<ModelProfile>, activeProfileId: string, firstRunDone: boolean, file: string, dataFolder: string, };

export type Surface = "dialog" | "terminal" | "notification" | "tray" | "window";

export type Theme = "system" | "light" | "dark";

export type ToolMetrics = { tool: string, calls: number, denied: number, asked: number, failed: number, p50Ms: number | null, p95Ms: number | null, };

export type Transcript = { session: SessionSummary, items: Array<TranscriptItem>, before: string | null, usage: Usage, };

export type TranscriptItem = { "kind": "user", itemId: string, timeMs: number, text: string, mentions: Array<string>, attachments: Array<Attachment>, } | { "kind": "assistant", itemId: string, timeMs: number, text: string, reasoning: string, } | { "kind": "call", itemId: string, timeMs: number, call: Call, } | { "kind": "notice", itemId: string, timeMs: number, code: string, message: string, } | { "kind": "summary", itemId: string, timeMs: number, text: string, undone: boolean, } | { "kind": "run_end", itemId: string, timeMs: number, outcome: RunOutcome, errorCode: string | null, message: string | null, turns: number, };

export type TrustedFolder = { path: string, display: string, sinceMs: number, };

export type UndoResult = { status: UndoStatus, diff: FileDiff | null, message: Sentence | null, };

export type UndoStatus = "undone" | "changed_since" | "failed";

export type Usage = { inputTokens: number, outputTokens: number, contextTokens: number | null, contextWindow: number | null, contextPercent: number | null, cost: number | null, };

export type Verdict = { source: string, behavior: "passthrough" | "allow" | "ask" | "deny", reason: string, };

export type Workspace = { path: string, display: string, name: string, openedAs: string | null, exists: boolean, trusted: boolean, shellEnabled: boolean, 
/**
 * The person was asked for trust and said no.
 */
keptRestricted: boolean, pinned: boolean, lastUsedMs: number, projectPolicy: ProjectPolicy, };

export const TOOLS = ["edit_file","fetch_url","glob","grep","list_dir","read_file","shell","task","write_file"] as const;

export const SOURCES = ["default","workspace-boundary","hard-deny","protected-paths","sensitive-reads","shell-default","effect-default","rules","hooks","reviewer","denied-before","recheck","expired","withdrawn","unavailable"] as const;

export type Drift = Checked<{
  App: Same<App, Types.App>;
  AppEvent: Same<AppEvent, Types.AppEvent>;
  Approval: Same<Approval, Types.Approval>;
  ApprovalEnd: Same<ApprovalEnd, Types.ApprovalEnd>;
  Argument: Same<Argument, Types.Argument>;
  Asked: Same<Asked, Types.Asked>;
  Attachment: Same<Attachment, Types.Attachment>;
  AttachmentInput: Same<AttachmentInput, Types.AttachmentInput>;
  AuditDetail: Same<AuditDetail, Types.AuditDetail>;
  AuditFilter: Same<AuditFilter, Types.AuditFilter>;
  AuditPage: Same<AuditPage, Types.AuditPage>;
  AuditRecord: Same<AuditRecord, Types.AuditRecord>;
  AuditRow: Same<AuditRow, Types.AuditRow>;
  AuditVerification: Same<AuditVerification, Types.AuditVerification>;
  BackendError: Same<BackendError, Types.BackendError>;
  Call: Same<Call, Types.Call>;
  CallState: Same<CallState, Types.CallState>;
  Change: Same<Change, Types.Change>;
  ConnectionTest: Same<ConnectionTest, Types.ConnectionTest>;
  Decision: Same<Decision, Types.Decision>;
  DetectedServer: Same<DetectedServer, Types.DetectedServer>;
  DiffHunk: Same<DiffHunk, Types.DiffHunk>;
  DiffLine: Same<DiffLine, Types.DiffLine>;
  FileDiff: Same<FileDiff, Types.FileDiff>;
  FileMatch: Same<FileMatch, Types.FileMatch>;
  FileProblem: Same<FileProblem, Types.FileProblem>;
  Grant: Same<Grant, Types.Grant>;
  Header: Same<Header, Types.Header>;
  InstructionAuthor: Same<InstructionAuthor, Types.InstructionAuthor>;
  InstructionFile: Same<InstructionFile, Types.InstructionFile>;
  KeyPlace: Same<KeyPlace, Types.KeyPlace>;
  Layer: Same<Layer, Types.Layer>;
  MessageInput: Same<MessageInput, Types.MessageInput>;
  ModelProfile: Same<ModelProfile, Types.ModelProfile>;
  OutputPage: Same<OutputPage, Types.OutputPage>;
  Permissions: Same<Permissions, Types.Permissions>;
  PolicyTest: Same<PolicyTest, Types.PolicyTest>;
  Price: Same<Price, Types.Price>;
  Prices: Same<Prices, Types.Prices>;
  ProfileInput: Same<ProfileInput, Types.ProfileInput>;
  ProviderKind: Same<ProviderKind, Types.ProviderKind>;
  Replay: Same<Replay, Types.Replay>;
  ReplayChange: Same<ReplayChange, Types.ReplayChange>;
  RequestLine: Same<RequestLine, Types.RequestLine>;
  Risk: Same<Risk, Types.Risk>;
  Rule: Same<Rule, Types.Rule>;
  RuleCandidate: Same<RuleCandidate, Types.RuleCandidate>;
  RunOutcome: Same<RunOutcome, Types.RunOutcome>;
  RunningCommand: Same<RunningCommand, Types.RunningCommand>;
  Sandbox: Same<Sandbox, Types.Sandbox>;
  SandboxCheck: Same<SandboxCheck, Types.SandboxCheck>;
  SavedProfile: Same<SavedProfile, Types.SavedProfile>;
  SessionQuery: Same<SessionQuery, Types.SessionQuery>;
  SessionSummary: Same<SessionSummary, Types.SessionSummary>;
  Settings: Same<Settings, Types.Settings>;
  Surface: Same<Surface, Types.Surface>;
  ToolMetrics: Same<ToolMetrics, Types.ToolMetrics>;
  Transcript: Same<Transcript, Types.Transcript>;
  TranscriptItem: Same<TranscriptItem, Types.TranscriptItem>;
  TrustedFolder: Same<TrustedFolder, Types.TrustedFolder>;
  UndoResult: Same<UndoResult, Types.UndoResult>;
  Usage: Same<Usage, Types.Usage>;
  Verdict: Same<Verdict, Types.Verdict>;
  Workspace: Same<Workspace, Types.Workspace>;
}>;
