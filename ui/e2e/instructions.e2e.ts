/** The files that speak to the model beside the person. */
import { describe, expect, it } from "vitest";
import { called, fake, open, settled } from "./page";

describe("what speaks to the model beside the person", () => {
  it("is named in the empty chat and at the folder, with its size and its cut, and opens through the shell", async () => {
    const { page } = await open("scenario=restricted");
    const menu = page.locator(".bar .menu-button").first();
    await menu.click();
    await page.locator(".bar").getByRole("button", { name: "Your own AGENTS.md speaks to the model, 640 B." }).click();
    await page.locator(".bar").getByRole("button", { name: "This folder's AGENTS.md speaks to the model, 50.1 KiB. Only its first 32 KiB are sent." }).click();
    await expect.poll(async () => (await called(page, "open_path")).map((call) => call.args)).toEqual([["/home/ada/.config/assent/AGENTS.md", "open"], ["AGENTS.md", "open"]]);
    await page.close();

    const { page: empty } = await open("scenario=empty");
    await empty.locator("main").getByRole("button", { name: "This folder's AGENTS.md speaks to the model, 2.1 KiB." }).click();
    await expect.poll(() => called(empty, "open_path")).toHaveLength(1);
    // It went away, as the shell tells: nothing is said any more.
    await fake(empty, (backend) => backend.emit({ type: "app", app: { ...backend.world.app, instructions: [] } }));
    await settled(empty);
    await expect.poll(() => empty.getByText("AGENTS.md").count()).toBe(0);
    await empty.close();
  });
});
