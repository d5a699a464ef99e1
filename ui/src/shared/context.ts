/** What every view may reach without it being handed down: the backend, notices and navigation. */
import { getContext, setContext } from "svelte";
import type { Backend } from "../backend/backend";
import type { AppState } from "./app.svelte";
import type { Navigation } from "./navigation.svelte";
import type { Notices } from "./notices.svelte";

export interface Ui {
  backend: Backend;
  state: AppState;
  notices: Notices;
  navigation: Navigation;
}

const KEY = Symbol("ui");

export function provideUi(ui: Ui): void {
  setContext(KEY, ui);
}

export function useUi(): Ui {
  return getContext<Ui>(KEY);
}
