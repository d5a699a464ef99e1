/**
 * The one way from the window to the shell.
 *
 * Each method is a Tauri command with its name in snake_case and its parameters by name; it rejects with a
 * `BackendError`. Nothing here approves a call or loosens anything by itself: what loosens opens a native
 * question whose default is no, and the method resolves with what the person answered there.
 */
import type {
  AppEvent,
  Argument,
  Asked,
  AuditDetail,
  AuditFilter,
  AuditPage,
  AuditVerification,
  Change,
  ConnectionTest,
  DetectedServer,
  FileDiff,
  FileMatch,
  KeyPlace,
  MessageInput,
  Mode,
  OutputPage,
  Permissions,
  PolicyTest,
  Price,
  Prices,
  ProfileInput,
  Replay,
  RuleCandidate,
  SavedProfile,
  SessionQuery,
  SessionSummary,
  Settings,
  SimpleSetting,
  ToolMetrics,
  TranscriptItem,
  UndoResult,
} from "./types";

export interface Backend {
  /** Opens the one ordered stream of events; the first is `app`. A second call replaces the first. */
  subscribe(onEvent: (event: AppEvent) => void): Promise<void>;

  // Workspace
  /** Native folder picker; opens what was picked. */
  pickWorkspace(): Promise<Asked>;
  /** Opens a folder of the recents. Only paths that a native picker returned before are accepted. */
  openWorkspace(path: string): Promise<void>;
  /** Keeps a recent at the top, or lets it go. */
  pinWorkspace(path: string, pinned: boolean): Promise<void>;
  /** Removes a folder from the recents; its trust stays as it is. */
  forgetWorkspace(path: string): Promise<void>;
  /** Asks natively whether the open folder is trusted. */
  trustWorkspace(): Promise<Asked>;
  /** The person was asked for a folder's trust and said no: the window asks no more. */
  keepRestricted(path: string): Promise<void>;
  /** Restricts a folder at once. */
  distrustWorkspace(path: string): Promise<void>;
  /** Asks natively whether the exact content of the project's policy file counts in full. */
  trustProjectPolicy(): Promise<Asked>;
  /** Takes that back at once. */
  distrustProjectPolicy(): Promise<void>;
  /** Switches the shell off at once, or asks natively to switch it on, for the open folder. */
  setShellEnabled(enabled: boolean): Promise<Asked>;
  /** Tightens at once; asks natively when it loosens. */
  setMode(mode: Mode): Promise<Asked>;
  /** Files of the open workspace for @, ignore files honoured; those whose path holds the query's letters in order. */
  searchFiles(query: string, limit: number): Promise<FileMatch[]>;

  // Sessions
  /** Newest first. */
  listSessions(query: SessionQuery): Promise<SessionSummary[]>;
  /** Sends `session_opened` with the newest 200 items over the stream, so that following events build on it; the session's folder is open from here on. */
  openSession(sessionId: string): Promise<void>;
  /** Up to 200 items before `before`, oldest first, and the next `before`. */
  olderItems(sessionId: string, before: string): Promise<{ items: TranscriptItem[]; before: string | null }>;
  renameSession(sessionId: string, title: string): Promise<void>;
  archiveSession(sessionId: string, archived: boolean): Promise<void>;
  /** Deletes the transcript; the audit stays. Asks natively. */
  deleteSession(sessionId: string): Promise<Asked>;
  /** Native save dialog. */
  exportSession(sessionId: string, format: "markdown" | "json"): Promise<Asked>;
  /** Native file picker; adds what `exportSession` wrote as JSON, and shows it. Nothing in it runs. */
  importSession(): Promise<Asked>;
  /** Native folder picker for a session whose folder was moved. */
  locateWorkspace(sessionId: string): Promise<Asked>;

  // Conversation
  /**
   * Adds the message and starts a run; the session's id. Rejects with `busy` while one is on.
   * For a new session the stream brings `session_opened` first, then `run_started`, then the user item.
   */
  sendMessage(message: MessageInput): Promise<string>;
  /** Stops the run: model, process trees, waiting calls. */
  stop(sessionId: string): Promise<void>;
  /** Ends a command that goes on in the background. */
  stopCommand(callId: string): Promise<void>;
  /** Has the older part sent as a summary from now on; a `summary` item follows. Rejects with `busy` while a run is on. */
  compactSession(sessionId: string): Promise<void>;
  /** Takes the newest summary back; `summary_undone` follows. */
  undoCompaction(sessionId: string): Promise<void>;
  /** All arguments of a call in full. */
  callArguments(callId: string): Promise<Argument[]>;
  /** A page of a tool's whole output, at most 64 KiB, cut at a character. */
  toolOutput(callId: string, offset: number): Promise<OutputPage>;

  // Approvals: the window can only deny
  /** Opens the native dialog of a waiting call (again). */
  review(approvalId: string): Promise<void>;
  /** Denies a waiting call; `words` (at most 500 characters) go to the model. */
  deny(approvalId: string, words: string | null): Promise<void>;
  /** Denies everything that waits in this process. */
  denyAll(): Promise<void>;

