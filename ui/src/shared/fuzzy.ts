/** Fuzzy matching for files, commands and sessions: the letters of the query in order, best first. */

export interface Match<T> {
  item: T;
  score: number;
  /** Indexes of the matched characters in the text, ascending. */
  positions: number[];
}

/** Matches `query` against the text of each item and returns the best `limit`, best first; ties keep their order. */
export function fuzzy<T>(items: readonly T[], query: string, text: (item: T) => string, limit = 50): Match<T>[] {
  const found: Match<T>[] = [];
  for (const item of items) {
    const match = score(query, text(item));
    if (match) found.push({ item, ...match });
  }
  found.sort((a, b) => b.score - a.score);
  return found.slice(0, limit);
}

/** Score of one text, null where the query's letters don't occur in order. Higher is better. */
export function score(query: string, text: string): { score: number; positions: number[] } | null {
  const needle = query.toLowerCase().replace(/\s+/g, "");
  if (needle === "") return { score: 0, positions: [] };
  const hay = text.toLowerCase();
  const positions = lastMatch(needle, hay);
  if (!positions) return null;

  let total = 0;
  let previous = -2;
  const nameStart = text.lastIndexOf("/") + 1;
  for (const at of positions) {
    if (at === previous + 1) total += 8;
    if (startsWord(text, at)) total += 6;
    if (at >= nameStart) total += 3;
    previous = at;
  }
  const whole = hay.indexOf(needle);
  if (whole >= 0) total += 10;
  return { score: total - text.length * 0.05, positions };
}

/** Greedy from the end, so that the file name is preferred over its folders. */
function lastMatch(needle: string, hay: string): number[] | null {
  const whole = hay.lastIndexOf(needle);
  if (whole >= 0) return Array.from(needle, (_, index) => whole + index).slice(0, needle.length);
  const positions: number[] = [];
  let at = hay.length;
  for (let index = needle.length - 1; index >= 0; index--) {
    at = hay.lastIndexOf(needle.charAt(index), at - 1);
    if (at < 0) return null;
    positions.unshift(at);
    if (at === 0 && index > 0) return null;
  }
  return positions;
}

function startsWord(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charAt(at - 1);
  if (/[\s/_.\-:]/.test(before)) return true;
  return /[a-z]/.test(before) && /[A-Z]/.test(text.charAt(at));
}
