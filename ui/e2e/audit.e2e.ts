/** The audit beside the chat. */
import { describe, expect, it } from "vitest";
import { called, composer, fake, open } from "./page";

describe("the audit", () => {
  it("filters, opens rows by keyboard, verifies and exports", async () => {
    const { page } = await open("scenario=demo");
    await page.locator("aside [data-index='0'] button").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".timeline").waitFor();
    await page.getByPlaceholder("Search the audit").fill("publish");
    await page.waitForFunction(() => document.querySelectorAll("aside [role=listitem]").length === 1);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText(/39 records, intact/).waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("button", { name: "CSV" }).click();
    await expect.poll(() => called(page, "export_audit")).toMatchObject([{ args: [{ text: "publish" }, "csv"] }]);
    await page.close();
  });

  it("shows a million rows with a few dozen elements", async () => {
    const { page } = await open("scenario=million");
    await page.locator("aside [data-index='0']").waitFor();
    const list = page.locator("aside .viewport");
    for (let last = 0; last <= 1_500; ) {
      await list.evaluate((element) => (element.scrollTop = element.scrollHeight));
      await page.waitForFunction((seen) => Number([...document.querySelectorAll("aside [data-index]")].at(-1)?.getAttribute("data-index")) > seen, last);
      last = Number(await page.locator("aside [data-index]").last().getAttribute("data-index"));
      expect(await page.locator("aside [role=listitem]").count()).toBeLessThan(60);
    }
    await expect.poll(() => page.locator("aside [role=listitem]").first().getAttribute("aria-setsize")).toBe("1000013");
    await page.close();
  });

  it("grows at the top while it is open", async () => {
    const { page } = await open("scenario=demo");
    await page.locator("aside [data-index='0']").waitFor();
    await page.locator(composer).fill("clean up");
    await page.keyboard.press("Enter");
    await page.locator("aside [data-index='0']").getByText("README.md").waitFor();
    await page.close();
  });

  it("takes a change back from its row; where the file was changed since, the diff and the choice come at once", async () => {
    const { page } = await open("scenario=demo");
    await fake(page, (backend) => {
      backend.world.changes = backend.world.changes.map((change) => ({ ...change, state: "changed_since" }));
    });
    const panel = page.locator("aside.side");
    await panel.locator("button.row", { hasText: "src/tax.rs" }).first().click();
    const undo = panel.getByRole("button", { name: "Undo", exact: true });
    await undo.click();
    const choice = panel.getByRole("alert");
    await choice.locator(".added, .removed").first().waitFor();
    await choice.getByRole("button", { name: "Keep the file" }).click();
    await expect.poll(() => choice.count()).toBe(0);
    await undo.click();
    await choice.getByRole("button", { name: "Undo anyway" }).click();
    await undo.waitFor({ state: "detached" });
    await expect.poll(async () => (await called(page, "undo")).map((call) => call.args)).toEqual([["ch1", false], ["ch1", false], ["ch1", true]]);
    await page.close();
  });
});
