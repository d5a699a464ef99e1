/** Models: profiles that come back, keys that are never shown, servers that are tested. */
import { describe, expect, it } from "vitest";
import { called, fake, open } from "./page";

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

describe("a model profile", () => {
  it("that was removed comes back whole", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Edit DeepSeek" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.locator("dialog .notice", { hasText: "DeepSeek is removed." }).getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Edit DeepSeek" }).waitFor();
    await expect.poll(() => called(page, "restore_profile")).toMatchObject([{ args: [0] }]);
    await page.close();
  });

  it("that moved to another server comes back with its key, and so does a key that was deleted", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    const saved = page.getByPlaceholder("Saved; type to replace it");
    const undo = async (said: string): Promise<void> => page.locator("dialog .notice", { hasText: said }).getByRole("button", { name: "Undo" }).click();
    const edit = page.getByRole("button", { name: "Edit DeepSeek" });
    await edit.click();
    await saved.waitFor();
    await page.getByRole("button", { name: "Delete the key" }).click();
    await saved.waitFor({ state: "detached" });
    await undo("The key is deleted.");
    await saved.waitFor();
    await page.getByLabel("Address").fill("https://elsewhere.example");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await saved.waitFor({ state: "detached" });
    await undo("Saved.");
    await edit.click();
    await saved.waitFor();
    await expect.poll(() => page.getByLabel("Address").inputValue()).not.toContain("elsewhere");
    await expect.poll(() => called(page, "restore_profile")).toMatchObject([{ args: [0] }, { args: [1] }]);
    await page.close();
  });

  it("takes back what the notice names, whatever came later, and keeps the key that goes with that", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    const there = page.getByPlaceholder("Saved; type to replace it");
    const notice = (said: string) => page.locator("dialog .notice", { hasText: said });
    const undo = async (said: string): Promise<void> => notice(said).getByRole("button", { name: "Undo" }).click();
    const save = page.getByRole("button", { name: "Save", exact: true });
    await page.getByRole("button", { name: "Edit DeepSeek" }).click();
    await page.getByRole("button", { name: "Delete the key" }).click();
    await save.click();
    await notice("Saved.").waitFor();
    await expect.poll(() => notice("Saved.").getByRole("button", { name: "Undo" }).count()).toBe(0);
    await notice("Saved.").getByRole("button", { name: "Close" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Deep");
    await save.click();
    await page.getByRole("button", { name: "Edit Deep", exact: true }).waitFor();
    await notice("Saved.").getByRole("button", { name: "Close" }).click();
    await undo("The key is deleted.");
    await there.waitFor();
    await page.getByRole("button", { name: "Edit Deep", exact: true }).waitFor();

    // One from before the move waits until that is taken back.
    await page.getByRole("button", { name: "Delete the key" }).click();
    await there.waitFor({ state: "detached" });
    await page.getByLabel("Address").fill("https://elsewhere.example");
    await save.click();
    await notice("Saved.").waitFor();
    await undo("The key is deleted.");
    await notice("It was changed again since.").waitFor();
    await page.getByLabel("Key", { exact: true }).fill("k");
    await page.getByRole("button", { name: "Save the key" }).click();
    await there.waitFor();
    await undo("Saved.");
    await undo("Undone. The key in use until now is deleted.");
    await page.getByRole("button", { name: "Edit Deep", exact: true }).click();
    await there.waitFor();
    await expect.poll(() => page.getByLabel("Address").inputValue()).toBe("https://elsewhere.example");
    await page.close();
  });

  it("of a local server keeps its model when that is taken into use, where it still answers", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await fake(page, (backend) => (backend.localServers = [{ name: "Ollama", baseUrl: "http://localhost:11434/v1", models: ["other:1b"] }]));
    await page.getByRole("button", { name: "Find local servers" }).click();
    const use = page.getByRole("button", { name: "Use", exact: true });
    await use.click();
    await expect.poll(() => called(page, "select_model")).toMatchObject([{ args: ["ollama", "qwen3:8b"] }]);
    await fake(page, (backend) => (backend.localServers = []));
    await use.click();
    await page.getByText("Ollama doesn't answer any more.").waitFor();
    await expect.poll(() => called(page, "select_model")).toHaveLength(1);
    await page.close();
  });

  it("is only talked to where the person says so, and the menu says it", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Edit Ollama" }).click();
    await page.getByLabel("Only talk: this model gets no tools").check();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(async () => (await called(page, "save_profile"))[0]?.args[0]).toMatchObject({ profileId: "ollama", withoutTools: true });
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Model: qwen3:8b" }).click();
    await page.getByRole("button", { name: "qwen3:8b only talks" }).waitFor();
    await page.close();
  });

  it("without a model is tested once one is named, for which the field offers what the server has", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Edit DeepSeek" }).click();
    await page.getByLabel("Model", { exact: true }).fill("");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByText("Name the model to use: the field offers what the server has.").waitFor();
    await page.getByLabel("Model", { exact: true }).fill("qwen3:8b");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByText("DeepSeek answers.").waitFor();
    await expect.poll(() => called(page, "test_connection")).toHaveLength(1);
    await page.close();
  });

  it("with a header that can't be read is not saved, and the line is named", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Edit DeepSeek" }).click();
    await page.getByText("Proxy, certificates, headers, context").click();
    const headers = page.getByLabel("Headers", { exact: true });
    await headers.fill("X-Org: a\n\nX-Team blue\nAuthorization Bearer x");
    await page.getByLabel("Key", { exact: true }).fill("k");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const refused = page.getByText("“X-Team blue” is no header.");
    await refused.waitFor();
    await expect.poll(() => page.getByText("Saved.", { exact: true }).count()).toBe(0);
    expect((await called(page)).map((call) => call.name).filter((name) => name.startsWith("save_"))).toEqual([]);
    await headers.fill("X-Org: a\nX-Team: blue:1");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await refused.waitFor({ state: "detached" });
    const saved = [{ name: "X-Org", value: "a" }, { name: "X-Team", value: "blue:1" }];
    await expect.poll(async () => (await called(page, "save_profile"))[0]?.args[0]).toMatchObject({ headers: saved });
    await page.close();
  });

  it("keeps what is typed where the settings are left, and takes what changed elsewhere", async () => {
    const { page } = await open("scenario=demo");
    const unsaved = page.locator(".notice", { hasText: "DeepSeek: what you typed isn't saved." });
    const proxy = page.getByLabel("Proxy", { exact: true });
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Edit DeepSeek" }).click();
    await page.getByText("Proxy, certificates, headers, context").click();
    await proxy.fill("http://proxy");
    await page.getByLabel("Key", { exact: true }).fill("sk-1");
    await page.getByRole("button", { name: "Edit Ollama" }).click();
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await fake(page, (backend) => backend.selectModel("deepseek", "another"));
    await unsaved.getByText("Type the key again.").waitFor();
    await unsaved.getByRole("button", { name: "Back" }).click();
    await expect.poll(() => page.getByLabel("Model", { exact: true }).inputValue()).toBe("another");
    await page.getByText("Proxy, certificates, headers, context").click();
    await expect.poll(() => proxy.inputValue()).toBe("http://proxy");
    // But for the key.
    await expect.poll(() => page.getByLabel("Key", { exact: true }).inputValue()).toBe("");
    await page.getByLabel("Key", { exact: true }).fill("sk-1");
    // Closed by hand it is thrown away, and comes back by the notice.
    await page.locator("form").getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Edit DeepSeek", expanded: false }).waitFor();
    await unsaved.getByRole("button", { name: "Back" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(async () => (await called(page, "save_profile"))[0]?.args[0]).toMatchObject({ profileId: "deepseek", model: "another", proxy: "http://proxy" });
    await expect.poll(() => called(page, "save_key")).toHaveLength(1);
    await unsaved.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await expect.poll(() => unsaved.count()).toBe(0);
    await page.close();
  });

  it("that is edited beside one that is added has fields of its own", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Edit DeepSeek" }).click();
    await page.getByRole("button", { name: "Add a server" }).click();
    await page.getByLabel("Model", { exact: true }).nth(1).fill("new");
    await expect.poll(() => page.getByLabel("Model", { exact: true }).first().inputValue()).toBe("deepseek-chat");
    const ids = await page.evaluate(() => [...document.querySelectorAll("dialog [id]")].map((element) => element.id));
    expect(new Set(ids).size).toBe(ids.length);
    await page.close();
  });

  it("keeps a key in its field that wasn't taken", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Edit DeepSeek" }).click();
    await page.getByLabel("Key", { exact: true }).fill("sk-1");
    await fake(page, (backend) => backend.failNext("save_key", "key_file", "Can't keep the key in a file."));
    await page.getByRole("button", { name: "Save the key" }).click();
    await page.getByText("Can't keep the key in a file.").waitFor();
    await expect.poll(() => page.getByLabel("Key", { exact: true }).inputValue()).toBe("sk-1");
    await page.close();
  });
});

