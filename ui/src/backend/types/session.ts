/** Sessions, what is said in them, and what it costs. */
import type { Call } from "./call";

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

export interface FileMatch {
  /** Relative to the workspace, `/` between parts. */
  path: string;
  folder: boolean;
}
