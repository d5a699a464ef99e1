/** Calls, and what was decided about them. */
import type { FileDiff } from "./change";

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

export interface OutputPage {
  text: string;
  /** Pass as `offset` for more; null at the end. */
  next: number | null;
  totalBytes: number;
}
