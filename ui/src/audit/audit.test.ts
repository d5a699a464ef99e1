import { fireEvent, render, screen } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { SOURCES, TOOLS } from "../backend/bindings";
import { FakeBackend } from "../backend/fake";
import { auditRow } from "../backend/fake/audit";
import type { AuditFilter } from "../backend/types";
import { auditWords } from "../shared/calls";
import { Notices } from "../shared/notices.svelte";
import AuditFilters from "./AuditFilters.svelte";
import { Audit, matches, NO_FILTER, PAGE } from "./audit.svelte";

function make(scenario: "demo" | "million" = "demo"): { store: Audit; backend: FakeBackend } {
  const backend = new FakeBackend(scenario, new URLSearchParams());
  return { backend, store: new Audit(backend, new Notices()) };
}

it("everything that decides, and every tool, has its word in the filter (R44)", async () => {
  const { store } = make();
  render(AuditFilters, { store, sessionId: null });
  await fireEvent.click(screen.getByRole("button", { name: "Filter" }));
  const offered = (label: string): (string | null)[] => [...screen.getByLabelText<HTMLSelectElement>(label).options].map((option) => option.textContent).slice(1);
  expect(offered("Tool")).toEqual([...TOOLS]);
  expect(offered("Decided by")).toHaveLength(SOURCES.length);
  // These are called in the window as they are by the shell; any other would show its bare code.
  expect(SOURCES.filter((source) => offered("Decided by").includes(source))).toEqual(["default", "rules", "hooks", "reviewer"]);
  await fireEvent.change(screen.getByLabelText("Decided by"), { target: { value: "recheck" } });
  expect(store.filter).toEqual({ ...NO_FILTER, source: "recheck" });
  await fireEvent.change(screen.getByLabelText("Decided by"), { target: { value: "" } });
  expect(store.filter).toEqual(NO_FILTER);
});

it("what is narrowed to this session follows the one that is shown", async () => {
  const { store } = make();
  const { rerender } = render(AuditFilters, { store, sessionId: "s1" });
  await rerender({ sessionId: "s2" });
  expect(store.filter).toBe(NO_FILTER);
  await fireEvent.click(screen.getByRole("button", { name: "Filter" }));
  await fireEvent.click(screen.getByLabelText("This session only"));
  expect(store.filter.sessionId).toBe("s2");
  await rerender({ sessionId: "s1" });
  expect(store.filter.sessionId).toBe("s1");
  await rerender({ sessionId: null });
  expect(store.filter.sessionId).toBeNull();
  // The session of a new chat's first message.
  await rerender({ sessionId: "s3" });
  expect(store.filter.sessionId).toBe("s3");
  await store.clear();
  await rerender({ sessionId: "s1" });
  expect(store.filter).toEqual(NO_FILTER);
});

it("figures are counted again for rows that come, once a second at most", async () => {
  vi.useFakeTimers();
  const { store, backend } = make();
  const counts = (): number => backend.calls.filter((call) => call.name === "audit_metrics").length;
  const come = (seq: number): void => store.handle({ type: "audit_rows", rows: [auditRow(seq, {})] });
  await store.load();
  come(1_000_001);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(counts()).toBe(0);
  store.showFigures(true);
  for (let n = 2; n < 6; n++) come(1_000_000 + n);
  expect(counts()).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(counts()).toBe(2);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(counts()).toBe(2);
  come(1_000_006);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(counts()).toBe(3);
  vi.useRealTimers();
});

it("figures are counted for what the list shows, as long as they are shown", async () => {
  const { store, backend } = make();
  const counted = (): unknown[] => backend.calls.filter((call) => call.name === "audit_metrics").map((call) => call.args[0]);
  await store.load();
  expect(counted()).toEqual([]);
  store.showFigures(true);
  await vi.waitFor(() => expect(store.metrics).not.toBeNull());
  await store.load({ ...NO_FILTER, tool: "shell" });
  expect(counted()).toEqual([NO_FILTER, { ...NO_FILTER, tool: "shell" }]);
  // An answer to an older question, or after they were put away, shows nothing.
  const count = backend.auditMetrics.bind(backend);
  let release = (): void => undefined;
  backend.auditMetrics = async (filter) => {
    await new Promise<void>((resolve) => (release = resolve));
    return count(filter);
  };
  store.showFigures(true);
  store.showFigures(false);
  release();
  await new Promise((resolve) => setTimeout(resolve));
  expect(store.metrics).toBeNull();
});

