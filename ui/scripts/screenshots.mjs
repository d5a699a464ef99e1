/** Renders the pictures of the README from the e2e build: `npm run screenshots`. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const BUILD = fileURLToPath(new URL("../dist-e2e/", import.meta.url));
const PICTURES = fileURLToPath(new URL("../screenshots/", import.meta.url));
/** @type {Record<string, string>} */
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

/** @typedef {import("playwright-core").Page} Page */
/** @type {[name: string, query: string, step?: (page: Page) => Promise<void>][]} */
const LIST = [
  ["window-light-en", "theme=light&lang=en&waiting=2"],
  ["window-dark-en", "theme=dark&lang=en&waiting=2"],
  ["window-light-zh", "theme=light&lang=zh-CN&waiting=2"],
  ["window-dark-zh", "theme=dark&lang=zh-CN&waiting=2"],
  ["audit-light-en", "theme=light&lang=en", (page) => page.locator("aside [data-index='2'] button").click()],
  ["first-run-light-en", "theme=light&lang=en&scenario=first-run"],
  ["approvals-light-zh", "theme=light&lang=zh-CN&waiting=3", (page) => page.locator("#tab-approvals").click()],
  ["permissions-dark-en", "theme=dark&lang=en", (page) => page.locator("#tab-permissions").click()],
];

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const file = join(BUILD, pathname === "/" ? "index.html" : pathname);
  readFile(file).then(
    (body) => response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" }).end(body),
    () => response.writeHead(404).end(),
  );
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
const address = server.address();
if (address === null || typeof address === "string") throw new Error("the server has no port");

const browser = await chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
for (const [name, query, step] of LIST) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce" });
  await page.goto(`http://127.0.0.1:${address.port}/?${query}`);
  await page.locator("#window h1, [data-item]").first().waitFor();
  await page.waitForTimeout(400);
  await step?.(page);
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  await page.close();
  console.log(name);
}
await browser.close();
server.close();
