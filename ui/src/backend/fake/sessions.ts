/** Sessions: those there are, and the commands for their list. */
import type { Backend } from "../backend";
import type { Asked, SessionSummary, TranscriptItem } from "../types";
import { DAY, fixedNow, MINUTE } from "./clock";
import { SHOP } from "./folders";
import { DONE, type Stage } from "./stage";
import { userItem } from "./transcripts";
import type { Scenario } from "./world";

export function sessions(stage: Stage) {
  return {
    async listSessions(query: { workspace: string | null; text: string; archived: boolean; limit: number }): Promise<SessionSummary[]> {
      stage.called("list_sessions", query);
      return stage.world.sessions
        .filter((s) => (query.workspace === null || s.workspace === query.workspace) && s.archived === query.archived && s.title.toLowerCase().includes(query.text.toLowerCase()))
        .sort((a, b) => b.updatedMs - a.updatedMs)
        .slice(0, query.limit);
    },
    async openSession(sessionId: string): Promise<void> {
      stage.called("open_session", sessionId);
      stage.session(sessionId);
      // The command answers first; events wait a moment, to be joined.
      setTimeout(() => stage.show(sessionId), 2);
    },
    async olderItems(sessionId: string, before: string): Promise<{ items: TranscriptItem[]; before: string | null }> {
      stage.called("older_items", sessionId, before);
      const from = Math.max(0, Number(before) - 200);
      return { items: (stage.world.transcripts.get(sessionId) ?? []).slice(from, Number(before)), before: from > 0 ? String(from) : null };
    },
    async renameSession(sessionId: string, title: string): Promise<void> {
      stage.called("rename_session", sessionId, title);
      stage.touch(sessionId, { title });
    },
    async archiveSession(sessionId: string, archived: boolean): Promise<void> {
      stage.called("archive_session", sessionId, archived);
      stage.touch(sessionId, { archived });
    },
    async deleteSession(sessionId: string): Promise<Asked> {
      stage.called("delete_session", sessionId);
      if (stage.consent !== "done") return { status: stage.consent, message: null };
      stage.world.sessions = stage.world.sessions.filter((session) => session.sessionId !== sessionId);
      stage.emit({ type: "session_deleted", sessionId });
      stage.emit({ type: "sessions_changed" });
      return DONE;
    },
    async exportSession(sessionId: string, format: string): Promise<Asked> {
      stage.called("export_session", sessionId, format);
      return DONE;
    },
    async importSession(): Promise<Asked> {
      stage.called("import_session");
      if (stage.consent !== "done") return { status: "declined", message: null };
      const sessionId = `s${stage.next()}`;
      const { path, display } = stage.world.app.workspace ?? SHOP;
      stage.world.sessions.unshift({ sessionId, title: "Imported", workspace: path, workspaceDisplay: display, createdMs: fixedNow(), updatedMs: fixedNow(), running: false, waiting: 0, archived: false, readOnly: null });
      stage.world.transcripts.set(sessionId, [userItem(`${sessionId}-u`, fixedNow(), "Said elsewhere")]);
      stage.emit({ type: "sessions_changed" });
      stage.emit({ type: "show", sessionId, panel: null });
      return DONE;
    },
    async locateWorkspace(sessionId: string): Promise<Asked> {
      stage.called("locate_workspace", sessionId);
      stage.touch(sessionId, { readOnly: null });
      return DONE;
    },
  } satisfies Partial<Backend>;
}

export function demoSessions(now: number, zh: boolean, scenario: Scenario): SessionSummary[] {
  const session = (sessionId: string, title: string, ago: number, more: Partial<SessionSummary> = {}): SessionSummary => ({
    sessionId,
    title,
    workspace: SHOP.path,
    workspaceDisplay: SHOP.display,
    createdMs: now - ago,
    updatedMs: now - ago,
    running: false,
    waiting: 0,
    archived: false,
    readOnly: null,
    ...more,
  });
  return [
    session("s1", zh ? "结账测试在 CI 上失败" : "Checkout test fails on CI", 2 * MINUTE, scenario === "gone" ? { readOnly: "folder_missing" } : {}),
    session("s2", zh ? "把 price 改名为 amount" : "Rename price to amount", 50 * MINUTE, { running: true }),
    session("s3", zh ? "升级依赖" : "Bring dependencies up to date", DAY),
    session("s4", zh ? "为什么 Safari 上购物车是空的" : "Why is the cart empty in Safari", DAY + 3 * 60 * MINUTE),
    session("s5", zh ? "写一份发布说明" : "Draft the release notes", 4 * DAY),
    session("s6", zh ? "税率表的来源" : "Where do the tax rates come from", 12 * DAY, { workspace: "/home/ada/code/handbook", workspaceDisplay: "~/code/handbook" }),
  ];
}
