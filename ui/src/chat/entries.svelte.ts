/** The entries of a transcript as the chat shows them; each changes on its own, so a delta redraws one block. */
import type { Call, TranscriptItem } from "../backend/types";

type Of<K extends TranscriptItem["kind"]> = Extract<TranscriptItem, { kind: K }>;

export type UserEntry = Of<"user">;
export type NoticeEntry = Of<"notice">;
export type SummaryEntry = Of<"summary">;
export type EndEntry = Of<"run_end">;

/** How much of a running command's output stays in memory; the rest can be fetched. */
const LIVE_CHARACTERS = 64 * 1024;

export class AssistantEntry {
  readonly kind = "assistant";
  readonly itemId: string;
  readonly timeMs: number;
  text = $state("");
  reasoning = $state("");
  /** True while more may come. */
  open = $state(true);

  constructor(itemId: string, timeMs: number, text: string, reasoning: string, open: boolean) {
    this.itemId = itemId;
    this.timeMs = timeMs;
    this.text = text;
    this.reasoning = reasoning;
    this.open = open;
  }

  get empty(): boolean {
    return this.text === "";
  }

  append(text: string): void {
    this.open = true;
    this.text += text;
  }

  finish(): void {
    this.open = false;
  }
}

export class CallEntry {
  readonly kind = "call";
  readonly itemId: string;
  readonly timeMs: number;
  call = $state.raw<Call>() as Call;
  /** The tail of what a running command has written so far. */
  live = $state("");
  liveBytes = $state(0);
  /** How many characters came before that tail. */
  liveFrom = $state(0);
  startedMs: number | null = null;

  constructor(itemId: string, timeMs: number, call: Call) {
    this.itemId = itemId;
    this.timeMs = timeMs;
    this.call = call;
    if (call.state === "running") this.write(call.output, call.outputBytes);
  }

  update(change: Partial<Call>): void {
    this.call = { ...this.call, ...change };
  }

  write(chunk: string, totalBytes: number): void {
    const whole = this.live + chunk;
    this.live = whole.slice(-LIVE_CHARACTERS);
    this.liveFrom += whole.length - this.live.length;
    this.liveBytes = totalBytes;
  }
}

export type Entry = UserEntry | AssistantEntry | CallEntry | NoticeEntry | SummaryEntry | EndEntry;

export function entryOf(item: TranscriptItem, open = false): Entry {
  switch (item.kind) {
    case "assistant":
      return new AssistantEntry(item.itemId, item.timeMs, item.text, item.reasoning, open);
    case "call":
      return new CallEntry(item.itemId, item.timeMs, item.call);
    case "user":
    case "notice":
    case "summary":
    case "run_end":
      return item;
  }
}
