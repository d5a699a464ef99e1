/** What the file tools changed, and how it is taken back. */
import type { Backend } from "../backend";
import type { Change, FileDiff } from "../types";
import type { Stage } from "./stage";

export function changes(stage: Stage) {
  return {
    async changes(sessionId: string): ReturnType<Backend["changes"]> {
      stage.called("changes", sessionId);
      return stage.world.changes.filter((change) => change.sessionId === sessionId);
    },
    async changeDiff(changeId: string): ReturnType<Backend["changeDiff"]> {
      stage.called("change_diff", changeId);
      return { ...TAX_DIFF, path: stage.world.changes.find((change) => change.changeId === changeId)?.path ?? TAX_DIFF.path };
    },
    async undo(changeId: string, evenIfChanged: boolean): ReturnType<Backend["undo"]> {
      stage.called("undo", changeId, evenIfChanged);
      const change = stage.world.changes.find((candidate) => candidate.changeId === changeId);
      if (change?.state === "changed_since" && !evenIfChanged) return { status: "changed_since", diff: { ...TAX_DIFF, path: change.path }, message: null };
      stage.world.changes = stage.world.changes.map((candidate) => (candidate === change ? { ...candidate, state: "undone" } : candidate));
      if (change) stage.emit({ type: "changes_changed", sessionId: change.sessionId });
      return { status: "undone", diff: null, message: null };
    },
  } satisfies Partial<Backend>;
}

export const TAX_DIFF: FileDiff = {
  path: "src/tax.rs",
  kind: "modified",
  added: 3,
  removed: 1,
  cut: false,
  hunks: [
    {
      header: "@@ -40,7 +40,9 @@ pub fn rate(region: &str) -> Rate",
      lines: [
        { kind: "context", text: "    let text = include_str!(\"rates.csv\");", oldLine: 40, newLine: 40 },
        { kind: "context", text: "    for line in text.lines() {", oldLine: 41, newLine: 41 },
        { kind: "removed", text: "        let percent: f64 = line.parse().unwrap();", oldLine: 42, newLine: null },
        { kind: "added", text: "        // The file always has a point; the locale must not matter.", oldLine: null, newLine: 42 },
        { kind: "added", text: "        let percent = Decimal::from_str_exact(line)", oldLine: null, newLine: 43 },
        { kind: "added", text: "            .map_err(|_| TaxError::BadRate(line.to_owned()))?;", oldLine: null, newLine: 44 },
        { kind: "context", text: "        rates.push(Rate(percent));", oldLine: 43, newLine: 45 },
        { kind: "context", text: "    }", oldLine: 44, newLine: 46 },
      ],
    },
  ],
};

export function demoChanges(now: number): Change[] {
  return [
    { changeId: "ch1", sessionId: "s1", callId: "c3", tool: "edit_file", path: "src/tax.rs", timeMs: now - 80_000, kind: "modified", added: 3, removed: 1, state: "undoable" },
    { changeId: "ch2", sessionId: "s1", callId: "c9", tool: "write_file", path: "docs/locale.md", timeMs: now - 200_000, kind: "created", added: 24, removed: 0, state: "changed_since" },
    { changeId: "ch3", sessionId: "s1", callId: "c8", tool: "edit_file", path: "Cargo.toml", timeMs: now - 260_000, kind: "modified", added: 1, removed: 0, state: "undone" },
  ];
}
