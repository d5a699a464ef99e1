/** The audit: its rows, records, verification and counts. */
import type { Argument, RiskLevel, Surface, Verdict } from "./call";

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
