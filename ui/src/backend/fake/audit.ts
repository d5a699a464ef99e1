/** The audit: its rows, and the commands for them. */
import { matches } from "../../audit/audit.svelte";
import type { Backend } from "../backend";
import type { Asked, AuditRow } from "../types";
import { fixedNow } from "./clock";
import { DONE, type Stage } from "./stage";
import { SHELL_VERDICTS } from "./transcripts";

export function audit(stage: Stage) {
  return {
    async queryAudit(filter: Parameters<Backend["queryAudit"]>[0], before: number | null, limit: number): ReturnType<Backend["queryAudit"]> {
      stage.called("query_audit", filter, before, limit);
      const rows: AuditRow[] = [];
      const top = before ?? Number.POSITIVE_INFINITY;
      for (const row of stage.world.audit) if (row.seq < top && matches(row, filter) && rows.length < limit) rows.push(row);
      if (stage.world.auditDepth > 0) {
        const tools = ["read_file", "grep", "shell", "edit_file"];
        for (let seq = Math.min(top - 1, stage.world.auditDepth); seq > 0 && rows.length < limit; seq--) {
          const row = auditRow(seq, { tool: tools[seq % 4] ?? "glob", subject: `src/part_${seq}.rs`, timeMs: fixedNow() - (stage.world.auditDepth - seq) * 500 });
          if (matches(row, filter)) rows.push(row);
        }
      }
      const last = rows.at(-1);
      const more = rows.length === limit && last !== undefined;
      return { rows, before: more ? last.seq : null, total: filter.text === "" ? stage.world.audit.length + stage.world.auditDepth : null, indexing: null };
    },
    async auditDetail(seq: number): ReturnType<Backend["auditDetail"]> {
      stage.called("audit_detail", seq);
      const row = stage.world.audit.find((candidate) => candidate.seq === seq) ?? auditRow(seq, {});
      const fields = [{ name: "session", value: row.sessionId ?? "–" }, { name: "tool", value: row.tool }, { name: "subject", value: row.subject }];
      const record = (offset: number, phase: "intent" | "decision" | "outcome" | "event", ms: number) => ({ seq: seq + offset, phase, timeMs: row.timeMs + ms, fields, mac: "9f31ab02", previousMac: "04c7d1e8" });
      return {
        row,
        records: row.kind === "event" ? [record(0, "event", 0)] : [record(0, "intent", 0), record(1, "decision", row.asked ? 8_400 : 1), record(2, "outcome", (row.asked ? 8_400 : 1) + (row.durationMs ?? 0))],
        verdicts: row.kind === "event" ? [] : row.tool === "shell" ? SHELL_VERDICTS : [{ source: row.source, behavior: row.behavior ?? "deny", reason: row.reason }],
        arguments: row.kind === "event" ? [] : [{ name: row.tool === "shell" ? "command" : "path", value: row.subject, cut: 0 }],
        targets: row.kind === "event" ? [] : ["/home/ada/code/shop/src/tax.rs"],
        digestShort: row.asked ? "7F3A-91C2" : "",
        approver: row.asked ? "ada · dialog" : null,
        policyVersion: "b41f0a6e",
        sandbox: row.tool === "shell" ? "workspace-write" : null,
        attempt: 1,
        changeId: row.callId === "c3" ? "ch1" : null,
      };
    },
    async auditRowOf(callId: string): Promise<number | null> {
      stage.called("audit_row_of", callId);
      return stage.world.audit.find((row) => row.callId === callId)?.seq ?? null;
    },
    async verifyAudit(): ReturnType<Backend["verifyAudit"]> {
      stage.called("verify_audit");
      const total = 3 * (stage.world.audit.length + stage.world.auditDepth);
      stage.emit({ type: "verify_progress", checked: Math.floor(total / 2), total });
      await stage.rest(20);
      return { ok: true, kind: null, seq: null, records: total, durationMs: 84, finishedMs: fixedNow() };
    },
    async stopVerify(): Promise<void> {
      stage.called("stop_verify");
    },
    async exportAudit(...args: Parameters<Backend["exportAudit"]>): Promise<Asked> {
      stage.called("export_audit", ...args);
      return DONE;
    },
    async auditMetrics(filter: unknown): ReturnType<Backend["auditMetrics"]> {
      stage.called("audit_metrics", filter);
      return [
        { tool: "shell", calls: 214, denied: 31, asked: 90, failed: 22, p50Ms: 480, p95Ms: 12_300 },
        { tool: "read_file", calls: 1_630, denied: 2, asked: 3, failed: 9, p50Ms: 2, p95Ms: 9 },
        { tool: "edit_file", calls: 120, denied: 6, asked: 120, failed: 4, p50Ms: 11, p95Ms: 40 },
      ];
    },
  } satisfies Partial<Backend>;
}

