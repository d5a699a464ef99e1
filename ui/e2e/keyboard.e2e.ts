/** Shortcuts and the palette. */
import { describe, expect, it } from "vitest";
import { called, open } from "./page";

describe("a key", () => {
  it("over the palette closes it first", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Control+3");
    await page.waitForFunction(() => document.querySelector("dialog") === null);
    await page.waitForFunction(() => document.activeElement?.id === "tab-permissions");
    await page.keyboard.press("Control+k");
    await page.locator("dialog").waitFor();
    await page.keyboard.press("Control+k");
    await page.waitForFunction(() => document.querySelector("dialog") === null);
    await page.close();
  });

  it("for what waits goes into its panel where nothing does", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+Shift+A");
    await page.waitForFunction(() => document.activeElement?.id === "tab-approvals");
    await page.close();
  });

  it("goes back into the open find bar, and into the sessions that it opens", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+f");
    await page.keyboard.type("tax");
    await page.keyboard.press("Control+l");
    await page.keyboard.press("Control+f");
    await page.keyboard.type("locale");
    await expect.poll(() => page.getByPlaceholder("Find in the chat").inputValue()).toBe("locale");
    await page.keyboard.press("Control+b");
    await page.keyboard.press("Control+b");
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-current") === "true");
    await page.keyboard.press("Control+b");
    await page.waitForFunction(() => document.activeElement?.tagName === "TEXTAREA");
    await page.close();
  });
});

it("the palette runs commands and opens sessions, whatever the list of sessions is filtered to", async () => {
  const { page } = await open("scenario=demo");
  await page.getByRole("navigation").getByRole("searchbox").fill("nothing like it");
  await page.getByText("No session matches.").waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("rename price");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await called(page, "open_session")).map((call) => call.args[0])).toContain("s2");
  await expect.poll(() => page.locator("dialog").count()).toBe(0);
  await page.close();
});
