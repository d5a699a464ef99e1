/** Serves the e2e build with the content security policy of the real window, and opens one Chromium for all tests. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import "vitest";
import type { TestProject } from "vitest/node";
import { WATCH } from "./webkit";

const FOLDER = fileURLToPath(new URL("../dist-e2e/", import.meta.url));
const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

/** As in `tauri.conf.json`. */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src ipc: http://ipc.localhost; frame-ancestors 'none'; form-action 'none'; base-uri 'none'";

declare module "vitest" {
  export interface ProvidedContext {
    url: string;
    browser: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const path = normalize(pathname);
    const file = join(FOLDER, path === "/" ? "index.html" : path);
    const content = path === "/watch.js" ? Promise.resolve(WATCH) : readFile(file);
    content.then(
      (body) => {
        response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "content-security-policy": POLICY });
        response.end(searchParams.has("watch") ? body.toString().replace("<head>", '<head><script src="/watch.js"></script>') : body);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");

  const browser = await chromium.launchServer({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
  });
  project.provide("url", `http://127.0.0.1:${address.port}/`);
  project.provide("browser", browser.wsEndpoint());
  return async () => {
    await browser.close();
    server.close();
  };
}
