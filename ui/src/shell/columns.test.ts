import { describe, expect, it } from "vitest";
import { DRAWER_WIDTH } from "../shared/navigation.svelte";
import { columns } from "./columns";

const widths = (width: number, sidebar: number | null, side: number | null): number[] => {
  const both = columns(width, sidebar, side);
  return [both.sidebar.width, both.side.width];
};

describe("columns", () => {
  it("are as wide as they were set where there is room", () => {
    expect(widths(1600, 400, 720)).toEqual([400, 720]);
    expect(widths(1200, 248, 384)).toEqual([248, 384]);
  });

  it("leave the chat its room in every window that has them", () => {
    for (let width = DRAWER_WIDTH; width < 2000; width += 7) {
      for (const [sidebar, side] of [[400, 720], [180, 720], [400, 300], [9_000, 9_000]] as const) {
        const [first = 0, second = 0] = widths(width, sidebar, side);
        expect(width - first - second, `${width}`).toBeGreaterThanOrEqual(360);
        expect(first).toBeGreaterThanOrEqual(180);
        expect(second).toBeGreaterThanOrEqual(300);
      }
    }
  });

  it("give the room of one that isn't there to the other", () => {
    expect(widths(1000, null, 720)[1]).toBe(640);
    expect(widths(1000, 400, null)[0]).toBe(400);
    expect(columns(1000, 248, 720).side).toEqual({ width: 392, min: 300, max: 392 });
  });
});
