/**
 * View-models: everything that crosses between the shell (`src-tauri/src/view.rs`) and the window.
 *
 * Plain JSON, camelCase fields, snake_case tags. Times are Unix milliseconds (UTC), sizes are bytes,
 * durations milliseconds. Every string that may carry model, workspace or program text arrives escaped by the
 * one escaper of the core (no control, bidi or invisible characters), except `text` of messages, `output`
 * chunks and diff lines, which the window renders inertly. Sentences for people (`sentence`, `message`,
 * `reason`) arrive in the language of the settings where the core knows it, in English otherwise.
 */

// ---------------------------------------------------------------------------------------------- decisions

/** What a participant wants, weakest first. */
export type Behavior = "passthrough" | "allow" | "ask" | "deny";

/** How much is asked. */
export type Mode = "strict" | "balanced" | "sandboxed";

export type RiskLevel = "low" | "medium" | "high" | "critical";

/** Where an answer came from. */
export type Surface = "dialog" | "terminal" | "notification" | "tray" | "window";

export interface Verdict {
  /** Participant, or `rules:NAME`. */
  source: string;
  behavior: Behavior;
  reason: string;
}

export interface Risk {
  level: RiskLevel;
  /** One plain sentence: "Deletes files. Can't be undone by Assent." */
  sentence: string;
}

/** The final decision on a call. */
export interface Decision {
  behavior: "allow" | "deny";
  /** Participant, `rules:NAME`, `default`, or the surface where a person answered. */
  source: string;
  reason: string;
  verdicts: Verdict[];
  risk: Risk;
  /** `7F3A-91C2`, the same in dialog, card and audit; empty where none was computed. */
  digestShort: string;
  /** Whether a person was asked. */
  asked: boolean;
  surface: Surface | null;
  /** What the person wrote to the model with a denial. */
  words: string | null;
  /** Which sandbox profile it runs in, in words; null where nothing is executed. */
  sandbox: string | null;
}

// ---------------------------------------------------------------------------------------------- calls

/** proposed → (waiting →) denied | running → succeeded | failed | cancelled | unknown */
export type CallState =
  | "proposed"
  | "waiting"
  | "running"
  | "succeeded"
  | "failed"
  | "denied"
  | "cancelled"
  | "unknown";

export interface Argument {
  name: string;
  /** As text: strings as they are (escaped), everything else as JSON. At most 4 KiB; see `cut`. */
  value: string;
  /** Bytes left out of `value`; 0 = whole. The rest: `callArguments`. */
  cut: number;
}

export interface DiffLine {
  kind: "context" | "added" | "removed";
  text: string;
  oldLine: number | null;
  newLine: number | null;
}

export interface DiffHunk {
  header: string;
  lines: DiffLine[];
}

export interface FileDiff {
  /** Relative to the workspace. */
  path: string;
  kind: "created" | "modified" | "deleted" | "binary";
  added: number;
  removed: number;
  hunks: DiffHunk[];
  /** True when hunks were left out for size. */
  cut: boolean;
}

export interface Call {
  /** Unique in the app. */
  callId: string;
  tool: string;
  /** The path, the host, or the first line of the command; whole, the window cuts it. */
  subject: string;
  arguments: Argument[];
  /** What the model said about the call (`description`), null if nothing. */
  says: string | null;
  /** The sub-agent that proposed it, null for the agent itself. */
  agent: string | null;
  state: CallState;
  proposedMs: number;
  decision: Decision | null;
  /** The waiting or settled approval. */
  approvalId: string | null;
  /** A stable code such as `approval_denied`; null on success. */
  errorCode: string | null;
  /** Exit code of a shell command. */
  exitCode: number | null;
  durationMs: number | null;
  /** Head and tail of what it returned (at most 8 KiB), ANSI colours kept; the rest: `toolOutput`. */
  output: string;
  outputBytes: number;
  /** What it changed, or, before it ran, what it would change. */
  diffs: FileDiff[];
  /** Set where `undo` is possible. */
  changeId: string | null;
}

