/** Sessions that come another way than by a message. */
import { describe, expect, it } from "vitest";
import { called, composer, fake, open } from "./page";

describe("a session", () => {
  it("is imported through the native picker, and shown", async () => {
    const { page } = await open("scenario=demo");
    await page.getByRole("button", { name: "Import a session…" }).click();
    await page.locator("main").getByText("Said elsewhere").waitFor();
    await page.getByText("The session was imported.").waitFor();
    await expect.poll(() => called(page, "import_session")).toHaveLength(1);
    expect(await called(page, "send_message")).toHaveLength(0);
    await page.close();
  });

  it("that a link names is only shown", async () => {
    const { page } = await open("scenario=demo");
    await page.locator(composer).fill("half a thought");
    await fake(page, (backend) => backend.emit({ type: "show", sessionId: "s2", panel: null }));
    await page.waitForFunction(() => document.querySelector("nav [aria-current]")?.textContent?.includes("Rename price"));
    const names = (await called(page)).map((call) => call.name);
    expect(names.filter((name) => /send|stop|deny|review|undo|set_|save|rule/.test(name))).toEqual([]);
    await page.close();
  });
});
