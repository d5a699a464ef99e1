/** Settings that aren't taken, profiles that come back, and a first minute without a keychain. */
import { describe, expect, it } from "vitest";
import { called, fake, open } from "./page";

describe("a setting", () => {
  it("that the file names in between is shown", async () => {
    const { page } = await open("scenario=demo&size=17");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Appearance" }).click();
    await expect.poll(() => page.locator("#s-size").inputValue()).toBe("17");
    await page.close();
  });

  it("that isn't taken shows what counts", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Appearance" }).click();
    await fake(page, (backend) => backend.failNext("set_setting", "io", "The disk is full."));
    await page.locator("#s-theme").selectOption("dark");
    await page.locator("dialog .notice").getByText("The disk is full.").waitFor();
    await expect.poll(() => page.locator("#s-theme").inputValue()).toBe("system");
    await page.getByRole("button", { name: "Notifications" }).click();
    await fake(page, (backend) => backend.failNext("set_setting", "io", "It is still full."));
    const before = await page.locator("#s-tray").isChecked();
    await page.locator("#s-tray").click();
    await page.locator("dialog .notice").getByText("It is still full.").waitFor();
    await expect.poll(() => page.locator("#s-tray").isChecked()).toBe(before);
    await page.close();
  });

  it("out of its range is said, and nothing is sent", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Consent" }).click();
    const minutes = page.locator("#s-wait");
    const before = await minutes.inputValue();
    for (const wrong of ["90", ""]) {
      await minutes.fill(wrong);
      await minutes.press("Enter");
      await page.locator("dialog .notice").getByText("Between 1 and 60.").waitFor();
      await expect.poll(() => minutes.inputValue()).toBe(before);
      await page.locator("dialog .notice button").last().click();
    }
    expect(await called(page, "set_setting")).toHaveLength(0);
    await minutes.fill("7");
    await minutes.press("Enter");
    await page.getByText("Changed.").waitFor();
    await expect.poll(() => called(page, "set_setting")).toMatchObject([{ args: ["approvalMinutes", 7] }]);
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
    await undo("Undone. The key of the other server is deleted.");
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

describe("the first key", () => {
  it("says where it goes, until another place is chosen", async () => {
    const { page } = await open("scenario=first-run");
    await page.getByRole("button", { name: "A key for a hosted model" }).click();
    await page.getByText("Goes to the system keychain.").waitFor();
    await page.getByLabel("Key", { exact: true }).fill("sk-1");
    await fake(page, (backend) => backend.failNext("save_key", "keychain", "There is none."));
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Used only for this address, and never shown again.").waitFor();
    await expect.poll(() => page.getByText("Goes to the system keychain.").count()).toBe(0);
    await page.close();
  });

  it("is kept for this run where there is no keychain", async () => {
    const { page } = await open("scenario=first-run");
    await page.getByRole("button", { name: "A key for a hosted model" }).click();
    await page.getByLabel("Key", { exact: true }).fill("sk-1");
    await expect.poll(() => page.getByLabel("Where to keep the key").count()).toBe(0);
    await fake(page, (backend) => backend.failNext("save_key", "keychain", "There is none."));
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("The keychain can't be used. There is none.").waitFor();
    await page.getByLabel("Where to keep the key").selectOption("memory");
    await page.getByLabel("Model", { exact: true }).fill("gpt-5");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Choose a folder" }).waitFor();
    await expect.poll(async () => (await called(page, "save_key")).map((call) => call.args.slice(1))).toEqual([
      [4, "keychain"],
      [4, "memory"],
    ]);
    await page.close();
  });

  it("asks for a model of a hosted server that has several, and tests that one", async () => {
    const { page } = await open("scenario=first-run");
    await page.getByRole("button", { name: "A key for a hosted model" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Name the model to use: the field offers what the server has.").waitFor();
    expect(await called(page, "test_connection")).toHaveLength(0);
    await expect.poll(() => page.locator("#k-models option").count()).toBe(2);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("k-model");
    await page.keyboard.type("llama3.3:70b");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Choose a folder" }).waitFor();
    await expect.poll(async () => (await called(page, "select_model")).map((call) => call.args[1])).toEqual(["llama3.3:70b"]);
    await expect.poll(() => called(page, "test_connection")).toHaveLength(1);
    await page.close();
  });

  it("says why a server can't be used", async () => {
    const { page } = await open("scenario=first-run");
    await page.getByRole("button", { name: "A key for a hosted model" }).click();
    await page.getByLabel("Address").fill("http://192.168.1.5:8080");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("A server on another machine needs https://.").waitFor();
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