// ---------------------------------------------------------------------------------------------- sessions

export interface SessionSummary {
  sessionId: string;
  title: string;
  /** Real path of the workspace. */
  workspace: string;
  /** `~/code/shop` */
  workspaceDisplay: string;
  createdMs: number;
  updatedMs: number;
  running: boolean;
  /** Calls waiting for the person. */
  waiting: number;
  archived: boolean;
  /** Why nothing can be sent, null when it can: the folder is gone, or another process runs it. */
  readOnly: "folder_missing" | "other_process" | null;
}

export interface SessionQuery {
  /** Only this workspace's sessions; null = all. */
  workspace: string | null;
  /** Searches titles and text; empty = all. */
  text: string;
  archived: boolean;
  limit: number;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** About how many tokens the conversation fills as it is sent, null before anything is known. */
  contextTokens: number | null;
  /** The model's window, tokens; null where it is not known. */
  contextWindow: number | null;
  /** 0–100, null where the model's window is not known. */
  contextPercent: number | null;
  /** Dollars by the table of prices, for what has a price in it; null where nothing has. */
  cost: number | null;
}

export interface Attachment {
  name: string;
  mediaType: string;
  bytes: number;
}

export type RunOutcome =
  | "completed"
  | "turn_limit"
  | "incomplete"
  | "cancelled"
  | "provider_error"
  | "circuit_breaker";

/** One entry of a transcript, oldest first. `itemId` is unique in its session. */
export type TranscriptItem =
  | { kind: "user"; itemId: string; timeMs: number; text: string; mentions: string[]; attachments: Attachment[] }
  | { kind: "assistant"; itemId: string; timeMs: number; text: string; reasoning: string }
  | { kind: "call"; itemId: string; timeMs: number; call: Call }
  | { kind: "notice"; itemId: string; timeMs: number; code: string; message: string }
  /** From here on the model reads this instead of what came before, which stays readable. */
  | { kind: "summary"; itemId: string; timeMs: number; text: string; undone: boolean }
  | {
      kind: "run_end";
      itemId: string;
      timeMs: number;
      outcome: RunOutcome;
      errorCode: string | null;
      /** What happened, where, what to do; null for a completed run. */
      message: string | null;
      turns: number;
    };

export interface Transcript {
  session: SessionSummary;
  items: TranscriptItem[];
  /** Pass as `before` to get older items; null when `items` starts at the beginning. */
  before: string | null;
  usage: Usage;
}

export interface AttachmentInput {
  name: string;
  mediaType: string;
  base64: string;
}

export interface MessageInput {
  /** null starts a session in the open workspace. */
  sessionId: string | null;
  text: string;
  /** Workspace-relative paths the person named with @. */
  mentions: string[];
  attachments: AttachmentInput[];
  /** Edit and resend, retry: this user message and all after it leave the history first. Changes to files stay. */
  replaceFrom: string | null;
}

// ---------------------------------------------------------------------------------------------- approvals

/** One line of the dialog, in its order. */
export interface RequestLine {
  /** In the language of the settings: Workspace, Command, Touches, Sandbox, Check … */
  label: string;
  value: string;
}

export interface Approval {
  approvalId: string;
  sessionId: string;
  sessionTitle: string;
  callId: string;
  tool: string;
  /** The dialog's own title: "Run a command?" */
  title: string;
  subject: string;
  risk: Risk;
  /** "shell commands that can write need you" */
  reason: string;
  source: string;
  /** What the model says, null if nothing. */
  says: string | null;
  /** The dialog's labelled lines. */
  lines: RequestLine[];
  diffs: FileDiff[];
  digestShort: string;
  createdMs: number;
  expiresMs: number;
  /** True while its native dialog is on screen. */
  dialogOpen: boolean;
  /** False while another process owns it: it is shown, and can't be answered here. */
  mine: boolean;
}

