/** Finding text in a transcript, over the entries and not over what happens to be drawn. */
import { AssistantEntry, CallEntry, type Entry } from "./entries.svelte";

/** Indexes of the entries that hold `query`, oldest first. Case and width don't matter. */
export function findEntries(entries: readonly Entry[], query: string): number[] {
  const needle = query.trim().toLowerCase();
  if (needle === "") return [];
  return entries.flatMap((entry, index) => (textOf(entry).toLowerCase().includes(needle) ? [index] : []));
}

/** Everything a person could have read in an entry. */
export function textOf(entry: Entry): string {
  if (entry instanceof AssistantEntry) return entry.reasoning === "" ? entry.text : `${entry.reasoning}\n${entry.text}`;
  if (entry instanceof CallEntry) {
    const { tool, subject, output, arguments: args } = entry.call;
    return [tool, subject, ...args.map((argument) => argument.value), output].join("\n");
  }
  return entry.kind === "run_end" ? (entry.message ?? "") : entry.kind === "notice" ? entry.message : entry.text;
}

/** Whether the text stands only where an entry is folded: in a call's arguments or output, or in the reasoning. */
export function isFolded(entry: Entry, query: string): boolean {
  const needle = query.trim().toLowerCase();
  const open = entry instanceof CallEntry ? `${entry.call.tool}\n${entry.call.subject}` : entry instanceof AssistantEntry ? entry.text : needle;
  return !open.toLowerCase().includes(needle);
}

/** Marks each occurrence beneath `root` by the CSS Custom Highlight API, where the web view has it; gives the places. */
export function mark(root: Element, query: string): Range[] {
  const highlights = typeof CSS === "undefined" ? undefined : CSS.highlights;
  if (!highlights) return [];
  highlights.delete("find");
  const needle = query.trim().toLowerCase();
  if (needle === "") return [];
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = (node.textContent ?? "").toLowerCase();
    for (let at = text.indexOf(needle); at >= 0 && ranges.length < 2_000; at = text.indexOf(needle, at + needle.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, Math.min(at + needle.length, node.textContent?.length ?? 0));
      ranges.push(range);
    }
  }
  highlights.set("find", new Highlight(...ranges));
  return ranges;
}
