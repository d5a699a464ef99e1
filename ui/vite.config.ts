import { svelte } from "@sveltejs/vite-plugin-svelte";
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

const locale = (name: string): Record<string, string> => JSON.parse(readFileSync(new URL(`./locales/${name}.json`, import.meta.url), "utf8"));

/** The texts of a catalogue in the order of the English keys, as an element that shows and runs nothing. */
export function catalogueTemplate(name: string): string {
  const texts = locale(name);
  const json = JSON.stringify(Object.keys(locale("en")).map((key) => texts[key] ?? null));
  return `<template id="${name}">${json.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)}</template>`;
}

/**
 * Catalogues in fewer bytes: English as an object of each group (`a.b` is `b` of the group `a`). Chinese is data
 * of the page, read at once where it is needed.
 */
export function catalogues(): Plugin {
  return {
    name: "catalogues",
    enforce: "pre",
    load(id) {
      if (!id.endsWith("/locales/en.json?groups")) return null;
      const groups: Record<string, Record<string, string>> = {};
      for (const [key, text] of Object.entries(locale("en"))) {
        const [group = "", ...name] = key.split(".");
        (groups[group] ??= {})[name.join(".")] = text;
      }
      return `export default ${JSON.stringify(groups)}`;
    },
    transformIndexHtml(html) {
      return html.replace("</body>", () => `  ${catalogueTemplate("zh-CN")}\n  </body>`);
    },
  };
}

export default defineConfig(({ mode }) => ({
  plugins: [catalogues(), svelte()],
  // Tauri's own log stays readable, and its port is fixed.
  clearScreen: false,
  server: { port: 5183, strictPort: true },
  build: {
    outDir: mode === "e2e" ? "dist-e2e" : "dist",
    emptyOutDir: true,
    target: ["es2022", "safari16.4"],
    // The content security policy allows no inline script and no data: script.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The page names its styles itself, so that they are there with the code that is loaded late.
    cssCodeSplit: false,
    reportCompressedSize: false,
  },
}));
