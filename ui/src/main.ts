/** Starts the window. */
import "./ask_first";
import "./shared/tokens.css";
import "./shared/base.css";
import "./shared/code.css";
import { mount } from "svelte";
import type { Backend } from "./backend/backend";
import { tauriBackend } from "./backend/tauri";
import { t } from "./i18n/index.svelte";
import { messageOf } from "./shared/notices.svelte";
import App from "./shell/App.svelte";
import { AppWindow, applyAppearance } from "./shell/window.svelte";

async function backend(): Promise<Backend> {
  // The scripted backend is for browser tests and development: the real window never contains it.
  if ((import.meta.env.MODE === "e2e" || import.meta.env.DEV) && !("__TAURI_INTERNALS__" in window)) {
    return (await import("./backend/fake")).fakeBackend(new URLSearchParams(location.search));
  }
  return tauriBackend();
}

async function start(target: HTMLElement): Promise<void> {
  applyAppearance("system", 14);
  const appWindow = new AppWindow(await backend());
  const report = (error: unknown): void => {
    const text = error instanceof Error ? `${error.message}\n${error.stack ?? ""}` : String(error);
    void appWindow.backend.reportWindowError(text);
    appWindow.notices.fail({ message: t("error.own", { message: messageOf(error) }) }, appWindow.diagnostics);
  };
  window.addEventListener("error", (event) => event.error && report(event.error));
  window.addEventListener("unhandledrejection", (event) => report(event.reason));
  // What came early is in the first picture.
  const connected = appWindow.connect();
  mount(App, { target, props: { window: appWindow } });
  await connected;
}

const target = document.getElementById("window");
// Not awaited: what is loaded while this module waits may itself need it.
if (target) void start(target);
