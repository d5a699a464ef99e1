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
    await page.getByText("Defaults are used").waitFor();
    await page.getByRole("button", { name: "Open the folder" }).click();
    await expect.poll(() => called(page, "open_folder")).toMatchObject([{ args: ["settings"] }]);
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
