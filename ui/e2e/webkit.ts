/**
 * WebKitGTK, the engine of the real window on Linux: its own MiniBrowser under an X server, driven over the WebDriver
 * protocol (<https://www.w3.org/TR/webdriver2/>). Needs what the window tests need.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Hands } from "./states";

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
const PATIENCE_MS = 20_000;
const KEYS: Record<string, string> = { Control: "\uE009", Shift: "\uE008", Alt: "\uE00A", Enter: "\uE007", Escape: "\uE00C", Tab: "\uE004", ArrowDown: "\uE015", ArrowUp: "\uE013" };

/** The first script of a page: the frozen prototype of the real window, nothing remembered, and everything that goes wrong is kept. */
export const WATCH = `
  Object.freeze(Object.prototype);
  localStorage.clear();
  const complaints = (globalThis.complaints = []);
  const error = console.error;
  console.error = (...said) => (complaints.push(said.map(String).join(" ")), error(...said));
  // What comes without an error is a notice of the engine's, which the window takes for none either.
  addEventListener("error", (event) => event.error ? complaints.push(event.message) : event.target !== window && complaints.push("didn't load: " + event.target.outerHTML), true);
  addEventListener("unhandledrejection", (event) => complaints.push("rejected: " + event.reason));
  document.addEventListener("securitypolicyviolation", (event) => complaints.push(event.violatedDirective + ": " + event.blockedURI));
`;

export class WebKit implements Hands {
  readonly #children: ChildProcess[] = [];
  readonly #home = mkdtempSync(join(tmpdir(), "assent-webkit-"));
  #session = "";
  #display = "";

  static async start(): Promise<WebKit> {
    const webkit = new WebKit();
    try {
      await webkit.#begin();
    } catch (error) {
      await webkit.end();
      throw error;
    }
    return webkit;
  }

