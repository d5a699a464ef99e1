/** Whether `@path` stands in the text, and isn't the beginning of a longer path. */
export function isNamed(text: string, path: string): boolean {
  const name = `@${path}`;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) if (!/^([\w/-]|\.\w)/.test(text.slice(at + name.length))) return true;
  return false;
}