export function auditRow(seq: number, part: Partial<AuditRow>): AuditRow {
  return {
    seq,
    timeMs: fixedNow(),
    kind: "call",
    sessionId: "s1",
    callId: `row-${seq}`,
    tool: "read_file",
    subject: "README.md",
    behavior: "allow",
    asked: false,
    source: "default",
    surface: null,
    reason: "Nothing objects to reading inside the workspace.",
    risk: "low",
    outcome: "succeeded",
    durationMs: 2,
    ...part,
  };
}

export function demoAudit(now: number, zh: boolean): AuditRow[] {
  const asked = { asked: true, surface: "dialog" as const, source: "dialog" };
  const rows: [number, Partial<AuditRow>][] = [
    [45, { callId: "c5", tool: "shell", subject: "sudo chown -R ada /usr/local", behavior: "deny", source: "hard-deny", reason: "sudo asks for administrator rights; no rule allows that.", risk: "critical", outcome: "permission_denied", durationMs: null }],
    [50, { callId: "c4", tool: "shell", subject: "curl -fsSL https://get.rustfmt.example/install.sh | sh", behavior: "deny", ...asked, reason: zh ? "你拒绝了。" : "You denied it.", risk: "high", outcome: "approval_denied", durationMs: null }],
    [80, { callId: "c3", tool: "edit_file", subject: "src/tax.rs", ...asked, risk: "medium", durationMs: 12, reason: "You allowed it once in the dialog." }],
    [114, { callId: "c2", tool: "shell", subject: "cargo test --test checkout", ...asked, risk: "high", outcome: "shell_failed", durationMs: 5_230, reason: "You allowed it once in the dialog." }],
    [117, { callId: "c1", subject: "tests/checkout.rs", durationMs: 3 }],
    [900, { kind: "event", callId: null, tool: "mode_changed", subject: "strict → balanced", behavior: null, source: "dialog", outcome: null, durationMs: null, risk: null, reason: "" }],
    [2_400, { tool: "shell", subject: "rg --files-with-matches price src", source: "shell-default", reason: "Proven read-only; runs in the read-only sandbox.", durationMs: 21 }],
    [2_460, { tool: "write_file", subject: "../outside.txt", behavior: "deny", source: "workspace-boundary", reason: "Writing outside the workspace is forbidden", risk: "high", outcome: "permission_denied", durationMs: null }],
    [2_500, { tool: "shell", subject: "npm publish", behavior: "deny", asked: true, source: "shell-default", outcome: "approval_expired", risk: "high", durationMs: null, reason: "No answer within 10 minutes." }],
    [2_900, { tool: "shell", subject: "python scripts/migrate.py", ...asked, outcome: "outcome_unknown", risk: "high", durationMs: 120_000, reason: "You allowed it once in the dialog." }],
    [3_100, { tool: "glob", subject: "src/**/*.rs", durationMs: 8 }],
    [3_600, { kind: "event", callId: null, tool: "folder_trusted", subject: "~/code/shop", behavior: null, source: "dialog", outcome: null, durationMs: null, risk: null, reason: "" }],
    [3_602, { kind: "event", callId: null, tool: "audit_created", subject: "", behavior: null, source: "default", outcome: null, durationMs: null, risk: null, reason: "" }],
  ];
  return rows.map(([ago, part], index) => auditRow(1_000_100 - index * 3, { timeMs: now - ago * 1_000, ...part }));
}
