/** A transcript written by an adversary: nothing runs, nothing loads, nothing looks like ours. */
import { expect, it } from "vitest";
import { open, settled } from "./page";

it("is inert and readable", async () => {
  const { page, complaints, strangers } = await open("scenario=hostile");
  await page.locator(".markdown").getByText("pay \\u{202e}gpj.exe").waitFor();
  for (const line of await page.locator("button.line").all()) await line.click();
  for (const summary of await page.locator(".reasoning summary").all()) await summary.click();
  expect(await page.evaluate("window.pwned")).toBeUndefined();
  expect(await page.locator(".markdown").evaluateAll((boxes) => boxes.flatMap((box) => [...box.querySelectorAll("script,style,iframe,form,input,img,svg:not([aria-hidden]),object,embed,[href],[onerror],[onload],[style]")].map((element) => element.outerHTML)))).toEqual([]);
  expect(strangers).toEqual([]);
  expect(complaints).toEqual([]);
  // The window still answers.
  await page.keyboard.press("Control+3");
  await page.getByRole("heading", { name: "Test a call" }).waitFor();
  await page.close();
});

it("can't be given power by a link that looks like a button", async () => {
  const { page } = await open("scenario=hostile");
  const fakeButton = page.locator(".markdown").getByText("Allow once").first();
  await fakeButton.click();
  await settled(page);
  const calls = (await page.evaluate("globalThis.fake.calls.map((call) => call.name)")) as string[];
  expect(calls.filter((name) => !["subscribe", "open_session", "list_sessions", "query_audit", "changes"].includes(name))).toEqual([]);
  await page.close();
});
