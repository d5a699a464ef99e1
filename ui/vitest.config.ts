import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import { defineConfig } from "vitest/config";
import { catalogueTemplates } from "./vite.config";

export default defineConfig({
  plugins: [svelte(), svelteTesting()],
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.ts"],
    restoreMocks: true,
    setupFiles: "./vitest.setup.ts",
    provide: { catalogues: catalogueTemplates() },
    // Limits for what hangs, not measures: a busy machine draws a thousand entries slowly.
    testTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
