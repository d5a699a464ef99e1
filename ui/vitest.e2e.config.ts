import { defineConfig } from "vitest/config";

/** Chromium against the scripted backend; the window itself comes from `vite build --mode e2e`. */
export default defineConfig({
  test: {
    environment: "node",
    include: ["e2e/**/*.e2e.ts"],
    globalSetup: "e2e/server.ts",
    fileParallelism: false,
    // As for the window tests: a second try is reported as a retry, and is for a browser that a busy machine kept waiting.
    retry: 1,
    testTimeout: 30_000,
    expect: { poll: { timeout: 8_000 } },
    hookTimeout: 60_000,
  },
});
