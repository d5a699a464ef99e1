/** Syntax colours, loaded when the first closed code block needs them. */
import DOMPurify from "dompurify";

/** Longer code stays plain. */
export const MAX_HIGHLIGHT = 30 * 1024;

const BY_EXTENSION: Record<string, string> = {
  rs: "rust", ts: "typescript", tsx: "typescript", mts: "typescript", js: "javascript", mjs: "javascript", cjs: "javascript", jsx: "javascript",
  svelte: "xml", html: "xml", xml: "xml", svg: "xml", css: "css", scss: "css", json: "json", md: "markdown", py: "python", go: "go", java: "java",
  kt: "java", c: "c", h: "c", cpp: "cpp", cc: "cpp", hpp: "cpp", cs: "java", sh: "bash", bash: "bash", zsh: "bash", toml: "ini", ini: "ini",
  yml: "yaml", yaml: "yaml", sql: "sql", diff: "diff", patch: "diff",
};

const ALIASES: Record<string, string> = {
  ...BY_EXTENSION, shell: "bash", console: "bash", rust: "rust", typescript: "typescript", javascript: "javascript", python: "python", bash: "bash",
  java: "java", sql: "sql", cpp: "cpp", "c++": "cpp", markdown: "markdown", vue: "xml",
};

/** The language of a fence's info word, null where it has no colours. */
export function languageOf(word: string): string | null {
  return ALIASES[word.toLowerCase()] ?? null;
}

/** The language of a file, null where it has no colours. */
export function languageOfPath(path: string): string | null {
  return BY_EXTENSION[path.slice(path.lastIndexOf(".") + 1).toLowerCase()] ?? null;
}

/** `text` with colours, null where it stays plain. */
export async function highlight(text: string, language: string): Promise<DocumentFragment | null> {
  if (text.length > MAX_HIGHLIGHT) return null;
  const { hljs } = await import("./highlight_languages");
  return painted(hljs, text, language);
}

/** One coloured fragment a line; used for diffs, where each line stands alone. */
export async function highlightLines(lines: readonly string[], language: string): Promise<(DocumentFragment | null)[] | null> {
  if (lines.reduce((sum, line) => sum + line.length, 0) > MAX_HIGHLIGHT) return null;
  const { hljs } = await import("./highlight_languages");
  return lines.map((line) => (line.length > 500 ? null : painted(hljs, line, language)));
}

function painted(hljs: typeof import("./highlight_languages").hljs, text: string, language: string): DocumentFragment | null {
  if (!hljs.getLanguage(language)) return null;
  const html = hljs.highlight(text, { language, ignoreIllegals: true }).value;
  return DOMPurify.sanitize(html, { ALLOWED_TAGS: ["span"], ALLOWED_ATTR: ["class"], RETURN_DOM_FRAGMENT: true });
}
