/** A component as tests mount it: with what every view may reach. */
import type { Component } from "svelte";
import { AppState } from "./app.svelte";
import { provideUi, type Ui } from "./context";
import { Navigation } from "./navigation.svelte";
import { Notices } from "./notices.svelte";

export function withUi<P extends Record<string, any>>(component: Component<P>, ui: Partial<Ui> & Pick<Ui, "backend">): Component<P> {
  return ((anchor, props) => {
    provideUi({ state: new AppState(), notices: new Notices(), navigation: new Navigation(), ...ui });
    return component(anchor, props);
  }) as Component<P>;
}
