/** Writing a message: completion, line breaks, what goes along, drafts. */
import { describe, expect, it } from "vitest";
import { called, composer, fake, open } from "./page";

describe("the composer", () => {
  it("completes files by @ and commands by /", async () => {
    const { page } = await open("scenario=empty");
    await page.locator(composer).click();
    await page.keyboard.type("look at @tch");
    await page.getByRole("option", { name: "tests/checkout.rs" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => (document.activeElement as HTMLTextAreaElement).value === "look at @tests/checkout.rs ");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await called(page, "send_message"))[0]?.args[0]).toMatchObject({ text: "look at @tests/checkout.rs", mentions: ["tests/checkout.rs"] });
    await page.locator(composer).fill("");
    await page.keyboard.type("/perm");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Test a call" }).waitFor();
    await expect.poll(() => called(page, "send_message")).toHaveLength(1);
    await page.close();
  });

  it("breaks lines by Shift+Enter, recalls what was sent, and leaves composing to the input method", async () => {
    const { page } = await open("scenario=empty");
    await page.locator(composer).click();
    await page.keyboard.type("one");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("two talk");
    await page.locator(composer).dispatchEvent("keydown", { key: "Enter", isComposing: true });
    await page.locator(composer).dispatchEvent("keydown", { key: "Enter", keyCode: 229 });
    expect(await called(page, "send_message")).toHaveLength(0);
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await called(page, "send_message"))[0]?.args[0]).toMatchObject({ text: "one\ntwo talk" });
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => page.locator(composer).inputValue()).toBe("one\ntwo talk");
    await page.keyboard.press("Control+End");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.locator(composer).inputValue()).toBe("");
    await page.close();
  });

  it("takes pasted images, and says when a file is too large", async () => {
    const { page, complaints } = await open("scenario=empty");
    await page.locator(composer).evaluate((area) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="), (c) => c.charCodeAt(0))], "dot.png", { type: "image/png" }));
      data.items.add(new File([new Uint8Array(6 * 1024 * 1024)], "big.bin"));
      area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    });
    await page.locator(".attachments").getByText("dot.png").waitFor();
    await page.getByText("big.bin is larger than 5 MiB").waitFor();
    await page.keyboard.press("Control+l");
    await page.keyboard.type("talk");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await called(page, "send_message"))[0]?.args[0]).toMatchObject({ attachments: [{ name: "dot.png", mediaType: "image/png" }] });
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("is as high as its line, whatever the size of text", async () => {
    const { page } = await open("scenario=empty");
    await page.locator(composer).fill("one line");
    await fake(page, (backend) => backend.settings({ fontSize: 28 }));
    await expect.poll(() => page.locator(composer).evaluate((area) => area.scrollHeight - area.clientHeight)).toBe(0);
    const high = (await page.locator(composer).boundingBox())?.height ?? 0;
    await fake(page, (backend) => backend.settings({ fontSize: 14 }));
    await expect.poll(async () => (await page.locator(composer).boundingBox())?.height ?? 0).toBeLessThan(high);
    await page.close();
  });

  it("keeps a draft with its session", async () => {
    const { page } = await open("scenario=demo");
    await page.locator(composer).fill("half a thought");
    await page.getByRole("button", { name: "Draft the release notes" }).first().click();
    await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>("textarea")?.value === "");
    await page.getByRole("button", { name: "Checkout test fails on CI" }).first().click();
    await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>("textarea")?.value === "half a thought");
    await page.close();
  });
});

describe("a message", () => {
  it("takes along what was dropped on the window", async () => {
    const { page } = await open("scenario=empty");
    await fake(page, (backend) => backend.emit({ type: "file_dropped", file: { name: "notes.txt", mediaType: "text/plain", base64: "YQ==" } }));
    await page.locator(".attachments").getByText("notes.txt").waitFor();
    await page.keyboard.type("talk");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await called(page, "send_message"))[0]?.args[0]).toMatchObject({ attachments: [{ name: "notes.txt", base64: "YQ==" }] });
    await page.close();
  });

  it("that waited for a run which was stopped is held, and sent on a click", async () => {
    const { page } = await open("scenario=empty&pace=30");
    await page.locator(composer).fill("slow");
    await page.keyboard.press("Enter");
    await page.getByText("A long answer").waitFor();
    await page.locator(composer).fill("talk later");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("these were not sent").waitFor();
    await expect.poll(() => called(page, "send_message")).toHaveLength(1);
    await page.getByRole("button", { name: "Send them" }).click();
    await expect.poll(() => called(page, "send_message")).toHaveLength(2);
    await expect.poll(async () => (await called(page, "send_message"))[1]?.args[0]).toMatchObject({ text: "talk later" });
    await page.close();
  });
});
