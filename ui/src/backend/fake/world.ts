/** The scripted world: one person's folders, sessions and audit, as plain data. */
import type { App, AuditRow, Change, Permissions, SessionSummary, TranscriptItem } from "../types";
import { demoAudit } from "./audit";
import { demoChanges } from "./changes";
import { fixedNow } from "./clock";
import { SHOP, folder } from "./folders";
import { demoPermissions } from "./permissions";
import { demoSessions } from "./sessions";
import { firstSettings } from "./settings";
import { demoItems, hostileItems, longItems, userItem } from "./transcripts";

/** What is shown; `?scenario=` picks one. */
export type Scenario =
  | "demo"
  | "empty"
  | "first-run"
  | "no-folder"
  | "restricted"
  | "problems"
  | "hostile"
  | "long"
  | "million"
  | "gone"
  | "running";

export interface World {
  app: App;
  sessions: SessionSummary[];
  transcripts: Map<string, TranscriptItem[]>;
  changes: Change[];
  permissions: Permissions;
  audit: AuditRow[];
  /** Rows that are made up when asked for, beneath the stored ones. */
  auditDepth: number;
}

export function makeWorld(scenario: Scenario, params: URLSearchParams): World {
  const now = fixedNow();
  const language = params.get("lang") === "zh-CN" ? "zh-CN" : "en";
  const zh = language === "zh-CN";
  const app: App = {
    version: "0.1.0",
    os: "linux",
    language,
    workspace: scenario === "no-folder" || scenario === "first-run" ? null : SHOP,
    recents: [SHOP, folder("~/code/handbook", true), folder("~/写作/博客", true), folder("~/code/old-shop", false)],
    mode: "balanced",
    sandbox: {
      state: "in_force",
      backend: zh ? "命名空间、Landlock、seccomp" : "namespaces, Landlock, seccomp",
      why: null,
      checks: [
        { name: zh ? "写入工作区之外" : "write outside the workspace", held: true, detail: zh ? "没有文件" : "no file" },
        { name: zh ? "读取工作区之外的文件" : "read a file outside the workspace", held: true, detail: zh ? "没有读到" : "nothing was read" },
        { name: zh ? "通过 TCP 连接" : "connect over TCP", held: true, detail: zh ? "没有送达" : "nothing arrived" },
      ],
    },
    settings: firstSettings(scenario, params),
    approvals: [],
    running: [],
    instructions: scenario === "no-folder" || scenario === "first-run" ? [] : [{ author: "project", path: "AGENTS.md", bytes: 2_148, cut: false }],
    policyProblem: null,
    auditProblem: null,
    damaged: [],
    unsaved: params.has("unsaved") ? [zh ? "无法写入 ~/.config/assent/settings.toml：没有权限。" : "Can't write ~/.config/assent/settings.toml: permission denied."] : [],
    safeMode: false,
  };
  if (scenario === "running") {
    app.running = [
      { sessionId: "s1", callId: "s1:c1", command: "npm run dev -- --host 127.0.0.1 --port 5173", sandboxed: true },
      { sessionId: "s1", callId: "s1:c2", command: "docker compose up", sandboxed: false },
    ];
  }
  if (scenario === "restricted") {
    app.instructions = [
      { author: "person", path: "/home/ada/.config/assent/AGENTS.md", bytes: 640, cut: false },
      { author: "project", path: "AGENTS.md", bytes: 51_300, cut: true },
    ];
    app.workspace = { ...SHOP, trusted: false, shellEnabled: false };
  }
  if (scenario === "problems") {
    app.policyProblem = { layer: "user", path: "~/.config/assent/policy.toml", line: 12, column: 9, message: zh ? "未知的行为 “allways”" : "unknown behavior “allways”" };
    app.auditProblem = zh ? "磁盘已满：请为 ~/.local/share/assent 腾出空间，然后重试。" : "The disk is full: make room for ~/.local/share/assent, then try again.";
    app.sandbox = { state: "none", backend: "–", why: zh ? "此内核不允许用户命名空间。每条命令都会询问。" : "This kernel allows no user namespaces. Every command asks.", checks: app.sandbox.checks.map((check) => ({ ...check, held: false })) };
    app.safeMode = true;
    app.damaged = [zh ? "无法读懂 ~/.config/assent/settings.toml：第 3 行：缺少值。" : "Can't understand ~/.config/assent/settings.toml: line 3: missing value."];
  }

  const rows = demoAudit(now, zh);
  const sessions = scenario === "empty" || scenario === "no-folder" || scenario === "first-run" ? [] : demoSessions(now, zh, scenario);
  const transcripts = new Map<string, TranscriptItem[]>();
  if (scenario === "hostile") transcripts.set("s1", hostileItems(now));
  else if (scenario === "long") transcripts.set("s1", longItems(now));
  else if (sessions.length > 0) transcripts.set("s1", demoItems(now, zh));
  for (const session of sessions) {
    if (!transcripts.has(session.sessionId)) transcripts.set(session.sessionId, [userItem(`${session.sessionId}-u`, session.updatedMs, session.title)]);
  }
  return {
    app,
    sessions,
    transcripts,
    changes: sessions.length > 0 ? demoChanges(now) : [],
    permissions: demoPermissions(now, zh),
    audit: scenario === "empty" || scenario === "first-run" ? [] : rows,
    auditDepth: scenario === "million" ? 1_000_000 : 0,
  };
}
