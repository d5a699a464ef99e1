/** Sessions and messages on unusual ways: imported, linked, dropped, held back, unanswered. */
import { describe, expect, it } from "vitest";
import { called, fake, open } from "./page";

const composer = "textarea[aria-label='Message']";

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

describe("a model", () => {
  it("is picked from the title bar, out of what its server offers", async () => {
    const { page } = await open("scenario=demo");
    await page.getByRole("button", { name: "Model: qwen3:8b" }).click();
    await page.getByRole("button", { name: "llama3.3:70b" }).click();
    await expect.poll(() => called(page, "select_model")).toMatchObject([{ args: ["ollama", "llama3.3:70b"] }]);
    // Servers elsewhere that aren't in use are not asked.
    await expect.poll(async () => (await called(page, "list_models")).map((call) => call.args[0])).toEqual(["ollama"]);
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
