/** What the file tools changed in the scripted world. */
import type { Change, FileDiff } from "../types";

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
