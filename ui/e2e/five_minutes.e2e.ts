/** The first five minutes by keyboard alone, at twice the size, with what a screen reader is told on the way. */
import { expect, it } from "vitest";
import type { Page } from "playwright-core";
import { called, composer, expectAccessible, open } from "./page";

/** What has the focus: its name, and whether all of it that fits is on screen. */
async function focus(page: Page): Promise<{ name: string; seen: boolean }> {
  return (await page.evaluate(`(() => {
    const element = document.activeElement;
    const box = element.getBoundingClientRect();
    const at = document.elementFromPoint(Math.min(innerWidth - 1, box.x + box.width / 2), Math.min(innerHeight - 1, box.y + box.height / 2));
    return { name: element.getAttribute("aria-label") ?? element.textContent.trim(), seen: at !== null && (element.contains(at) || at.contains(element)) };
  })()`)) as { name: string; seen: boolean };
}

/** Tabs until `name` has the focus; everything on the way can be seen. */
async function tabTo(page: Page, name: string, key = "Tab"): Promise<void> {
  for (let steps = 0; steps < 40; steps++) {
    const now = await focus(page);
    expect(now).toMatchObject({ seen: true });
    if (now.name === name) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${name} can't be reached with ${key}`);
}

it("every step can be taken, seen and heard", async () => {
  const { page, complaints } = await open("scenario=first-run", { width: 640, height: 400, scale: 2, reducedMotion: true });
  await page.getByText("A scripted model").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Choose a folder" }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(composer).waitFor();

  // The composer is one key away, and says so.
  await page.keyboard.press("Control+l");
  await page.keyboard.type("clean up");
  await page.keyboard.press("Enter");
  await page.locator("main [data-approval]").waitFor();
  await page.waitForFunction(() => document.querySelector("body > [role=alert], #window > [role=alert]")?.textContent?.includes("Waiting for you: Run a command? rm -r build/old"));
  await expect.poll(async () => (await focus(page)).name).toBe("Message");

  await page.keyboard.press("Control+Shift+a");
  await expect.poll(async () => (await focus(page)).name).toBe("Details");
  await page.keyboard.press("Enter");
  await page.getByText("Deletes files. Can't be undone by Assent.").waitFor();
  await expectAccessible(page);
  await tabTo(page, "Deny with words…");
  await page.keyboard.press("Enter");
  await page.keyboard.type("keep it");
  await page.keyboard.press("Enter");
  await page.getByText("You denied it: “keep it”").waitFor();
  await expect.poll(async () => (await called(page, "deny"))[0]?.args[1]).toBe("keep it");

  // The panel is a drawer here; its tabs go by arrows, Escape closes it.
  await page.keyboard.press("Control+1");
  await page.waitForFunction(() => document.activeElement?.id === "tab-audit");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.activeElement?.id === "tab-permissions");
  await page.getByRole("heading", { name: "Test a call" }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector("aside.side") === null);

  // Settings open and close by keys, and the focus comes back.
  await page.keyboard.press("Control+l");
  await page.keyboard.press("Control+,");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await tabTo(page, "Appearance");
  await page.keyboard.press("Enter");
  await page.locator("#s-language").waitFor();
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector("dialog") === null);
  await expect.poll(async () => (await focus(page)).name).toBe("Message");
  expect(complaints).toEqual([]);
  await page.close();
});

it("goes through the window in reading order, and nothing keeps the focus", async () => {
  const { page } = await open("scenario=demo&waiting=1");
  await page.keyboard.press("Control+l");
  const order: string[] = [];
  for (let steps = 0; steps < 90; steps++) {
    await page.keyboard.press("Tab");
    const region = (await page.evaluate("document.activeElement.closest('header,nav,main,aside')?.tagName ?? 'BODY'")) as string;
    if (order.at(-1) !== region) order.push(region);
    if (order.length > 5) break;
  }
  // From the composer on: the panel, then the page again from its top.
  expect(order.filter((region) => region !== "BODY").slice(0, 4)).toEqual(["MAIN", "ASIDE", "HEADER", "NAV"]);
  await page.close();
});