  async #begin(): Promise<void> {
    const server = this.#spawn("Xvfb", ["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp", "-noreset"]);
    this.#display = await new Promise<string>((resolve, reject) => {
      if (server.stdout) createInterface(server.stdout).once("line", resolve);
      server.once("error", reject);
      server.once("exit", () => reject(new Error("Xvfb ended")));
    });
    const port = await freePort();
    this.#spawn("WebKitWebDriver", [`--port=${port}`], { DISPLAY: `:${this.#display}`, GDK_BACKEND: "x11", HOME: this.#home, XDG_RUNTIME_DIR: this.#home, WEBKIT_DISABLE_DMABUF_RENDERER: "1", NO_AT_BRIDGE: "1" });
    this.#session = `http://127.0.0.1:${port}`;
    await until("the driver to listen", () => fetch(`${this.#session}/status`).then(() => true, () => false));
    const begun = (await this.#post("/session", {
      capabilities: { alwaysMatch: { "webkitgtk:browserOptions": { binary: miniBrowser(), args: ["--automation"] } } },
    })) as { sessionId: string };
    this.#session += `/session/${begun.sessionId}`;
  }

  /** Opens the window in a view of this size. */
  async open(url: string, width: number, height: number): Promise<void> {
    await this.#post("/url", { url });
    await this.#resize(width, height);
    await until("the window", () => this.run("return 'fake' in globalThis && document.querySelector('#window > *') !== null"));
    await this.settled();
  }

  async #resize(width: number, height: number): Promise<void> {
    const [wide, high] = await this.#viewed();
    if (wide === width && high === height) return;
    const rect = (await this.#get("/window/rect")) as { width: number; height: number };
    await this.#post("/window/rect", { width: rect.width + width - wide, height: rect.height + height - high });
    await until(`a view of ${width} x ${height}`, async () => (await this.#viewed()).join() === `${width},${height}`);
  }

  async #viewed(): Promise<[number, number]> {
    return (await this.run("return [innerWidth, innerHeight]")) as [number, number];
  }

  async press(keys: string): Promise<void> {
    const values = keys.split("+").map((key) => KEYS[key] ?? key);
    const down = values.map((value) => ({ type: "keyDown", value }));
    const up = values.toReversed().map((value) => ({ type: "keyUp", value }));
    await this.#post("/actions", { actions: [{ type: "key", id: "keyboard", actions: [...down, ...up] }] });
  }

  async click(selector: string): Promise<void> {
    // Until it is there, still, and nothing lies over it.
    let refused: unknown;
    await until(`${selector} to be clicked`, async () => {
      // Its own scrolling into sight knows nothing of boxes in the page.
      await this.run(`document.querySelector(${JSON.stringify(selector)})?.scrollIntoView({ block: "nearest" })`);
      const all = (await this.#post("/elements", { using: "css selector", value: selector })) as Record<string, string>[];
      const found = all[0]?.[ELEMENT];
      if (found === undefined) return false;
      return this.#post(`/element/${found}/click`, {}).then(() => true, (error: unknown) => ((refused = error), false));
    }).catch((error: unknown) => {
      throw new Error(String(error), { cause: refused });
    });
  }

  /** What the body of a function, `code`, returns. */
  run(code: string): Promise<unknown> {
    return this.#post("/execute/sync", { script: code, args: [] });
  }

  /** Waits until the last change is drawn, and what fades or slides in is there; what turns for ever doesn't count. */
  async settled(): Promise<void> {
    await this.#post("/execute/async", { script: "const [drawn] = arguments; requestAnimationFrame(() => requestAnimationFrame(() => drawn(null)))", args: [] });
    await until("the window to be still", () =>
      this.run("return document.getAnimations().every((animation) => animation.playState === 'finished' || animation.effect?.getComputedTiming().endTime === Infinity)"),
    );
  }

  /** What stands on the screen, which is more than WebDriver's pictures show: scroll bars lie where people see them. */
  async screenshot(path: string): Promise<void> {
    const rect = (await this.#get("/window/rect")) as { width: number; height: number };
    const [wide, high] = await this.#viewed();
    const view = `${wide}x${high}+${rect.width - wide}+${rect.height - high}`;
    execFileSync("import", ["-window", "root", "-crop", view, path], { env: { ...process.env, DISPLAY: `:${this.#display}` } });
  }

  async end(): Promise<void> {
    // Ends the browser, too.
    await fetch(this.#session, { method: "DELETE", signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined);
    for (const child of this.#children.toReversed()) child.kill("SIGKILL");
    rmSync(this.#home, { recursive: true, force: true });
  }

  #spawn(program: string, args: string[], env: Record<string, string> = {}): ChildProcess {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, ...env } });
    child.on("error", (error) => console.error(`${program}: ${error.message} (is it installed?)`));
    this.#children.push(child);
    return child;
  }

  async #get(path: string): Promise<unknown> {
    return value(path, await fetch(this.#session + path, { signal: AbortSignal.timeout(PATIENCE_MS) }));
  }

  async #post(path: string, body: unknown): Promise<unknown> {
    return value(path, await fetch(this.#session + path, { method: "POST", body: JSON.stringify(body), signal: AbortSignal.timeout(PATIENCE_MS) }));
  }
}

async function value(path: string, response: Response): Promise<unknown> {
  const { value } = (await response.json()) as { value: { error?: string; message?: string } | null };
  if (!response.ok) throw new Error(`${path}: ${value?.error}: ${value?.message}`);
  return value;
}

async function until<T>(what: string, ask: () => Promise<T>): Promise<T> {
  const start = performance.now();
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (performance.now() - start > PATIENCE_MS) throw new Error(`waited ${PATIENCE_MS / 1000} s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

function miniBrowser(): string {
  for (const folder of readdirSync("/usr/lib").filter((name) => name.endsWith("-linux-gnu"))) {
    const libraries = join("/usr/lib", folder);
    const found = readdirSync(libraries).find((name) => name === "webkit2gtk-4.1");
    if (found) return join(libraries, found, "MiniBrowser");
  }
  throw new Error("MiniBrowser isn't there: is libwebkit2gtk-4.1 installed?");
}
