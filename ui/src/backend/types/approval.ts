/** Calls that wait for the person. */
import type { Risk } from "./call";
import type { FileDiff } from "./change";

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
