/** Every main state in the engine of the real window on Linux: nothing complains, and nothing is cut, squeezed or out of sight. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { LAYOUT, LOOKS, STATES } from "./states";
import { WebKit } from "./webkit";

const SHOTS = fileURLToPath(new URL("../test-results/webkit/", import.meta.url));
mkdirSync(SHOTS, { recursive: true });

describe.skipIf(process.platform !== "linux").each(LOOKS)("%s", (look, lookQuery) => {
  let webkit: WebKit;
  beforeAll(async () => {
    webkit = await WebKit.start();
  });
  afterAll(() => webkit.end());

  it.each(STATES)("%s", async (name, query, steps = [], { width = 1280, height = 800 } = {}) => {
    await webkit.open(`${inject("url")}?${query}&${lookQuery}&watch`, width, height);
    for (const step of steps) await step(webkit);
    await webkit.settled();
    const faults = [(await webkit.run("return complaints")) as string[], (await webkit.run(LAYOUT)) as string[]].flat();
    if (faults.length > 0 || "PICTURES" in process.env) await webkit.screenshot(`${SHOTS}${name}-${look}.png`);
    expect(faults).toEqual([]);
  });
});
