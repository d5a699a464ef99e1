/** Gives each test the catalogues where the page has them. */
import { inject } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    catalogues: string;
  }
}

document.head.insertAdjacentHTML("beforeend", inject("catalogues"));

// jsdom lays nothing out, so that nothing ever changes its size.
globalThis.ResizeObserver ??= class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};
Element.prototype.scrollIntoView ??= () => undefined;
// Nor does it know how a selector is escaped; the ids of tests need none.
globalThis.CSS ??= { escape: (text: string) => text } as typeof CSS;
