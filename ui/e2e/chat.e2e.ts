/** Reading a conversation: found in, scrolled, resent from, linked to. */
import { describe, expect, it } from "vitest";
import type { FakeBackend } from "../src/backend/fake";
import { called, fake, open, settled } from "./page";

describe("the chat", () => {
  it("finds text, and marks it", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+f");
    await page.keyboard.type("comma");
    await page.getByText("1 of 1").waitFor();
    await expect.poll(() => page.evaluate("CSS.highlights.get('find')?.size")).toBe(1);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("search").count()).toBe(0);
    await page.close();
  });

  it("opens what is folded where the text is found", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+f");
    await page.keyboard.type("both environments");
    await page.getByText("1 of 1").waitFor();
    await page.locator("details.reasoning[open]").getByText("both environments").waitFor();
    await page.waitForFunction(() => CSS.highlights.get("find")?.size === 1);
    const find = page.getByPlaceholder("Find in the chat");
    await find.fill("finished in 0.02s");
    await page.locator("[data-call=c2].opened").waitFor();
    await page.waitForFunction(() => (CSS.highlights.get("find")?.size ?? 0) > 0);
    expect(await page.evaluate(() => document.activeElement?.getAttribute("placeholder"))).toBe("Find in the chat");
    await page.close();
  });

  it("edits and resends", async () => {
    const { page } = await open("scenario=demo");
    await page.getByRole("button", { name: "Edit and resend" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type(" talk");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelectorAll("[data-call]").length === 0);
    await expect.poll(async () => (await called(page, "send_message"))[0]?.args[0]).toMatchObject({ replaceFrom: "i1", text: "Why does the checkout test fail on CI? See @tests/checkout.rs talk" });
    await page.close();
  });

  it("opens links only through the shell", async () => {
    const { page, strangers } = await open("scenario=demo");
    await page.getByRole("link", { name: "rust-decimal docs docs.rs" }).click();
    await page.getByRole("link", { name: "src/cart.rs" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => called(page, "open_link")).toMatchObject([{ args: ["https://docs.rs/rust_decimal"] }]);
    await expect.poll(() => called(page, "open_path")).toMatchObject([{ args: ["src/cart.rs", "open"] }]);
    expect(strangers).toEqual([]);
    await page.close();
  });

  it("loads older parts when scrolled to, and stays where it is", async () => {
    const { page } = await open("scenario=long");
    await page.getByText("Answer 319").waitFor();
    expect(await page.locator("[data-item]").count()).toBeLessThan(150);
    const scroller = page.locator(".scroller");
    const read = (to: number | null) =>
      scroller.evaluate((element, to) => {
        if (to !== null) element.scrollTop = to;
        const box = element.getBoundingClientRect();
        return document.elementFromPoint(box.x + 80, box.y + 60)?.closest("[data-item]")?.getAttribute("data-item");
      }, to);
    while ((await called(page, "older_items")).length === 0) {
      const before = await page.locator("[data-item]").count();
      const first = await read(0);
      await page.waitForFunction((count) => document.querySelectorAll("[data-item]").length !== count, before);
      // The new entries' real heights are known only when they were drawn.
      await settled(page);
      expect(await read(null)).toBe(first);
    }
    await page.locator("button.to-end").click();
    await page.getByText("Answer 319").waitFor();
    await page.close();
  });

  it("keeps its end in sight when something opens beneath it", async () => {
    const { page } = await open("scenario=demo&waiting=1");
    await settled(page);
    const gap = () => page.locator(".scroller").evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    expect(await gap()).toBeLessThan(2);
    await page.locator("main [data-approval]").getByRole("button", { name: "Details" }).click();
    await page.getByText("Deletes files. Can't be undone by Assent.").waitFor();
    await settled(page);
    expect(await gap()).toBeLessThan(2);
    await page.close();
  });

  it("keeps its end in sight when more comes before its own scrolling is told", async () => {
    const { page } = await open("scenario=demo");
    await settled(page);
    const gap = () => page.locator(".scroller").evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    await page.evaluate(async () => {
      const { fake } = globalThis as unknown as { fake: FakeBackend };
      const grow = (text: string) => {
        for (let lines = 0; lines < 8; lines++) fake.emit({ type: "warning", sessionId: "s1", code: "late", message: text });
      };
      for (let times = 0; times < 3; times++) {
        grow("A line.");
        // The next step of a page comes once this one is drawn and before the scrolling of it is told.
        await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
        grow("Another.");
        await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      }
    });
    await settled(page);
    await expect.poll(gap).toBeLessThan(2);
    expect(await page.locator("button.to-end").count()).toBe(0);
    // Who goes up is left there.
    await page.locator(".scroller").hover();
    await page.mouse.wheel(0, -300);
    await page.locator("button.to-end").waitFor();
    const before = await gap();
    await fake(page, (backend) => backend.emit({ type: "warning", sessionId: "s1", code: "late", message: "More." }));
    await settled(page);
    expect(await gap()).toBeGreaterThan(before);
    await page.close();
  });

  it("leaves a card where it is when it opens, also at the end", async () => {
    const { page } = await open("scenario=demo");
    await settled(page);
    const line = page.locator("[data-call=c5] button.line");
    const before = await line.boundingBox();
    await line.click();
    await page.locator("[data-call=c5]").getByText("All verdicts").click();
    await page.locator("[data-call=c5]").getByText("Commands that can write need you.").waitFor();
    await settled(page);
    expect((await line.boundingBox())?.y).toBe(before?.y);
    await line.click();
    await settled(page);
    await expect.poll(() => page.locator("button.to-end").count()).toBe(0);
    await page.close();
  });

  it("shows a call of a session that isn't open, however far up", async () => {
    const { page } = await open("scenario=long");
    await page.keyboard.press("Control+n");
    await fake(page, (backend) => {
      backend.world.app.running = [{ sessionId: "s1", callId: "l3", command: "npm run watch", sandboxed: true }];
      backend.emit({ type: "app", app: backend.world.app });
    });
    await page.getByRole("list", { name: "Commands that go on" }).getByRole("button").first().click();
    await page.waitForFunction(() => document.activeElement?.closest("[data-call]")?.getAttribute("data-call") === "l3");
    await settled(page);
    const seen = await page.locator("[data-call=l3]").evaluate((card) => {
      const [box, view] = [card.getBoundingClientRect(), (card.closest(".scroller") as Element).getBoundingClientRect()];
      return box.top >= view.top && box.top < view.bottom;
    });
    expect(seen).toBe(true);
    expect(await page.locator("[data-item]").count()).toBeLessThan(150);
    // What follows comes as it is scrolled to, up to the newest; what is read doesn't jump.
    const scroller = page.locator(".scroller");
    const bottom = (): Promise<string | null> => page.locator("[data-item]").last().getAttribute("data-item");
    for (let before = await bottom(); before !== "l319-c"; before = await bottom()) {
      await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight - element.clientHeight - 50));
      await page.waitForFunction((item) => [...document.querySelectorAll("[data-item]")].at(-1)?.getAttribute("data-item") !== item, before);
      await settled(page);
      expect(await page.locator(`[data-item="${before}"]`).count()).toBe(1);
    }
    await page.close();
  });

  it("finds in the parts that are not loaded", async () => {
    const { page } = await open("scenario=long");
    await page.getByText("Answer 319").waitFor();
    await page.keyboard.press("Control+f");
    await page.keyboard.type("Question 17:");
    await page.getByText("Not found").waitFor();
    await page.getByRole("button", { name: "Search earlier parts" }).click();
    await page.getByText("1 of 1").waitFor();
    await page.locator("[data-item='l17-u']").waitFor();
    await page.close();
  });

  it("goes from a card to its audit row and back", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+4");
    await page.locator("[data-call=c4]").getByRole("button", { name: "Why?" }).click();
    await page.locator(".timeline").getByText("Decided").waitFor();
    await page.locator("aside").getByRole("button", { name: "Show in chat" }).click();
    await page.waitForFunction(() => document.activeElement?.closest("[data-call]")?.getAttribute("data-call") === "c4");
    await page.close();
  });
});
