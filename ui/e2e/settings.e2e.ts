/** Settings: taken at once, undone, refused. */
import { describe, expect, it } from "vitest";
import { called, fake, open } from "./page";

describe("settings", () => {
  it("change at once and can be undone; the language changes everywhere", async () => {
    const { page } = await open("scenario=demo&lang=en");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Appearance" }).click();
    await page.locator("#s-language").selectOption("zh-CN");
    await page.getByRole("heading", { name: "设置" }).waitFor();
    await expect.poll(() => page.evaluate("document.documentElement.lang")).toBe("zh-CN");
    await page.keyboard.press("Escape");
    await page.locator(".notice .link").click();
    await page.getByRole("tab", { name: "Audit" }).waitFor();
    await page.close();
  });
});

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

  it("says no more that a number is wrong once another counts, or its field is gone", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Consent" }).click();
    const wrong = page.getByText("Between 1 and 60.");
    await page.locator("#s-wait").fill("90");
    await page.locator("#s-wait").press("Enter");
    await wrong.waitFor();
    await page.locator("#s-wait").fill("7");
    await page.locator("#s-wait").press("Enter");
    await page.getByText("Changed.").waitFor();
    await wrong.waitFor({ state: "detached" });
    await page.locator("#s-wait").fill("90");
    await page.locator("#s-wait").press("Enter");
    await wrong.waitFor();
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await wrong.waitFor({ state: "detached" });
    await page.close();
  });

  it("counts too where Escape leaves its field", async () => {
    const { page } = await open("scenario=demo");
    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Consent" }).click();
    await page.locator("#s-wait").fill("");
    await page.locator("#s-wait").pressSequentially("7");
    await page.keyboard.press("Escape");
    await expect.poll(() => called(page, "set_setting")).toMatchObject([{ args: ["approvalMinutes", 7] }]);
    await page.close();
  });
});

describe("what is chosen", () => {
  it("can be undone: mode, commands and model", async () => {
    const { page } = await open("scenario=demo");
    const notice = (said: string) => page.locator(".notice", { hasText: said });
    const undo = (said: string): Promise<void> => notice(said).getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Mode: Balanced" }).click();
    await page.getByRole("button", { name: "Strict Reading" }).click();
    await undo("Mode: Strict");
    await page.getByRole("button", { name: "Mode: Balanced" }).waitFor();
    // Back is looser: a no there leaves it, and the way back stays.
    await page.getByRole("button", { name: "Mode: Balanced" }).click();
    await page.getByRole("button", { name: "Strict Reading" }).click();
    await fake(page, (backend) => (backend.consent = "declined"));
    await undo("Mode: Strict");
    await notice("Nothing was undone.").waitFor();
    await page.getByRole("button", { name: "Mode: Strict" }).waitFor();
    await fake(page, (backend) => (backend.consent = "done"));
    await undo("Nothing was undone.");
    await page.getByRole("button", { name: "Mode: Balanced" }).waitFor();

    await page.getByRole("button", { name: "Model: qwen3:8b" }).click();
    await page.getByRole("button", { name: "deepseek-chat" }).click();
    await undo("Model: deepseek-chat");
    await page.getByRole("button", { name: "Model: qwen3:8b" }).click();
    await page.getByRole("button", { name: "llama3.3:70b" }).click();
    await undo("Model: llama3.3:70b");
    await page.getByRole("button", { name: "Model: qwen3:8b" }).waitFor();
    const active = await fake(page, (backend) => backend.world.app.settings.profiles.map(({ model }) => model));
    expect(active).toEqual(["", "qwen3:8b", "deepseek-chat"]);

    await page.keyboard.press("Control+,");
    await page.getByRole("button", { name: "Consent" }).click();
    await page.locator("#s-shell").click();
    await expect.poll(() => page.locator("#s-shell").isChecked()).toBe(false);
    await undo("Changed.");
    await expect.poll(() => page.locator("#s-shell").isChecked()).toBe(true);
    await page.close();
  });

  it("is said of a model only once that is used", async () => {
    const { page } = await open("scenario=demo");
    await fake(page, (backend) => backend.failNext("select_model", "io", "The disk is full."));
    await page.getByRole("button", { name: "Model: qwen3:8b" }).click();
    await page.getByRole("button", { name: "deepseek-chat" }).click();
    await page.getByText("The disk is full.").waitFor();
    await expect.poll(() => page.locator(".notice", { hasText: "Model:" }).count()).toBe(0);
    await page.close();
  });
});

describe("a price", () => {
  it("counts at once, can be undone, and is none where its field is emptied", async () => {
    const { page } = await open("scenario=demo");
    const rows = async (): Promise<unknown> => (await called(page, "save_prices")).at(-1)?.args[0];
    const free = { model: "qwen3*", input: 0, output: 0 };
    await page.keyboard.press("Control+,");
    await page.getByText("Prices", { exact: true }).click();
    const input = page.getByLabel("In", { exact: true });
    await input.first().fill("0.5");
    await input.first().press("Enter");
    await expect.poll(rows).toEqual([{ model: "deepseek-chat", input: 0.5, output: 0.42 }, free]);
    await page.locator(".notice", { hasText: "The prices are saved." }).getByRole("button", { name: "Undo" }).click();
    await expect.poll(rows).toEqual([{ model: "deepseek-chat", input: 0.28, output: 0.42 }, free]);
    await expect.poll(() => input.first().inputValue()).toBe("0.28");
    for (const field of ["In", "Model"]) {
      await page.locator("table").getByLabel(field, { exact: true }).first().fill("");
      await page.locator("table").getByLabel(field, { exact: true }).first().press("Enter");
      await page.getByText("A row has a model and two prices").waitFor();
    }
    await expect.poll(() => input.first().inputValue()).toBe("0.28");
    await expect.poll(() => called(page, "save_prices")).toHaveLength(2);

    // A new one counts once it is whole, and waits till then, also where the settings are left.
    await page.getByRole("button", { name: "Add a row" }).click();
    await page.locator("table").getByLabel("Model", { exact: true }).last().fill("new");
    await input.last().fill("1");
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Control+,");
    await page.getByText("Prices", { exact: true }).click();
    await expect.poll(() => input.last().inputValue()).toBe("1");
    await expect.poll(() => called(page, "save_prices")).toHaveLength(2);
    await page.getByLabel("Out", { exact: true }).last().fill("2");
    await page.keyboard.press("Escape");
    await expect.poll(rows).toEqual([{ model: "deepseek-chat", input: 0.28, output: 0.42 }, free, { model: "new", input: 1, output: 2 }]);
    await page.close();
  });

  it("replaces no file that can't be read, but where that is said", async () => {
    const { page } = await open("scenario=demo");
    await fake(page, (backend) => {
      const { prices, savePrices } = backend;
      let problem: string | null = "Can't read line 3.";
      backend.prices = async () => ({ ...(await prices()), problem });
      backend.savePrices = async (rows) => {
        await savePrices(rows);
        problem = null;
      };
    });
    await page.keyboard.press("Control+,");
    await page.getByText("Prices", { exact: true }).click();
    const input = page.getByLabel("In", { exact: true }).first();
    await page.getByText("Can't read line 3.").waitFor();
    await expect.poll(() => input.isDisabled()).toBe(true);
    expect(await called(page, "save_prices")).toHaveLength(0);
    await page.getByRole("button", { name: "Replace the file by this table" }).click();
    await expect.poll(() => input.isDisabled()).toBe(false);
    await expect.poll(() => called(page, "save_prices")).toHaveLength(1);
    await page.close();
  });
});
