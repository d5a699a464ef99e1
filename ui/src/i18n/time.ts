/** Times and durations as people read them, in the language of the window. */
import { currentLanguage, t } from "./index.svelte";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** `14:02:11` */
export function clock(ms: number): string {
  return format(ms, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
}

/** `14:02` */
export function clockShort(ms: number): string {
  return format(ms, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

/** Date and time, for tooltips and details. */
export function moment(ms: number): string {
  return format(ms, { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });
}

/** `Today`, `Yesterday`, a weekday within the week, else the date. */
export function day(ms: number, nowMs: number): string {
  const days = Math.round((midnight(nowMs) - midnight(ms)) / DAY);
  if (days <= 0) return t("time.today");
  if (days === 1) return t("time.yesterday");
  if (days < 7) return format(ms, { weekday: "long" });
  return format(ms, { year: "numeric", month: "short", day: "numeric" });
}

/** `3 ms`, `1.2 s`, `2 min 5 s` */
export function duration(ms: number): string {
  // Rounded before it is split: 59.96 s is a minute.
  if (Math.round(ms) < SECOND) return t("time.ms", { n: Math.round(ms) });
  if (Math.round(ms / 100) < 600) return t("time.s", { n: (ms / SECOND).toFixed(1) });
  const seconds = Math.round(ms / SECOND);
  return t("time.min", { m: Math.floor(seconds / 60), s: seconds % 60 });
}

/** What is left, `9:41`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** `512 B`, `3.4 KiB`, `1.2 MiB` */
export function bytes(count: number): string {
  if (count < 1024) return `${count}\u00a0B`;
  if (count < 1024 * 1024 - 51) return `${(count / 1024).toFixed(1)}\u00a0KiB`;
  return `${(count / 1024 / 1024).toFixed(1)}\u00a0MiB`;
}

function format(ms: number, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(currentLanguage(), options).format(ms);
}

function midnight(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0);
}