export type ApprovalEnd = "allowed" | "denied" | "expired" | "withdrawn" | "unavailable";

// ---------------------------------------------------------------------------------------------- audit

export interface AuditFilter {
  /** Searches tool, subject, reason, source, codes. */
  text: string;
  sessionId: string | null;
  tool: string | null;
  /** `asked` = a person was asked, whatever the answer. */
  behavior: "allow" | "deny" | "asked" | null;
  source: string | null;
  surface: Surface | null;
  risk: RiskLevel | null;
  fromMs: number | null;
  toMs: number | null;
}

/** One line of the tab: a call with its phases folded in, or one event (mode, grant, trust, key, start). */
export interface AuditRow {
  /** Sequence of the first record: the row's identity and the page key. */
  seq: number;
  timeMs: number;
  kind: "call" | "event";
  sessionId: string | null;
  callId: string | null;
  /** Tool name, or the event's name. */
  tool: string;
  subject: string;
  /** null until decided. */
  behavior: "allow" | "deny" | null;
  asked: boolean;
  source: string;
  surface: Surface | null;
  reason: string;
  risk: RiskLevel | null;
  /** Outcome: `succeeded` or an error code; null while it has none. */
  outcome: string | null;
  durationMs: number | null;
}

export interface AuditPage {
  /** Newest first. */
  rows: AuditRow[];
  /** Pass as `before` for older rows; null at the end. */
  before: number | null;
  /** Rows that match, null where counting would take over 100 ms. */
  total: number | null;
  /** While words are still indexed: how far that has come, percent; newer rows may be missing. */
  indexing: number | null;
}

export interface AuditRecord {
  seq: number;
  phase: "intent" | "decision" | "start" | "outcome" | "event";
  timeMs: number;
  /** Field name and value as stored, redacted and escaped. */
  fields: { name: string; value: string }[];
  /** First 8 hex digits. */
  mac: string;
  previousMac: string;
}

export interface AuditDetail {
  row: AuditRow;
  records: AuditRecord[];
  verdicts: Verdict[];
  arguments: Argument[];
  targets: string[];
  digestShort: string;
  approver: string | null;
  policyVersion: string;
  sandbox: string | null;
  attempt: number;
  /** Set where `undo` is possible. */
  changeId: string | null;
}

export interface AuditVerification {
  ok: boolean;
  kind: "edit" | "deletion" | "insertion" | "truncation" | "rollback" | "unreadable" | "stopped" | null;
  /** The first broken record. */
  seq: number | null;
  records: number;
  durationMs: number;
  finishedMs: number;
}

export interface ToolMetrics {
  tool: string;
  calls: number;
  denied: number;
  asked: number;
  failed: number;
  p50Ms: number | null;
  p95Ms: number | null;
}

// ---------------------------------------------------------------------------------------------- permissions

export interface Rule {
  /** `rules:NAME` without the prefix. */
  name: string;
  behavior: "allow" | "ask" | "deny";
  tools: string[];
  commands: string[];
  paths: string[];
  reason: string;
  /** False for an allow rule of a project file that isn't trusted. */
  inForce: boolean;
}

export interface FileProblem {
  path: string;
  line: number | null;
  column: number | null;
  message: string;
}

export interface Layer {
  name: "managed" | "user" | "project" | "session";
  /** null for the session layer. */
  path: string | null;
  state: "absent" | "in_force" | "only_tightens" | "broken";
  problem: FileProblem | null;
  rules: Rule[];
}

export interface Grant {
  grantId: string;
  /** The exact command, or the rule, in full. */
  text: string;
  scope: "session" | "rule";
  sessionId: string | null;
  /** The call it was made from. */
  originCallId: string | null;
  createdMs: number;
  lastUsedMs: number | null;
  uses: number;
  expiresMs: number | null;
}

export interface TrustedFolder {
  path: string;
  display: string;
  sinceMs: number;
}

