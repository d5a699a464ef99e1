/** What decides: layers, rules, grants, trust; and what would be decided otherwise. */
import type { AuditRow } from "./audit";
import type { Mode, Risk, Verdict } from "./call";

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
  layer: "managed" | "user" | "project";
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