describe("pages", () => {
  it("follow the sequence without gaps or repeats", async () => {
    const { store } = make("million");
    await store.load();
    for (let n = 0; n < 4; n++) await store.more();
    const seqs = store.rows.map((row) => row.seq);
    expect(seqs).toHaveLength(PAGE * 5);
    expect(new Set(seqs).size).toBe(seqs.length);
    expect([...seqs].sort((a, b) => b - a)).toEqual(seqs);
    expect(store.total).toBe(1_000_013);
  });

  it("end", async () => {
    const { store } = make();
    await store.load();
    expect(store.atEnd).toBe(true);
    await store.more();
    expect(store.rows).toHaveLength(13);
  });

  it("of an older question are dropped", async () => {
    const { store, backend } = make();
    const ask = backend.queryAudit.bind(backend);
    let release: () => void = () => undefined;
    backend.queryAudit = async (...args) => {
      await new Promise<void>((resolve) => (release = resolve));
      return ask(...args);
    };
    const slow = store.load({ ...NO_FILTER, tool: "shell" });
    const releaseSlow = release;
    backend.queryAudit = ask;
    await store.load({ ...NO_FILTER, tool: "glob" });
    releaseSlow();
    await slow;
    expect(store.rows.map((row) => row.tool)).toEqual(["glob"]);
  });

  it("that can't see every record say so, and are asked again until they can", async () => {
    vi.useFakeTimers();
    const { store, backend } = make();
    const ask = backend.queryAudit.bind(backend);
    const steps: (number | null)[] = [40, 90, null];
    backend.queryAudit = async (...args) => ({ ...(await ask(...args)), indexing: steps.shift() ?? null });
    await store.load({ ...NO_FILTER, text: "cargo" });
    expect(store.indexing).toBe(40);
    await vi.advanceTimersByTimeAsync(1000);
    expect(store.indexing).toBe(90);
    await vi.advanceTimersByTimeAsync(1000);
    expect(store.indexing).toBeNull();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(steps).toHaveLength(0);
    vi.useRealTimers();
  });

  it("that fail say so, and can be asked for again", async () => {
    const { store, backend } = make();
    backend.failNext("query_audit", "io", "The audit can't be opened.");
    await store.load();
    expect(store.failed).toBe("The audit can't be opened.");
    await store.load();
    expect(store.failed).toBeNull();
  });
});

describe("live rows", () => {
  it("go on top, and gain their phases in place", async () => {
    const { store } = make();
    await store.load();
    const row = auditRow(2_000_000, { outcome: null, behavior: null });
    store.handle({ type: "audit_rows", rows: [row] });
    store.handle({ type: "audit_rows", rows: [{ ...row, behavior: "allow", outcome: "succeeded" }] });
    expect(store.rows[0]).toMatchObject({ seq: 2_000_000, outcome: "succeeded" });
    expect(store.rows).toHaveLength(14);
    expect(store.total).toBe(14);
  });

  it("keep to the filter", async () => {
    const { store } = make();
    await store.load({ ...NO_FILTER, tool: "shell" });
    const before = store.rows.length;
    store.handle({ type: "audit_rows", rows: [auditRow(2_000_000, { tool: "glob" }), auditRow(2_000_003, { tool: "shell" })] });
    expect(store.rows).toHaveLength(before + 1);
  });

  it("before the first load are left to it", () => {
    const { store } = make();
    store.handle({ type: "audit_rows", rows: [auditRow(5, {})] });
    expect(store.rows).toEqual([]);
  });
});

it("opens the row of a call even where the filter hides it", async () => {
  const { store } = make();
  await store.load({ ...NO_FILTER, tool: "glob" });
  expect(await store.openCall("c4")).toBe(1);
  expect(store.detail?.row.callId).toBe("c4");
});

it.each<[Partial<AuditFilter>, boolean]>([
  [{}, true],
  [{ text: "READ" }, true],
  [{ text: "nothing like it" }, false],
  [{ tool: "shell" }, false],
  [{ behavior: "allow" }, true],
  [{ behavior: "deny" }, false],
  [{ behavior: "asked" }, false],
  [{ risk: "low" }, true],
  [{ surface: "dialog" }, false],
  [{ sessionId: "s2" }, false],
  [{ fromMs: Number.MAX_SAFE_INTEGER }, false],
  [{ toMs: 0 }, false],
])("filter %j: %s", (part, expected) => expect(matches(auditRow(1, {}), { ...NO_FILTER, ...part })).toBe(expected));

it.each([
  [{}, "allowed", "allowed · default"],
  [{ behavior: "deny", source: "workspace-boundary", outcome: "permission_denied" }, "denied", "denied · workspace boundary"],
  [{ behavior: "deny", source: "rules:no-push", outcome: "permission_denied" }, "denied", "denied · rule “no-push”"],
  [{ asked: true, surface: "dialog", source: "dialog" }, "allowed", "asked · you allowed"],
  [{ asked: true, behavior: "deny", source: "notification", surface: "notification", outcome: "approval_denied" }, "denied", "asked · you denied"],
  [{ asked: true, behavior: "deny", source: "recheck", surface: "dialog", outcome: "stale_or_revoked" }, "denied", "denied · check before the start"],
  [{ asked: true, behavior: "deny", outcome: "approval_expired" }, "denied", "asked · expired"],
  [{ asked: true, outcome: "outcome_unknown" }, "unknown", "may have run"],
] as const)("a row %j reads as a sentence", (part, meaning, text) => expect(auditWords(auditRow(1, part))).toEqual({ meaning, text }));
