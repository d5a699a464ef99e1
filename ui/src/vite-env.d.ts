/// <reference types="vite/client" />

/** The texts of a catalogue in the order of the English keys; made by `vite.config.ts`. */
declare module "*.json?texts" {
  const texts: readonly (string | null)[];
  export default texts;
}
