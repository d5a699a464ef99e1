/// <reference types="vite/client" />

/** The English texts by the part of their key before the first dot; made by `vite.config.ts`. */
declare module "*.json?groups" {
  const groups: Readonly<Record<string, Readonly<Record<string, string>>>>;
  export default groups;
}

/** The texts of a catalogue in the order of the English keys; made by `vite.config.ts`. */
declare module "*.json?texts" {
  const texts: readonly (string | null)[];
  export default texts;
}
