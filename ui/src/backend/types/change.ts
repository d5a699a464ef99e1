/** Diffs, and what the file tools changed. */

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