describe("models", () => {
  it("take a key once and never show it", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Edit DeepSeek" }).click();
    await page.getByLabel("Key", { exact: true }).fill("sk-secret-123");
    await page.getByRole("button", { name: "Save the key" }).click();
    await page.getByText("The key is saved in place of the old one.").waitFor();
    await expect.poll(() => page.getByLabel("Key", { exact: true }).inputValue()).toBe("");
    expect(await page.content()).not.toContain("sk-secret-123");
    expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain("sk-secret-123");
    await page.close();
  });

  it("take a typed key with Enter, with Save and with a test, and leave none behind", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Edit DeepSeek" }).click();
    const key = page.getByLabel("Key", { exact: true });
    const lengths = async (): Promise<unknown[]> => (await called(page, "save_key")).map((call) => call.args[1]);
    await key.fill("k");
    await key.press("Enter");
    await expect.poll(lengths).toEqual([1]);
    await expect.poll(() => key.inputValue()).toBe("");
    await expect.poll(() => called(page, "save_profile")).toHaveLength(0);
    // It goes to the address that is typed, so that is saved first.
    await key.fill("ke");
    await page.getByLabel("Address").fill("https://elsewhere.example");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(lengths).toEqual([1, 2]);
    await expect.poll(async () => (await called(page)).map((call) => call.name).filter((name) => name.startsWith("save_"))).toEqual(["save_key", "save_profile", "save_key"]);
    await page.getByPlaceholder("Saved; type to replace it").waitFor();
    await key.fill("key");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByText("DeepSeek answers.").waitFor();
    await expect.poll(lengths).toEqual([1, 2, 3]);
    // Where the address isn't taken, the key goes nowhere.
    await page.getByLabel("Address").fill("http://192.168.1.5");
    await key.fill("kept");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("A server on another machine needs https://.").waitFor();
    await expect.poll(() => key.inputValue()).toBe("kept");
    await expect.poll(lengths).toEqual([1, 2, 3]);
    await page.close();
  });

  it("say when a server can't be reached", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Edit Ollama" }).click();
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByText("Can't reach http://localhost:11434").waitFor();
    await page.close();
  });
});
