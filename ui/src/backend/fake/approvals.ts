/** What waits in the scripted world. */
import type { Approval } from "../types";
import { MINUTE } from "./clock";

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
