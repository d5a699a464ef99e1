import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

export default {
  preprocess: vitePreprocess({ style: false }),
  compilerOptions: {
    runes: true,
    // The scoping class stands at nearly every element, and every one is paid for in the JavaScript.
    cssHash: ({ hash, css }) => `s${hash(css).slice(0, 5)}`,
  },
};