export interface Permissions {
  mode: Mode;
  policyVersion: string;
  layers: Layer[];
  grants: Grant[];
  protectedPaths: string[];
  sensitiveReads: string[];
  hardDenies: string[];
  readFolders: string[];
  trustedFolders: TrustedFolder[];
  hooks: { event: string; command: string; layer: string }[];
}

/** What the pipeline would decide: the same function as at run time; nothing runs, nobody is asked. */
export interface PolicyTest {
  behavior: "allow" | "ask" | "deny";
  source: string;
  reason: string;
  risk: Risk;
  errorCode: string | null;
  verdicts: Verdict[];
  /** The dialog's lines, as they would show. */
  display: string[];
}

export interface RuleCandidate {
  candidateId: string;
  scope: "session" | "rule";
  /** The rule in full, as TOML or the exact command. */
  text: string;
  /** Why it can't be offered (too broad, wouldn't clear the gate); null when it can. */
  refused: string | null;
}

export interface ReplayChange {
  row: AuditRow;
  before: "allow" | "ask" | "deny";
  after: "allow" | "ask" | "deny";
}

export interface Replay {
  judged: number;
  changes: ReplayChange[];
  problem: FileProblem | null;
}

// ---------------------------------------------------------------------------------------------- changes

export interface Change {
  changeId: string;
  sessionId: string;
  callId: string;
  tool: string;
  path: string;
  timeMs: number;
  kind: "created" | "modified" | "deleted";
  added: number;
  removed: number;
  /** `changed_since`: someone edited the file after this change. */
  state: "undoable" | "undone" | "changed_since" | "copy_missing" | "folder_missing";
}

export interface UndoResult {
  status: "undone" | "changed_since" | "failed";
  /** With `changed_since`: what undoing would do to the file as it is. */
  diff: FileDiff | null;
  message: string | null;
}

// ---------------------------------------------------------------------------------------------- app state

export interface Workspace {
  /** Real path. */
  path: string;
  /** `~/code/shop` */
  display: string;
  name: string;
  /** The link it was opened through, null if none. */
  openedAs: string | null;
  exists: boolean;
  /** Untrusted: reading tools only, the project's allow rules and shell are off. */
  trusted: boolean;
  shellEnabled: boolean;
  /** The person was asked for trust and said no: the window asks no more. */
  keptRestricted: boolean;
  pinned: boolean;
  lastUsedMs: number;
  /** The project's `.assent/policy.toml`. */
  projectPolicy: "absent" | "only_tightens" | "trusted" | "broken";
}

export interface SandboxCheck {
  /** What the self-test tried, in words. */
  name: string;
  held: boolean;
  detail: string;
}

export interface Sandbox {
  /** `in_force`; `limited` = some limits, no profile; `none`. In the last two the shell always asks. */
  state: "in_force" | "limited" | "none" | "testing";
  backend: string;
  /** Why it isn't in force, in one sentence; null when it is. */
  why: string | null;
  checks: SandboxCheck[];
}

export type ProviderKind = "tour" | "chat_completions" | "anthropic";

/** Where a key is kept. */
export type KeyPlace = "keychain" | "file" | "memory";

export interface ModelProfile {
  profileId: string;
  name: string;
  kind: ProviderKind;
  /** Empty for the tour. */
  baseUrl: string;
  model: string;
  hasKey: boolean;
  /** Where the key lives; null without one. */
  keyPlace: KeyPlace | null;
  /** Loopback host: nothing leaves the machine. */
  local: boolean;
  /** The model's window in tokens, where the person says so; null = what is known of the model. */
  contextWindow: number | null;
  /** It is offered no tools: it is only talked to. */
  withoutTools: boolean;
  /** Empty = the system's. */
  proxy: string;
  /** Path of a PEM file that is trusted beside the system's certificates; empty = none. */
  caFile: string;
  /** Sent with each request, kept in clear in the settings file. */
  headers: Header[];
}

