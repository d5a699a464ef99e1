/** Every main state in both themes and both languages: nothing complains, nothing serious for assistive technology. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { expectAccessible, open, settled } from "./page";
import { type Hands, LAYOUT, LOOKS, STATES } from "./states";

const SHOTS = fileURLToPath(new URL("../test-results/", import.meta.url));
mkdirSync(SHOTS, { recursive: true });

describe.each(LOOKS)("%s", (look, lookQuery) => {
  it.each(STATES)("%s", async (name, query, steps = [], options = {}) => {
    const { page, complaints, strangers } = await open(`${query}&${lookQuery}`, options);
    const hands: Hands = {
      press: (keys) => page.keyboard.press(keys),
      click: (selector) => page.locator(selector).first().click(),
      run: (code) => page.evaluate(code),
    };
    for (const step of steps) await step(hands);
    await settled(page);
    await page.screenshot({ path: `${SHOTS}${name}-${look}.png` });
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    expect(strangers).toEqual([]);
    expect(await page.evaluate(`(() => {${LAYOUT}})()`)).toEqual([]);
    await page.close();
  });
});
