import { svelte } from "@sveltejs/vite-plugin-svelte";
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/** The catalogues as elements that show and run nothing: data of the page, read where they are needed. */
export function catalogueTemplates(): string {
  return ["en", "zh-CN"].map(template).join("\n    ");
}

function template(name: string): string {
  const json = JSON.stringify(JSON.parse(readFileSync(new URL(`./locales/${name}.json`, import.meta.url), "utf8")));
  return `<template id="${name}">${json.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)}</template>`;
}

const catalogues: Plugin = {
  name: "catalogues",
  transformIndexHtml: (html) => html.replace("</body>", () => `  ${catalogueTemplates()}\n  </body>`),
};

export default defineConfig(({ mode }) => ({
  plugins: [catalogues, svelte()],
  // Tauri's own log stays readable, and its port is fixed.
  clearScreen: false,
  server: { port: 5183, strictPort: true },
  build: {
    outDir: mode === "e2e" ? "dist-e2e" : "dist",
    emptyOutDir: true,
    target: ["es2022", "safari16.4"],
    modulePreload: false,
    // The content security policy allows no inline script and no data: script.
    assetsInlineLimit: 0,
    // The page names its styles itself, so that they are there with the code that is loaded late.
    cssCodeSplit: false,
    // What the first picture needs is one file.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "window", tags: ["$initial"] }] } } },
    reportCompressedSize: false,
  },
}));
