/** Trouble is said where it can be seen, with what to do. */
import { describe, expect, it } from "vitest";
import { called, fake, open } from "./page";

describe("trouble", () => {
  it("in the app is said, with diagnostics to copy", async () => {
    const { page } = await open("scenario=demo");
    await page.evaluate("navigator.clipboard.writeText = (text) => { globalThis.copied = text; return Promise.resolve(); }");
    await fake(page, (backend) => backend.emit({ type: "warning", sessionId: null, code: "panic", message: "A part of Assent failed (src/x.rs:1:1). The rest goes on." }));
    await page.getByText("A part of Assent failed").waitFor();
    await page.getByRole("button", { name: "Copy diagnostics" }).click();
    await page.getByText("The diagnostics are copied.").waitFor();
    await expect.poll(() => called(page, "diagnostics")).toHaveLength(1);
    await page.close();
  });

  it("with a file of the app is said until it is mended", async () => {
    const { page } = await open("scenario=problems");
    const banner = page.getByRole("alert").filter({ hasText: "Defaults are used" });
    await banner.getByRole("button", { name: "Open the folder" }).click();
    await expect.poll(() => called(page, "open_folder")).toMatchObject([{ args: ["settings"] }]);
    await page.close();
  });

  it.each([
    ["en", "so nothing runs", "Open the folder", "open_folder", ["data"]],
    ["en", "so nothing runs", "Copy diagnostics", "diagnostics", []],
    ["en", "Every call is denied", "Open the file", "open_policy_file", ["user"]],
    ["zh-CN", "不会运行任何操作", "打开文件夹", "open_folder", ["data"]],
    ["zh-CN", "不会运行任何操作", "复制诊断信息", "diagnostics", []],
    ["zh-CN", "所有调用都会被拒绝", "打开文件", "open_policy_file", ["user"]],
  ])("that stops everything is dealt with by keyboard (%s): %s, %s", async (language, text, action, call, args) => {
    const { page } = await open(`scenario=problems&lang=${language}`);
    const button = page.getByRole("alert").filter({ hasText: text }).getByRole("button", { name: action, exact: true });
    await button.waitFor();
    for (let stops = 0; stops < 60 && !(await button.evaluate((element) => element === document.activeElement)); stops += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => called(page, call)).toMatchObject([{ args }]);
    await page.close();
  });

  it("is said inside the dialog that is open, where it can be answered", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Appearance" }).click();
    await page.locator("#s-theme").selectOption("dark");
    await page.locator("dialog .notice").getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => called(page, "set_setting")).toMatchObject([{ args: ["theme", "dark"] }, { args: ["theme", "system"] }]);
    await page.close();
  });
});