  // Audit
  /** Up to `limit` (500 at most) rows older than `before` (null = from the newest). */
  queryAudit(filter: AuditFilter, before: number | null, limit: number): Promise<AuditPage>;
  auditDetail(seq: number): Promise<AuditDetail>;
  /** The row of a call, for "why?". */
  auditRowOf(callId: string): Promise<number | null>;
  /** Checks the whole chain; tells `verify_progress` on the way. */
  verifyAudit(): Promise<AuditVerification>;
  /** Ends a running verification; it resolves with kind `stopped`. */
  stopVerify(): Promise<void>;
  /** Native save dialog; exports what the filter shows. */
  exportAudit(filter: AuditFilter, format: "jsonl" | "csv"): Promise<Asked>;
  /** Counts and latencies per tool for what the filter shows. */
  auditMetrics(filter: AuditFilter): Promise<ToolMetrics[]>;

  // Permissions
  permissions(): Promise<Permissions>;
  /** Judges a call as if the model had proposed it; `args` is a JSON object as text. */
  testPolicy(tool: string, args: string): Promise<PolicyTest>;
  /** What could be granted from this call, shown in full; grants nothing. */
  ruleCandidates(callId: string): Promise<RuleCandidate[]>;
  /** Asks natively whether the candidate becomes a grant. */
  proposeRule(callId: string, candidateId: string): Promise<Asked>;
  /** Takes a grant back at once, for waiting calls too. */
  revokeGrant(grantId: string): Promise<void>;
  /** Which of the newest `limit` calls would be decided otherwise with this user policy file; changes nothing. */
  replayPolicy(toml: string, limit: number): Promise<Replay>;
  /** The user policy file as text, to start an edit for `replayPolicy`. */
  userPolicyText(): Promise<string>;
  /** Opens a layer's file in the person's editor. */
  openPolicyFile(layer: "managed" | "user" | "project"): Promise<void>;

  // Changes
  /** What the file tools changed in a session, newest first. */
  changes(sessionId: string): Promise<Change[]>;
  changeDiff(changeId: string): Promise<FileDiff>;
  /** Restores what was there; with `evenIfChanged` also over later edits (which stay as a copy). */
  undo(changeId: string, evenIfChanged: boolean): Promise<UndoResult>;

  // Settings
  /** Sets one simple value; `app` follows. */
  setSetting<K extends SimpleSetting>(key: K, value: Settings[K]): Promise<void>;
  /** Makes or changes a profile; a new remote host, proxy or certificate is asked natively. The profile's id is in the `app` that follows. Where the host changes, the key of the old one goes. */
  saveProfile(profile: ProfileInput): Promise<SavedProfile>;
  /** The number takes it back. */
  removeProfile(profileId: string): Promise<number | null>;
  /** Takes back the change of that number, with the key: a change since the app began, the removal of the key or of all of it. Where a later one stands in the way, `later_change`. A new remote host, proxy or certificate is asked natively: a no leaves it to be taken back another time. `change` is the number of what puts a key back that went with this. */
  restoreProfile(change: number): Promise<SavedProfile>;
  /** Which profile, and which of its models, the next message goes to. */
  selectModel(profileId: string, model: string): Promise<void>;
  /** Stores a key for a profile's host. Write-only: it never comes back. `where` other than `keychain` is an explicit choice. The number puts the key back that it replaced. */
  saveKey(profileId: string, key: string, where: KeyPlace): Promise<number | null>;
  /** The number takes it back. */
  removeKey(profileId: string): Promise<number>;
  testConnection(profileId: string): Promise<ConnectionTest>;
  listModels(profileId: string): Promise<string[]>;
  /** The usual servers on loopback: Ollama, LM Studio, llama.cpp, vLLM. */
  detectLocalServers(): Promise<DetectedServer[]>;
  /** What models cost, for the session's sum. */
  prices(): Promise<Prices>;
  savePrices(rows: Price[]): Promise<void>;
  /** Runs the sandbox self-test again; `app` follows. */
  testSandbox(): Promise<void>;
  /** Deletes sessions, undo copies, settings, keys and trust after a native question; `data_deleted` follows. Audit, rules and hooks stay. */
  deleteData(): Promise<Asked>;

  // Outside the window
  /** Opens an https or mailto link after showing its real host natively. */
  openLink(url: string): Promise<Asked>;
  /** Opens a workspace file, or the person's own instruction file, in the person's editor, or shows a workspace file in its folder. Never runs it. */
  openPath(path: string, how: "open" | "reveal"): Promise<void>;
  /** Opens the data folder or the log folder. */
  openFolder(which: "data" | "logs" | "settings"): Promise<void>;
  /** As the tray's Quit: asks natively first where a run is on. */
  quit(): Promise<void>;
  /** Versions, sandbox, doctor findings and the last log lines, redacted, as text to copy. */
  diagnostics(): Promise<string>;
  /** Puts an error of the window into the log. */
  reportWindowError(message: string): Promise<void>;
}
