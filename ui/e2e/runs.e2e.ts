/** A run: stopped, queued behind, failed, and the commands that go on after it. */
import { describe, expect, it } from "vitest";
import { called, composer, fake, open } from "./page";

describe("a run", () => {
  it("stops by Escape twice, and by the button", async () => {
    const { page } = await open("scenario=empty&pace=30");
    await page.locator(composer).fill("slow");
    await page.keyboard.press("Enter");
    await page.getByText("A long answer").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Press Esc again to stop.").waitFor();
    expect(await called(page, "stop")).toHaveLength(0);
    // However long that took: two in a row stop.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.getByText("Stopped. What was running has ended.").first().waitFor();
    await expect.poll(() => called(page, "stop")).toHaveLength(1);
    await page.close();
  });

  it("takes messages into a queue and sends them after its end", async () => {
    const { page } = await open("scenario=empty");
    await page.locator(composer).fill("clean up");
    await page.keyboard.press("Enter");
    await page.locator("main [data-approval]").waitFor();
    await page.locator(composer).fill("talk again");
    await page.keyboard.press("Enter");
    await page.locator("ul.queue").getByText("talk again").waitFor();
    await expect.poll(() => called(page, "send_message")).toHaveLength(1);
    await page.locator("main [data-approval]").getByRole("button", { name: "Deny", exact: true }).click();
    await expect.poll(() => called(page, "send_message")).toHaveLength(2);
    await expect.poll(() => page.locator("ul.queue").count()).toBe(0);
    await page.close();
  });

  it("that can't reach the server says what to do and can be tried again", async () => {
    const { page } = await open("scenario=empty");
    await page.locator(composer).fill("offline");
    await page.keyboard.press("Enter");
    await page.getByText("Can't reach http://localhost:11434 (connection refused). Is Ollama running?").waitFor();
    await page.getByRole("button", { name: "Change server" }).waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    const sent = await called(page, "send_message");
    expect(sent).toHaveLength(2);
    expect((sent[1]?.args[0] as { replaceFrom: string | null }).replaceFrom).not.toBeNull();
    await page.close();
  });

  it("whose message was not taken leaves the draft", async () => {
    const { page } = await open("scenario=empty");
    await fake(page, (backend) => backend.failNext("send_message", "io", "The session can't be stored: the disk is full."));
    await page.locator(composer).fill("precious words");
    await page.keyboard.press("Enter");
    await page.getByText("The session can't be stored").waitFor();
    await expect.poll(() => page.locator(composer).inputValue()).toBe("precious words");
    await page.close();
  });
});

it("lists the commands that go on, leads to their card, and stops one", async () => {
  const { page } = await open("scenario=running");
  const running = page.getByRole("list", { name: "Commands that go on" });
  await expect.poll(() => running.getByRole("listitem").count()).toBe(2);
  await expect.poll(() => running.getByText("No sandbox").count()).toBe(1);
  await running.getByRole("button", { name: "Stop docker compose up" }).click();
  await running.getByText("docker").waitFor({ state: "detached" });
  await expect.poll(async () => (await called(page, "stop_command"))[0]?.args).toEqual(["s1:c2"]);
  await running.getByRole("button", { name: "Stop npm" }).click();
  await running.waitFor({ state: "detached" });
  await page.close();
});