export interface Header {
  name: string;
  value: string;
}

/** Dollars per million tokens. `model` may end in `*`: any ending, the longest match counts. */
export interface Price {
  model: string;
  input: number;
  output: number;
}

export interface Prices {
  file: string;
  rows: Price[];
  /** Why the file doesn't count, null when it does. */
  problem: string | null;
}

export interface Settings {
  language: "system" | "en" | "zh-CN";
  theme: "system" | "light" | "dark";
  /** Pixels, 12–20. */
  fontSize: number;
  notifications: "off" | "unfocused" | "always";
  closeToTray: boolean;
  /** How long a call waits, minutes, 1–60. */
  approvalMinutes: number;
  /** Model replies in one run, 1–200. */
  maxTurns: number;
  profiles: ModelProfile[];
  activeProfileId: string;
  firstRunDone: boolean;
  /** The documented file all this lives in. */
  file: string;
  dataFolder: string;
}

/** The settings that `setSetting` takes: simple values that can't loosen anything. */
export type SimpleSetting =
  | "language"
  | "theme"
  | "fontSize"
  | "notifications"
  | "closeToTray"
  | "approvalMinutes"
  | "maxTurns"
  | "firstRunDone";

export interface ProfileInput {
  /** null makes a new one. */
  profileId: string | null;
  name: string;
  kind: ProviderKind;
  baseUrl: string;
  model: string;
  contextWindow: number | null;
  withoutTools: boolean;
  proxy: string;
  caFile: string;
  headers: Header[];
}

export interface DetectedServer {
  /** "Ollama", "LM Studio", "llama.cpp", "vLLM" */
  name: string;
  baseUrl: string;
  models: string[];
}

export interface ConnectionTest {
  ok: boolean;
  durationMs: number;
  code: string | null;
  /** What happened, where, what to do. */
  message: string;
  /** Whether the model answered with a tool call; null when not tried. */
  tools: boolean | null;
}

/** A command that goes on while the agent does other things. */
export interface RunningCommand {
  sessionId: string;
  callId: string;
  /** In one line, escaped, perhaps cut. */
  command: string;
  sandboxed: boolean;
}

/** Whose words an instruction file holds: the person's own, or the folder's. */
export type InstructionAuthor = "person" | "project";

/** A file that speaks to the model beside the person: it is sent with every run. */
export interface InstructionFile {
  author: InstructionAuthor;
  /** For `openPath`. */
  path: string;
  /** The whole file. */
  bytes: number;
  /** Longer than what is sent of it, 32 KiB. */
  cut: boolean;
}

/** The window as a whole. */
export interface App {
  version: string;
  os: "linux" | "macos" | "windows";
  /** Resolved: what `system` means here. */
  language: "en" | "zh-CN";
  workspace: Workspace | null;
  recents: Workspace[];
  mode: Mode;
  sandbox: Sandbox;
  settings: Settings;
  approvals: Approval[];
  /** Oldest first; one that ended is gone. */
  running: RunningCommand[];
  /** What speaks to the model in the open folder, in the order it reads them. */
  instructions: InstructionFile[];
  /** A managed, user or project file that is broken: every call is denied until it is mended. */
  policyProblem: FileProblem | null;
  /** The audit can't be written: nothing runs. What to do. */
  auditProblem: string | null;
  /** What of the app's own files couldn't be read; defaults stand in for it in this run. */
  damaged: string[];
  /** What of the app's own files doesn't say what counts, and why: it counts until the app ends. */
  unsaved: string[];
  safeMode: boolean;
}

export interface FileMatch {
  /** Relative to the workspace, `/` between parts. */
  path: string;
  folder: boolean;
}

export interface OutputPage {
  text: string;
  /** Pass as `offset` for more; null at the end. */
  next: number | null;
  totalBytes: number;
}

