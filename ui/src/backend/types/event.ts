/** What the shell tells over the one channel. */
import type { App } from "./app";
import type { Approval, ApprovalEnd } from "./approval";
import type { AuditRow } from "./audit";
import type { Call, CallState, Decision, Surface } from "./call";
import type { FileDiff } from "./change";
import type { AttachmentInput, RunOutcome, SessionSummary, Transcript, TranscriptItem, Usage } from "./session";

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
