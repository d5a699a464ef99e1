/** The first run: tour, a local model or a key, and a folder. */
import { describe, expect, it } from "vitest";
import { called, composer, fake, open } from "./page";

describe("the first minute", () => {
  it("goes by keyboard: tour, folder, message", async () => {
    const { page } = await open("scenario=first-run");
    await page.getByText("A scripted model").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Choose a folder" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator(composer).waitFor();
    await expect.poll(async () => (await called(page, "select_model"))[0]?.args[0]).toBe("tour");
    await expect.poll(() => called(page, "pick_workspace")).toHaveLength(1);
    await page.close();
  });

  it("uses a local model that was found", async () => {
    const { page } = await open("scenario=first-run");
    await page.getByRole("button", { name: "Ollama on this computer" }).click();
    await page.getByRole("heading", { name: "Choose a folder" }).waitFor();
    await expect.poll(async () => (await called(page, "select_model"))[0]?.args).toEqual(["ollama", "qwen3:8b"]);
    await page.close();
  });

  it("finds a local server that is started while it waits", async () => {
    const { page } = await open("scenario=first-run&no-servers");
    await page.getByText("None found.").waitFor();
    await fake(page, (backend) => (backend.localServers = [{ name: "LM Studio", baseUrl: "http://localhost:1234/v1", models: ["gemma"] }]));
    await page.getByRole("button", { name: "LM Studio on this computer" }).click();
    await page.getByRole("heading", { name: "Choose a folder" }).waitFor();
    await page.close();
  });

  it("keeps the other choices where they are, however many servers are found", async () => {
    const tops: (number | undefined)[] = [];
    for (const query of ["scenario=first-run", "scenario=first-run&two-servers"]) {
      const { page } = await open(query);
      await page.getByRole("button", { name: "on this computer" }).last().waitFor();
      tops.push((await page.getByRole("button", { name: "A key for a hosted model" }).boundingBox())?.y);
      await page.close();
    }
    expect(tops[1]).toBe(tops[0]);
  });

  it("goes on with a local server only once that has a model", async () => {
    const { page } = await open("scenario=first-run&no-models");
    const there = page.getByRole("button", { name: "LM Studio on this computer" });
    await there.click();
    await page.getByText("LM Studio has no model yet.").waitFor();
    await fake(page, (backend) => (backend.localServers = []));
    await there.click();
    await page.getByText("LM Studio doesn't answer any more.").waitFor();
    expect(await called(page, "select_model")).toHaveLength(0);
    await fake(page, (backend) => (backend.localServers = [{ name: "LM Studio", baseUrl: "http://localhost:1234/v1", models: ["llama3.3:70b"] }]));
    await there.click();
    await page.getByRole("heading", { name: "Choose a folder" }).waitFor();
    await expect.poll(async () => (await called(page, "save_profile"))[0]?.args[0]).toMatchObject({ name: "LM Studio", model: "llama3.3:70b" });
    await expect.poll(async () => (await called(page, "select_model"))[0]?.args[1]).toBe("llama3.3:70b");
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
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("k-model");
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

  it("follows to the mended address, and no profile of the mistyped one stays", async () => {
    const { page } = await open("scenario=first-run");
    await page.getByRole("button", { name: "A key for a hosted model" }).click();
    await page.getByLabel("Address").fill("https://api.opnai.com/v1");
    await page.getByLabel("Key", { exact: true }).fill("sk-1");
    await page.getByLabel("Model", { exact: true }).fill("gpt-5");
    await fake(page, (backend) => backend.failNext("test_connection", "dns", "There is no api.opnai.com."));
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("There is no api.opnai.com.").waitFor();
    // A step back leaves all as it is.
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("button", { name: "A key for a hosted model" }).click();
    await expect.poll(() => page.getByLabel("Key", { exact: true }).inputValue()).toBe("sk-1");
    await page.getByLabel("Address").fill("https://api.openai.com/v1");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Choose a folder" }).waitFor();
    const made = await fake(page, (backend) => backend.world.app.settings.profiles.slice(3).map(({ baseUrl, hasKey }) => ({ baseUrl, hasKey })));
    expect(made).toEqual([{ baseUrl: "https://api.openai.com/v1", hasKey: true }]);
    await page.close();
  });

  it("that reached one server goes to no other that is chosen, and a profile that answers stays", async () => {
    const { page } = await open("scenario=first-run");
    const goOn = page.getByRole("button", { name: "Continue" });
    const key = page.getByLabel("Key", { exact: true });
    await page.getByRole("button", { name: "A key for a hosted model" }).click();
    await key.fill("sk-1");
    // Only typed, it is for the server that is chosen then.
    await page.getByLabel("Server", { exact: true }).selectOption("DeepSeek");
    await page.getByLabel("Model", { exact: true }).fill("chat");
    await fake(page, (backend) => backend.failNext("test_connection", "auth", "The key isn't accepted."));
    await goOn.click();
    await page.getByText("The key isn't accepted.").waitFor();
    await page.getByLabel("Server", { exact: true }).selectOption("Anthropic");
    await page.getByText("The key was saved for https://api.deepseek.com/v1.").waitFor();
    await expect.poll(() => key.inputValue()).toBe("");
    await key.fill("sk-ant");
    await goOn.click();
    await page.getByRole("heading", { name: "Choose a folder" }).waitFor();
    await expect.poll(async () => (await called(page, "save_key")).map((call) => call.args[1])).toEqual([4, 6]);
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("button", { name: "A key for a hosted model" }).click();
    await page.getByLabel("Server", { exact: true }).selectOption("OpenRouter");
    await goOn.click();
    await page.getByRole("heading", { name: "Choose a folder" }).waitFor();
    const made = await fake(page, (backend) => backend.world.app.settings.profiles.slice(3).map(({ baseUrl, hasKey }) => `${baseUrl} ${hasKey}`));
    expect(made).toEqual(["https://api.anthropic.com true", "https://openrouter.ai/api/v1 false"]);
    await page.close();
  });
});