/** The answer to anything that opens a native question. */
export interface Asked {
  status: "done" | "declined" | "impossible";
  /** Why it is impossible. */
  message: string | null;
}

/** The answer to saving a profile. */
export interface SavedProfile extends Asked {
  /** What takes it back; null where nothing was changed, or it is new. */
  change: number | null;
}

/** How a command fails. */
export interface BackendError {
  /** Stable, such as `not_found`, `read_only`, `io`. */
  code: string;
  /** What happened, where, what to do. */
  message: string;
}

// ---------------------------------------------------------------------------------------------- events

/** What the shell tells, in order, over the one channel. Each message is under 8 KiB unless it is `app` or `session_opened`. */
export type AppEvent =
  /** First after `subscribe`, and after every change of what it holds (workspace, mode, sandbox, settings, approvals). */
  | { type: "app"; app: App }
  /** The list changed in a way one summary can't tell (deleted, archived): ask again. */
  | { type: "sessions_changed" }
  | { type: "session_changed"; session: SessionSummary }
  /** The window forgets what it holds of it. */
  | { type: "session_deleted"; sessionId: string }
  /** Everything was deleted: the window forgets what it remembers. */
  | { type: "data_deleted" }
  /** The window shows this session from here: after `openSession`, and before the first `run_started` of a new one. */
  | { type: "session_opened"; transcript: Transcript }
  | { type: "run_started"; sessionId: string; runId: string }
  /** The history was cut before a resend: this item and all after it are gone. */
  | { type: "history_cut"; sessionId: string; fromItemId: string }
  /** The summary counts no longer: everything is sent as it is again. */
  | { type: "summary_undone"; sessionId: string; itemId: string }
  /** Any item that comes whole: user messages, notices, summaries. */
  | { type: "item_added"; sessionId: string; item: TranscriptItem }
  /** Opens the assistant item where `itemId` is new; appends where it is known. Coalesced to 16–33 ms. */
  | { type: "text_delta"; sessionId: string; itemId: string; text: string }
  | { type: "reasoning_delta"; sessionId: string; itemId: string; text: string }
  | { type: "reply_finished"; sessionId: string; itemId: string }
  | { type: "call_proposed"; sessionId: string; itemId: string; call: Call }
  /** Also when one already known changes (its dialog opened or closed). */
  | { type: "approval_waiting"; approval: Approval }
  | {
      type: "approval_settled";
      approvalId: string;
      sessionId: string;
      callId: string;
      end: ApprovalEnd;
      surface: Surface | null;
      words: string | null;
    }
  /** Denied: the call ends here. Allowed: it starts. */
  | { type: "call_decided"; sessionId: string; callId: string; decision: Decision; errorCode: string | null }
  | { type: "call_output"; sessionId: string; callId: string; chunk: string; totalBytes: number }
  | {
      type: "call_finished";
      sessionId: string;
      callId: string;
      state: CallState;
      errorCode: string | null;
      exitCode: number | null;
      durationMs: number | null;
      output: string;
      outputBytes: number;
      diffs: FileDiff[];
      changeId: string | null;
    }
  | { type: "usage"; sessionId: string; usage: Usage }
  | { type: "warning"; sessionId: string | null; code: string; message: string }
  | {
      type: "run_finished";
      sessionId: string;
      runId: string;
      itemId: string;
      outcome: RunOutcome;
      errorCode: string | null;
      message: string | null;
      turns: number;
    }
  /** New rows and rows that gained a phase, by `seq`. Coalesced. */
  | { type: "audit_rows"; rows: AuditRow[] }
  | { type: "verify_progress"; checked: number; total: number }
  | { type: "permissions_changed" }
  | { type: "changes_changed"; sessionId: string }
  /** A file was dropped on the window: it goes along with the next message. */
  | { type: "file_dropped"; file: AttachmentInput }
  /** The tray, a notification or a deep link wants something shown. Never sends, answers or runs. */
  | { type: "show"; sessionId: string | null; panel: "approvals" | null };
