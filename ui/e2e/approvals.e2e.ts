/** A call that waits: seen, reviewed natively, denied, let lapse; no key of the window allows it. */
import { describe, expect, it } from "vitest";
import { called, composer, fake, open } from "./page";

describe("a waiting call", () => {
  it("is announced, keeps focus and draft, and no key of the window allows it (R30)", async () => {
    const { page } = await open("scenario=empty");
    await page.locator(composer).fill("clean up");
    await page.keyboard.press("Enter");
    await page.keyboard.type("my next thou");
    await page.locator("main [data-approval]").waitFor();
    // Keys already on their way when the question comes.
    await page.keyboard.type("ght");
    await page.keyboard.press("y");
    await page.keyboard.press("Space");
    await expect.poll(() => page.locator(composer).inputValue()).toBe("my next thoughty ");
    await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
    await page.waitForFunction(() => [...document.querySelectorAll("[role=alert]")].some((region) => region.textContent?.includes("rm -r build/old")));
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);

    // Enter sends to the queue; nothing answers the call.
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(composer).inputValue()).toBe("");
    const names = new Set((await called(page)).map((call) => call.name));
    expect([...names].filter((name) => /allow|approve|grant|answer/.test(name))).toEqual([]);
    await expect.poll(() => page.locator("[data-call] .state", { hasText: "waiting for you" }).count()).toBe(1);
    await page.close();
  });

  it("is reviewed natively, or denied with words for the model", async () => {
    const { page } = await open("scenario=empty");
    await page.locator(composer).fill("clean up");
    await page.keyboard.press("Enter");
    const card = page.locator("main [data-approval]");
    await card.getByRole("button", { name: "Review…" }).click();
    await expect.poll(() => called(page, "review")).toHaveLength(1);
    await card.getByText("The dialog is open").waitFor();
    await card.getByRole("button", { name: "Deny with words…" }).click();
    await page.keyboard.type("only the object files");
    await page.keyboard.press("Enter");
    await page.getByText("You denied it: “only the object files”").waitFor();
    await expect.poll(async () => (await called(page, "deny"))[0]?.args[1]).toBe("only the object files");
    await page.getByText("was deleted").waitFor();
    await page.close();
  });

  it("keeps the words of a no that isn't said yet, and says none that aren't in sight", async () => {
    const { page } = await open("scenario=demo&waiting=1");
    const card = page.locator("main [data-approval]");
    const withWords = card.getByRole("button", { name: "Deny with words…" });
    await withWords.click();
    await page.keyboard.type("only the object files");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Deny with words…");
    await page.keyboard.press("Enter");
    await expect.poll(() => card.getByRole("textbox").inputValue()).toBe("only the object files");
    await page.keyboard.press("Escape");
    await card.getByRole("button", { name: "Deny", exact: true }).click();
    await expect.poll(async () => (await called(page, "deny")).map((call) => call.args[1])).toEqual([null]);
    await page.close();
  });

  it("that the person allows at the dialog runs, and its output is shown", async () => {
    const { page } = await open("scenario=empty");
    await page.locator(composer).fill("clean up");
    await page.keyboard.press("Enter");
    const approvalId = await page.locator("main [data-approval]").getAttribute("data-approval");
    await page.evaluate((id) => (globalThis as unknown as { fake: { person: (id: string | null, end: string) => void } }).fake.person(id, "allowed"), approvalId);
    await page.getByText("you allowed").first().waitFor();
    await page.getByText("The old build output is").waitFor();
    await expect.poll(() => page.locator("main [data-approval]").count()).toBe(0);
    await page.close();
  });

  it("can be denied with all others", async () => {
    const { page } = await open("scenario=demo&waiting=3");
    await page.keyboard.press("Control+2");
    await page.locator("aside").getByRole("button", { name: "Deny all" }).click();
    await expect.poll(() => called(page, "deny_all")).toHaveLength(1);
    // The one that another process asks stays.
    await expect.poll(() => page.locator("aside [data-approval]").count()).toBe(1);
    await page.close();
  });
});

describe("a call", () => {
  it("that got no answer in time says so, and is asked again by one click", async () => {
    const { page } = await open("scenario=demo&waiting=1");
    await fake(page, (backend) => {
      backend.emit({ type: "approval_settled", approvalId: "a1", sessionId: "s1", callId: "w1", end: "expired", surface: null, words: null });
      const risk = { level: "high" as const, sentence: "Deletes files." };
      const decision = { behavior: "deny" as const, source: "approval", reason: "Nobody answered in time.", verdicts: [], risk, digestShort: "", asked: true, surface: null, words: null, sandbox: null };
      backend.emit({ type: "call_decided", sessionId: "s1", callId: "w1", decision, errorCode: "approval_expired" });
      backend.emit({ type: "run_finished", sessionId: "s1", runId: "r", itemId: "end", outcome: "completed", errorCode: null, message: null, turns: 1 });
    });
    await page.locator("[data-call=w1]").getByText("Nobody answered in time.").waitFor();
    await page.locator("[data-call=w1]").getByRole("button", { name: "Ask again" }).click();
    await expect.poll(async () => (await called(page, "send_message"))[0]?.args[0]).toMatchObject({ sessionId: "s1" });
    await page.close();
  });
});
