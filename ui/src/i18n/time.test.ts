/** Durations and sizes are rounded before they are split into units. */
import { expect, it } from "vitest";
import { bytes, duration } from "./time";

/** With spaces that break. */
const plain = (text: string): string => text.replaceAll("\u00a0", " ");

it.each([
  [3, "3 ms"],
  [999.7, "1.0 s"],
  [1_250, "1.3 s"],
  [59_940, "59.9 s"],
  [59_960, "1 min 0 s"],
  [119_600, "2 min 0 s"],
  [125_000, "2 min 5 s"],
])("%d ms is %s", (ms, text) => expect(plain(duration(ms))).toBe(text));

it.each([
  [1_023, "1023 B"],
  [1_024, "1.0 KiB"],
  [1_048_524, "1023.9 KiB"],
  [1_048_575, "1.0 MiB"],
])("%d bytes are %s", (count, text) => expect(plain(bytes(count))).toBe(text));
