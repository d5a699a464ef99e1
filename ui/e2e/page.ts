/** Opens the window in Chromium with a scenario of the scripted backend, and watches what must not happen. */
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, expect, inject } from "vitest";
import type { FakeBackend } from "../src/backend/fake";

/** Where a message is written. */
export const composer = "textarea[aria-label='Message']";

let browser: Browser | undefined;

afterAll(() => browser?.close());

export interface Options {
  width?: number;
  height?: number;
  /** Device pixels for one CSS pixel. */
  scale?: number;
  reducedMotion?: boolean;
}

export interface Opened {
  page: Page;
  /** Console errors, page errors and policy violations. */
  complaints: string[];
  /** Requests that left our own server. */
  strangers: string[];
}

export async function open(query: string, options: Options = {}): Promise<Opened> {
  browser ??= await chromium.connect(inject("browser"));
  const page = await browser.newPage({
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    deviceScaleFactor: options.scale ?? 1,
    reducedMotion: options.reducedMotion ? "reduce" : "no-preference",
    timezoneId: "Europe/Berlin",
    bypassCSP: false,
  });
  page.setDefaultTimeout(8_000);
  // `THROTTLE=8 npm run e2e` shows what a busy machine would: a test that reads before the page has answered.
  await (await page.context().newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: Number(process.env["THROTTLE"] ?? 1) });
  // As in the real window (`freezePrototype`).
  await page.addInitScript("Object.freeze(Object.prototype)");
  const complaints: string[] = [];
  const strangers: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(inject("url")) && !request.url().startsWith("data:")) strangers.push(request.url());
  });
  await page.goto(`${inject("url")}?${query}`);
  await page.locator("#window > *").first().waitFor();
  await page.waitForFunction(() => "fake" in globalThis);
  return { page, complaints, strangers };
}

/** Calls into the scripted backend, as the shell or a person at the native dialog would. */
export function fake<T>(page: Page, work: (backend: FakeBackend) => T): Promise<T> {
  return page.evaluate(`(${work.toString()})(globalThis.fake)`) as Promise<T>;
}

/** The commands the window called so far. */
export async function called(page: Page, name?: string): Promise<{ name: string; args: unknown[] }[]> {
  const calls = await fake(page, (backend) => backend.calls.map((call) => ({ name: call.name, args: call.args })));
  return name === undefined ? calls : calls.filter((call) => call.name === name);
}

/** Waits until the last change is drawn, and what fades or slides in is there; what turns for ever doesn't count. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
  await page.waitForFunction(() =>
    document.getAnimations().every((animation) => animation.playState === "finished" || animation.effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY),
  );
}

/** Fails on any serious or critical finding. */
export async function expectAccessible(page: Page): Promise<void> {
  await settled(page);
  await page.evaluate(axe.source);
  const findings = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as axe.AxeResults;
  const bad = findings.violations
    .filter((violation) => violation.impact === "serious" || violation.impact === "critical")
    .map((violation) => `${violation.id}: ${violation.help}\n${violation.nodes.map((node) => `  ${node.html.slice(0, 200)}\n  ${node.failureSummary ?? ""}`).join("\n")}`);
  expect(bad).toEqual([]);
}
