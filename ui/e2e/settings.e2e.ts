/** Settings: taken at once, undone, refused. */
import { describe, expect, it } from "vitest";
import { called, fake, open } from "./page";

describe("settings", () => {
  it("change at once and can be undone; the language changes everywhere", async () => {
    const { page } = await open("scenario=demo&lang=en");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Appearance" }).click();
    await page.locator("#s-language").selectOption("zh-CN");
    await page.getByRole("heading", { name: "设置" }).waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("zh-CN");
    await page.keyboard.press("Escape");
    await page.locator(".notice .link").click();
    await page.getByRole("tab", { name: "Audit" }).waitFor();
    await page.close();
  });
});

describe("a setting", () => {
  it("that the file names in between is shown", async () => {
    const { page } = await open("scenario=demo&size=17");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Appearance" }).click();
    await expect.poll(() => page.locator("#s-size").inputValue()).toBe("17");
    await page.close();
  });

  it("that isn't taken shows what counts", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Appearance" }).click();
    await fake(page, (backend) => backend.failNext("set_setting", "io", "The disk is full."));
    await page.locator("#s-theme").selectOption("dark");
    await page.locator("dialog .notice").getByText("The disk is full.").waitFor();
    await expect.poll(() => page.locator("#s-theme").inputValue()).toBe("system");
    await page.getByRole("button", { name: "Notifications" }).click();
    await fake(page, (backend) => backend.failNext("set_setting", "io", "It is still full."));
    const before = await page.locator("#s-tray").isChecked();
    await page.locator("#s-tray").click();
    await page.locator("dialog .notice").getByText("It is still full.").waitFor();
    await expect.poll(() => page.locator("#s-tray").isChecked()).toBe(before);
    await page.close();
  });

  it("out of its range is said, and nothing is sent", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Consent" }).click();
    const minutes = page.locator("#s-wait");
    const before = await minutes.inputValue();
    for (const wrong of ["90", ""]) {
      await minutes.fill(wrong);
      await minutes.press("Enter");
      await page.locator("dialog .notice").getByText("Between 1 and 60.").waitFor();
      await expect.poll(() => minutes.inputValue()).toBe(before);
      await page.locator("dialog .notice button").last().click();
    }
    expect(await called(page, "set_setting")).toHaveLength(0);
    await minutes.fill("7");
    await minutes.press("Enter");
    await page.getByText("Changed.").waitFor();
    await expect.poll(() => called(page, "set_setting")).toMatchObject([{ args: ["approvalMinutes", 7] }]);
    await page.close();
  });
});
