/** Every main state in both themes and both languages: nothing complains, nothing serious for assistive technology. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectAccessible, open, type Options, settled } from "./page";

const SHOTS = fileURLToPath(new URL("../test-results/", import.meta.url));
mkdirSync(SHOTS, { recursive: true });

type Step = (page: Page) => Promise<void>;
const press = (keys: string): Step => (page) => page.keyboard.press(keys);
const click = (selector: string): Step => (page) => page.locator(selector).first().click();

const STATES: [name: string, query: string, steps?: Step[], options?: Options][] = [
  ["first-run", "scenario=first-run"],
  ["first-run-key", "scenario=first-run", [click(".choice:nth-child(2)")]],
  ["no-folder", "scenario=no-folder"],
  ["empty", "scenario=empty"],
  ["restricted", "scenario=restricted"],
  ["chat", "scenario=demo"],
  ["card-open", "scenario=demo", [click("[data-call=c2] button.line")]],
  ["running", "scenario=running"],
  ["waiting", "scenario=demo&waiting=2"],
  ["waiting-words", "scenario=demo&waiting=1", [click("main [data-approval] .buttons button")]],
  ["approvals", "scenario=demo&waiting=3", [press("Control+2")]],
  ["permissions", "scenario=demo", [press("Control+3"), click("form button")]],
  ["changes", "scenario=demo", [press("Control+4"), click("aside li button.open")]],
  ["audit-row", "scenario=demo", [click("aside [data-index='2'] button")]],
  ["audit-filter", "scenario=demo", [click(".filters .icon-button:last-of-type"), click(".filters .root button")]],
  ["problems", "scenario=problems"],
  ["unsaved", "scenario=demo&unsaved"],
  ["folder-gone", "scenario=gone"],
  ["palette", "scenario=demo", [press("Control+k")]],
  ["shortcuts", "scenario=demo", [press("Control+/")]],
  ["settings-models", "scenario=demo", [press("Control+,"), click(".profile .icon-button")]],
  ["settings-consent", "scenario=demo", [press("Control+,"), click(".section:nth-child(2)")]],
  ["settings-sandbox", "scenario=demo", [press("Control+,"), click(".section:nth-child(3)")]],
  ["settings-appearance", "scenario=demo", [press("Control+,"), click(".section:nth-child(5)")]],
  ["settings-about", "scenario=demo", [press("Control+,"), click(".section:nth-child(7)")]],
  ["model-menu", "scenario=demo", [click(".bar [aria-label^='Model'], .bar [aria-label^='模型']")]],
  ["notice", "scenario=demo", [(page) => page.evaluate("fake.emit({ type: 'warning', sessionId: null, code: 'panic', message: 'A part of Assent failed (src/x.rs:1:1). The rest goes on.' })")]],
  ["workspace-menu", "scenario=demo", [click(".bar .menu-button")]],
  ["drawer", "scenario=demo", [press("Control+b")], { width: 760 }],
  ["smallest", "scenario=demo&waiting=1", [], { width: 480, height: 420 }],
  ["narrow-menu", "scenario=demo", [click(".bar [aria-label^='Model'], .bar [aria-label^='模型']")], { width: 480 }],
  ["zoomed-audit", "scenario=demo&size=20", [press("Control+1"), click("aside [data-index='2'] button")], { width: 640, height: 430, scale: 2 }],
  ["zoomed", "scenario=demo&waiting=1", [], { width: 640, height: 400, scale: 2 }],
  // Twice the usual size of text, in a window of the usual size and in the smallest.
  ["large", "scenario=demo&waiting=1&size=28"],
  ["large-first-run-key", "scenario=first-run&size=28", [click(".choice:nth-child(2)")]],
  ["large-settings-models", "scenario=demo&size=28", [press("Control+,"), click(".profile .icon-button")]],
  ["large-settings-consent", "scenario=demo&size=28", [press("Control+,"), click(".section:nth-child(2)")]],
  ["large-settings-appearance", "scenario=demo&size=28", [press("Control+,"), click(".section:nth-child(5)")], { width: 640, height: 420 }],
  ["large-settings-data", "scenario=demo&size=28", [press("Control+,"), click(".section:nth-child(6)")]],
];

const LOOKS = [
  ["light-en", "theme=light&lang=en"],
  ["dark-zh", "theme=dark&lang=zh-CN"],
] as const;

describe.each(LOOKS)("%s", (look, lookQuery) => {
  it.each(STATES)("%s", async (name, query, steps = [], options = {}) => {
    const { page, complaints, strangers } = await open(`${query}&${lookQuery}`, options);
    for (const step of steps) await step(page);
    await settled(page);
    await page.screenshot({ path: `${SHOTS}${name}-${look}.png` });
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    expect(strangers).toEqual([]);
    // Nothing of a dialog is cut at its side.
    expect(await page.evaluate("[...document.querySelectorAll('dialog, dialog .page')].every((part) => part.scrollWidth <= part.clientWidth + 1)")).toBe(true);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollTop === 0")).toBe(true);
    await page.close();
  });
});
