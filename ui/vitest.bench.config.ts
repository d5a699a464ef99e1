import { defineConfig } from "vitest/config";

/** The figures of the window: Chromium against the scripted backend; the window itself comes from `vite build --mode e2e`. */
export default defineConfig({
  test: {
    environment: "node",
    include: ["e2e/**/*.bench.ts"],
    globalSetup: "e2e/server.ts",
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
