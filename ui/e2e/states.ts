/** Every main state of the window, and how a person comes to it; whoever's hands they are. */
import { readFileSync } from "node:fs";
import type { Options } from "./page";

/** The body of a function: what is wrong with how the window is laid out now. */
export const LAYOUT = readFileSync(new URL("./layout_rules.js", import.meta.url), "utf8");

/** What a state needs of a browser. */
export interface Hands {
  /** Playwright's names: `Control+k`. */
  press: (keys: string) => Promise<void>;
  /** The first element that matches. */
  click: (selector: string) => Promise<void>;
  run: (code: string) => Promise<unknown>;
}

type Step = (hands: Hands) => Promise<unknown>;
const press = (keys: string): Step => (hands) => hands.press(keys);
const click = (selector: string): Step => (hands) => hands.click(selector);
const run = (code: string): Step => (hands) => hands.run(code);

export const STATES: [name: string, query: string, steps?: Step[], options?: Options][] = [
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
  ["notice", "scenario=demo", [run("fake.emit({ type: 'warning', sessionId: null, code: 'panic', message: 'A part of Assent failed (src/x.rs:1:1). The rest goes on.' })")]],
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
  ["large-menu", "scenario=demo&size=20", [click(".bar [aria-label^='Sandbox'], .bar [aria-label^='沙箱']")], { width: 800, height: 600 }],
  ["large-settings-data", "scenario=demo&size=28", [press("Control+,"), click(".section:nth-child(6)")]],
];

export const LOOKS = [
  ["light-en", "theme=light&lang=en"],
  ["dark-zh", "theme=dark&lang=zh-CN"],
] as const;
