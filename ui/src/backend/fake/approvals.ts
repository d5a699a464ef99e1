/** Calls that wait: what one looks like, and how it is answered. */
import type { Backend } from "../backend";
import type { Approval, Surface } from "../types";
import { TAX_DIFF } from "./changes";
import { fixedNow, MINUTE } from "./clock";
import type { Stage } from "./stage";
import { call } from "./transcripts";

export function approvals(stage: Stage, waiting: Waiting) {
  return {
    async review(approvalId: string): Promise<void> {
      stage.called("review", approvalId);
      const approval = stage.world.app.approvals.find((candidate) => candidate.approvalId === approvalId);
      if (!approval) throw { code: "not_found", message: "It was answered already." };
      const open = { ...approval, dialogOpen: true };
      stage.world.app.approvals = stage.world.app.approvals.map((candidate) => (candidate === approval ? open : candidate));
      stage.emit({ type: "approval_waiting", approval: open });
    },
    async deny(approvalId: string, words: string | null): Promise<void> {
      stage.called("deny", approvalId, words);
      waiting.settle(approvalId, { end: "denied", surface: "window", words });
    },
    async denyAll(): Promise<void> {
      stage.called("deny_all");
      for (const approval of stage.world.app.approvals) if (approval.mine) waiting.settle(approval.approvalId, { end: "denied", surface: "window", words: null });
    },
  } satisfies Partial<Backend>;
}

/** How a call that waited ended. */
export interface Answer {
  end: "allowed" | "denied" | "withdrawn" | "expired";
  surface: Surface | null;
  words: string | null;
}

/** The calls that wait, and who hears of their answers. */
export class Waiting {
  readonly #stage: Stage;
  readonly #asked = new Map<string, (answer: Answer) => void>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Puts a call on the list; its answer. */
  ask(approval: Approval): Promise<Answer> {
    this.#stage.world.app.approvals = [...this.#stage.world.app.approvals, approval];
    this.#stage.emit({ type: "approval_waiting", approval });
    this.#count(approval.sessionId);
    return new Promise((resolve) => this.#asked.set(approval.approvalId, resolve));
  }

  /** Answers a call. */
  settle(approvalId: string, answer: Answer): void {
    const approval = this.#stage.world.app.approvals.find((candidate) => candidate.approvalId === approvalId);
    if (!approval) return;
    this.#stage.world.app.approvals = this.#stage.world.app.approvals.filter((candidate) => candidate !== approval);
    this.#stage.emit({ type: "approval_settled", approvalId, sessionId: approval.sessionId, callId: approval.callId, ...answer });
    this.#count(approval.sessionId);
    this.#asked.get(approvalId)?.(answer);
    this.#asked.delete(approvalId);
  }

  /** Has as many calls wait from the start. */
  put(count: number): void {
    const zh = this.#stage.world.app.language === "zh-CN";
    const now = fixedNow();
    const more: Partial<Approval>[] = [
      {},
      { approvalId: "a2", callId: "w2", tool: "edit_file", title: zh ? "修改文件？" : "Change a file?", subject: "src/tax.rs", source: "effect-default", risk: { level: "medium", sentence: zh ? "修改一个文件，可以撤销。" : "Changes a file. Can be undone." }, diffs: [TAX_DIFF], lines: [], says: null, digestShort: "0C11-7E5A" },
      { approvalId: "a3", callId: "w3", sessionId: "s2", sessionTitle: zh ? "把 price 改名为 amount" : "Rename price to amount", subject: "npm install", digestShort: "88D2-14AF", mine: false },
    ];
    this.#stage.world.app.approvals = more.slice(0, count).map((part) => demoApproval(now, zh, part));
    const items = this.#stage.world.transcripts.get("s1");
    items?.push({ kind: "call", itemId: "iw1", timeMs: now, call: call({ callId: "w1", tool: "shell", subject: "rm -r build/old", state: "waiting", approvalId: "a1", arguments: [{ name: "command", value: "rm -r build/old", cut: 0 }] }) });
    this.#stage.world.sessions = this.#stage.world.sessions.map((s) => (s.sessionId === "s1" ? { ...s, waiting: 1, running: true } : s));
  }

  /** As in the shell, a session's line changes with what waits in it. */
  #count(sessionId: string): void {
    this.#stage.touch(sessionId, { waiting: this.#stage.world.app.approvals.filter((approval) => approval.sessionId === sessionId).length });
  }
}

export function demoApproval(now: number, zh: boolean, part: Partial<Approval> = {}): Approval {
  const label = (en: string, cn: string): string => (zh ? cn : en);
  return {
    approvalId: "a1",
    sessionId: "s1",
    sessionTitle: zh ? "结账测试在 CI 上失败" : "Checkout test fails on CI",
    callId: "w1",
    tool: "shell",
    title: label("Run a command?", "运行命令？"),
    subject: "rm -r build/old",
    risk: { level: "high", sentence: label("Deletes files. Can't be undone by Assent.", "删除文件，Assent 无法撤销。") },
    reason: label("shell commands that can write need you", "可能写入的 Shell 命令需要你确认"),
    source: "shell-default",
    says: label("Remove the old build output.", "删除旧的构建产物。"),
    lines: [
      { label: label("Workspace", "工作区"), value: "~/code/shop" },
      { label: label("Command", "命令"), value: "rm -r build/old" },
      { label: label("Touches", "涉及"), value: label("build/old (214 files)", "build/old（214 个文件）") },
      { label: label("Sandbox", "沙箱"), value: label("can write this workspace, no network", "可写入此工作区，无网络") },
      { label: label("Check", "校验码"), value: "7F3A-91C2" },
    ],
    diffs: [],
    digestShort: "7F3A-91C2",
    createdMs: now,
    expiresMs: Date.now() + 9 * MINUTE + 41_000,
    dialogOpen: false,
    mine: true,
    ...part,
  };
}
