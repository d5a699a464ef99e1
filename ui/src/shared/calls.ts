/** How a call's state and decision read, in chat, audit and approvals alike. */
import type { AuditRow, Call, Decision, Surface, Verdict, Workspace } from "../backend/types";
import { t, tCode } from "../i18n/index.svelte";
import type { IconName } from "./Icon.svelte";
import type { MeaningName } from "./Meaning.svelte";

const TOOL_ICONS: Record<string, IconName> = {
  shell: "shell",
  read_file: "eye",
  write_file: "pencil",
  edit_file: "pencil",
  glob: "search",
  grep: "search",
  list_dir: "folder",
  fetch_url: "globe",
};

export function toolIcon(tool: string): IconName {
  return TOOL_ICONS[tool] ?? "gear";
}

/** Where a person answers; as a source, the person. */
export const SURFACES: readonly string[] = ["dialog", "terminal", "notification", "tray", "window"] satisfies Surface[];

/** Whether a person's answer decided; a yes that a later check overruled is theirs too, but didn't. */
export function byPerson(source: string): boolean {
  return SURFACES.includes(source);
}

/** A participant's name in words; a rule keeps its own name. */
export function sourceName(source: string): string {
  if (source.startsWith("rules:")) return t("source.rule", { name: source.slice("rules:".length) });
  if (byPerson(source)) return t("source.person", { surface: tCode("source", source) });
  return tCode("source", source);
}

/** What of the person's would let such a call through another time. */
export type WayOut = "rule" | "trust" | "shell_switch" | null;

export function wayOut(source: string, behavior: Verdict["behavior"], folder: Workspace | null): WayOut {
  // What these refuse, nothing of the person's can allow.
  if (source === "hard-deny" || source === "workspace-boundary") return null;
  // It refuses only where commands are off for the whole folder, which no rule changes.
  if (source === "shell-default" && behavior === "deny") return folder === null ? null : folder.trusted ? "shell_switch" : "trust";
  return "rule";
}

export function verdictWord(behavior: Verdict["behavior"]): string {
  return t(`verdict.${behavior}`);
}

export interface StateWords {
  /** null where the state is none of the four meanings. */
  meaning: MeaningName | null;
  text: string;
}

/** The state of a call in two or three words. */
export function callState(call: Call): StateWords {
  switch (call.state) {
    case "proposed":
      return { meaning: null, text: t("state.judging") };
    case "waiting":
      return { meaning: "waiting", text: t("state.waiting") };
    case "running":
      return { meaning: null, text: t("state.running") };
    case "succeeded":
      return { meaning: "allowed", text: allowedBy(call.decision) };
    case "failed":
      return { meaning: null, text: call.exitCode === null ? tCode("code", call.errorCode ?? "") : t("state.exit", { code: call.exitCode }) };
    case "denied":
      return { meaning: "denied", text: deniedBy(call.errorCode, call.decision) };
    case "cancelled":
      return { meaning: null, text: t("state.stopped") };
    case "unknown":
      return { meaning: "unknown", text: t("state.unknown") };
  }
}

/** `asked · you allowed`, `denied · workspace boundary`, `allowed · default` */
export function auditWords(row: AuditRow): StateWords {
  if (row.outcome === "outcome_unknown") return { meaning: "unknown", text: t("state.unknown") };
  if (row.behavior === null) return row.outcome === null ? { meaning: null, text: t("state.judging") } : { meaning: null, text: tCode("code", row.outcome) };
  const meaning = row.behavior === "allow" ? "allowed" : "denied";
  if (row.asked) {
    if (row.behavior === "allow") return { meaning, text: t("audit.asked_allowed") };
    if (row.outcome === "approval_expired") return { meaning, text: t("audit.asked_expired") };
    if (row.outcome === "approval_withdrawn") return { meaning, text: t("audit.asked_withdrawn") };
    if (byPerson(row.source)) return { meaning, text: t("audit.asked_denied") };
  }
  return { meaning, text: t(row.behavior === "allow" ? "audit.allowed" : "audit.denied", { source: sourceName(row.source) }) };
}

function allowedBy(decision: Decision | null): string {
  return decision?.asked ? t("state.you_allowed") : t("state.allowed");
}

function deniedBy(code: string | null, decision: Decision | null): string {
  if (code === "approval_expired") return t("state.expired");
  if (code === "approval_withdrawn") return t("state.withdrawn");
  if (code === "stale_or_revoked") return t("state.stale");
  return decision && byPerson(decision.source) ? t("state.you_denied") : t("state.denied");
}
