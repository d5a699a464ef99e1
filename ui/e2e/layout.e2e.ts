/** Columns and drawers, narrow windows, large text, where the focus goes. */
import { describe, expect, it } from "vitest";
import { composer, fake, open, settled } from "./page";

describe("the layout", () => {
  it("folds by keys, remembers its widths, and has drawers below 900 pixels", async () => {
    const { page } = await open("scenario=demo");
    await page.getByRole("separator", { name: "Width of the side panel" }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Control+b");
    await expect.poll(() => page.getByRole("navigation", { name: "Sessions" }).count()).toBe(0);
    await page.reload();
    await page.getByRole("separator", { name: "Width of the side panel" }).waitFor();
    await expect.poll(() => page.getByRole("separator", { name: "Width of the side panel" }).getAttribute("aria-valuenow")).toBe("416");
    await expect.poll(() => page.getByRole("navigation", { name: "Sessions" }).count()).toBe(0);
    await page.setViewportSize({ width: 760, height: 700 });
    await page.waitForFunction(() => document.querySelector("aside") === null);
    await page.keyboard.press("Control+j");
    await page.locator("aside").waitFor();
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.querySelector("aside") === null);
    await page.close();
  });

  it("keeps the keyboard in an open drawer, and what is said in reach", async () => {
    const { page } = await open("scenario=demo&waiting=1", { width: 760 });
    await page.keyboard.press("Control+4");
    await page.locator("aside").waitFor();
    const region = (): Promise<unknown> => page.evaluate("document.activeElement.closest('main, aside, header')?.tagName ?? 'BODY'");
    const seen = new Set<unknown>();
    for (let steps = 0; steps < 40; steps++) {
      await page.keyboard.press("Tab");
      seen.add(await region());
    }
    expect([seen.has("ASIDE"), seen.has("MAIN")]).toEqual([true, false]);
    await fake(page, (backend) => backend.emit({ type: "warning", sessionId: null, code: "io", message: "The disk is full." }));
    await page.getByText("The disk is full.").waitFor();
    await page.locator("[data-notice], .notice").getByRole("button", { name: "Close" }).click();
    await page.getByText("The disk is full.").waitFor({ state: "detached" });
    // What waits is answered from here too, and the composer is one key away.
    await page.keyboard.press("Control+j");
    await page.keyboard.press("Control+j");
    await page.waitForFunction(() => document.activeElement?.id === "tab-changes");
    await page.keyboard.press("Control+Shift+a");
    await page.waitForFunction(() => document.activeElement?.closest("main [data-approval]") != null);
    await page.keyboard.press("Control+4");
    await page.waitForFunction(() => document.activeElement?.id === "tab-changes");
    await page.keyboard.press("Control+l");
    await page.waitForFunction(() => document.activeElement?.tagName === "TEXTAREA" && document.querySelector("aside") === null);
    await page.close();
  });

  it("keeps a message's actions inside, and an audit row's two lines apart at the largest text", async () => {
    const { page } = await open("scenario=demo&size=20", { width: 480 });
    await page.locator("article.user").hover();
    await expect.poll(async () => (await page.getByRole("button", { name: "Edit and resend" }).boundingBox())?.x).toBeGreaterThanOrEqual(0);
    await page.keyboard.press("Control+1");
    const row = page.locator("aside [data-index='0'] button");
    await expect.poll(() => row.evaluate((element) => element.scrollHeight <= element.clientHeight && [...element.children].every((line) => line.getBoundingClientRect().top >= element.getBoundingClientRect().top))).toBe(true);
    await page.close();
  });

  it("gives the focus back when what had it goes", async () => {
    const { page } = await open("scenario=demo&waiting=1");
    const has = (name: string) => page.waitForFunction((name) => (document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent)?.trim().startsWith(name), name);
    await page.getByRole("button", { name: "More: Checkout test fails on CI" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Rename" }).waitFor();
    await page.keyboard.press("Escape");
    await has("Checkout test fails on CI");
    await page.locator("main [data-approval]").getByRole("button", { name: "Deny with words…" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("keep it");
    await page.keyboard.press("Enter");
    await has("Message");
    await page.close();
  });

  it("is usable at twice the size, by keyboard", async () => {
    const { page } = await open("scenario=demo&waiting=1", { width: 640, height: 400, scale: 2 });
    await page.locator(composer).click();
    await page.keyboard.type("hello");
    await expect.poll(() => page.locator(composer).inputValue()).toBe("hello");
    await settled(page);
    const box = await page.locator(composer).boundingBox();
    expect(box && box.y + box.height <= 400).toBe(true);
    await expect.poll(() => page.locator("main [data-approval]").getByRole("button", { name: "Deny", exact: true }).isVisible()).toBe(true);
    // However long it grows, what sends it and what stops the run stay in the window.
    await page.locator(composer).fill("a line\n".repeat(30));
    await settled(page);
    for (const name of ["Send after this run", "Deny"]) {
      const button = await page.getByRole("main").getByRole("button", { name, exact: true }).first().boundingBox();
      expect([name, button && button.y >= 0 && button.y + button.height <= 400]).toEqual([name, true]);
    }
    await page.close();
  });

  it("moves nothing with reduced motion", async () => {
    const { page } = await open("scenario=demo", { reducedMotion: true });
    expect(await page.evaluate("parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--quick'))")).toBe(0);
    await page.close();
  });
});
