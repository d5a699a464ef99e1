/** Small things of the layout that outlive the window: widths, open panels, drafts. Never anything that decides. */

const PREFIX = "assent.";

/** Reads a remembered value; `fallback` where there is none or it has another type. */
export function recall<T>(key: string, fallback: T): T {
  try {
    const stored = localStorage.getItem(PREFIX + key);
    if (stored === null) return fallback;
    const value: unknown = JSON.parse(stored);
    return typeof value === typeof fallback && Array.isArray(value) === Array.isArray(fallback) ? (value as T) : fallback;
  } catch {
    return fallback;
  }
}

/** Keeps a value; null forgets it. A full or missing storage loses it, which no flow depends on. */
export function remember(key: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // The layout is a convenience: without storage it starts from its defaults.
  }
}

/** Forgets everything. */
export function forgetAll(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  } catch {
    // Without storage there is nothing to forget.
  }
}

/** A reactive value that is remembered. */
export class Remembered<T> {
  readonly #key: string;
  #value: T;

  constructor(key: string, fallback: T) {
    this.#key = key;
    this.#value = $state(recall(key, fallback));
  }

  get value(): T {
    return this.#value;
  }

  set value(next: T) {
    this.#value = next;
    remember(this.#key, next);
  }
}
