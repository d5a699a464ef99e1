/** Sessions of the scripted world. */
import type { SessionSummary } from "../types";
import { DAY, MINUTE } from "./clock";
import { SHOP } from "./folders";
import type { Scenario } from "./world";

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
