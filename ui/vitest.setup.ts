/** Gives each test the Chinese catalogue where the page has it. */
import { inject } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    catalogue: string;
  }
}

document.head.insertAdjacentHTML("beforeend", inject("catalogue"));
