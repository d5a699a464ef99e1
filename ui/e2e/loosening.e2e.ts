/** What loosens is asked natively; the window only asks for it. */
import { describe, expect, it } from "vitest";
import { called, fake, open } from "./page";

describe("what loosens", () => {
  it("is only asked for: mode, trust, rules, keys", async () => {
    const { page } = await open("scenario=restricted");
    await fake(page, (backend) => (backend.consent = "declined"));
    await page.getByRole("button", { name: "Trust this folder…" }).click();
    // It was answered: the window asks no more.
    await page.getByText("is restricted").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Mode: Balanced" }).click();
    await page.getByRole("button", { name: /^Sandboxed/ }).click();
    await expect.poll(() => page.getByRole("button", { name: "Mode: Balanced" }).count()).toBe(1);
    await page.getByRole("button", { name: "Mode: Balanced" }).click();
    await page.getByRole("button", { name: /^Strict/ }).click();
    await page.getByRole("button", { name: "Mode: Strict" }).waitFor();
    await page.close();
  });

  it("makes a rule from a call through the native question, never by itself", async () => {
    const { page } = await open("scenario=demo");
    await page.locator("[data-call=c4]").getByRole("button", { name: "Make a rule…" }).click();
    await page.getByText("Too broad: cargo can run any program.").waitFor();
    expect(await called(page, "propose_rule")).toHaveLength(0);
    await page.getByRole("button", { name: "Ask me…" }).first().click();
    await expect.poll(() => called(page, "propose_rule")).toMatchObject([{ args: ["c4", "k1"] }]);
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Nothing is granted beyond once.").waitFor();
    await page.close();
  });
});

describe("a restricted folder", () => {
  it("is asked for once", async () => {
    const { page } = await open("scenario=restricted");
    await page.getByRole("button", { name: "Keep restricted" }).click();
    await page.getByRole("button", { name: "Keep restricted" }).waitFor({ state: "detached" });
    await expect.poll(() => called(page, "keep_restricted")).toHaveLength(1);
    await page.locator(".bar .menu-button").first().click();
    await page.getByRole("button", { name: "Trust", exact: false }).first().waitFor();
    await page.close();
  });

  it("that is trusted says whether the shell may be used", async () => {
    const { page } = await open("scenario=demo");
    const said = page.locator(".pop .note").first();
    await page.locator(".bar .menu-button").first().click();
    await expect.poll(() => said.textContent()).toBe("Trusted: the shell may be used. The mode says what asks.");
    await fake(page, (backend) => backend.setShellEnabled(false));
    await page.getByText("Trusted. The shell is switched off here.").waitFor();
    await page.close();
  });
});
