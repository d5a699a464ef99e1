/** The window as a whole, and how a command answers. */
import type { Approval } from "./approval";
import type { Mode } from "./call";
import type { ModelProfile } from "./model";
import type { FileProblem } from "./permissions";

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

export interface Workspace {
  /** Real path. */
  path: string;
  /** `~/code/shop` */
  display: string;
  name: string;
  /** The link it was opened through, null if none. */
  openedAs: string | null;
  exists: boolean;
  /** Untrusted: the shell is off, and the project's rules can only tighten. */
  trusted: boolean;
  shellEnabled: boolean;
  /** The person was asked for trust and said no: the window asks no more. */
  keptRestricted: boolean;
  pinned: boolean;
  lastUsedMs: number;
  /** The project's `.assent/policy.toml`. */
  projectPolicy: "absent" | "only_tightens" | "trusted" | "broken";
}

export interface Sandbox {
  /** `in_force`; `limited` = some limits, no profile; `none`. In the last two the shell always asks. */
  state: "in_force" | "limited" | "none" | "testing";
  backend: string;
  /** Why it isn't in force, in one sentence; null when it is. */
  why: string | null;
  checks: SandboxCheck[];
}

export interface SandboxCheck {
  /** What the self-test tried, in words. */
  name: string;
  held: boolean;
  detail: string;
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

/** The answer to anything that opens a native question. */
export interface Asked {
  status: "done" | "declined" | "impossible";
  /** Why it is impossible. */
  message: string | null;
}

/** How a command fails. */
export interface BackendError {
  /** Stable, such as `not_found`, `read_only`, `io`. */
  code: string;
  /** What happened, where, what to do. */
  message: string;
}
