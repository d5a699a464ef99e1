/// <reference types="vite/client" />

/** The English texts by the part of their key before the first dot; made by `vite.config.ts`. */
declare module "*.json?groups" {
  const groups: Readonly<Record<string, Readonly<Record<string, string>>>>;
  export default groups;
}
