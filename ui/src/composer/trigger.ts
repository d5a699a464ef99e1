/** What the text before the cursor asks for: a file by `@`, or a command by `/` where there is nothing else. */

export interface Trigger {
  kind: "file" | "command";
  query: string;
  /** Where `@` or `/` stands. */
  start: number;
}

export function triggerAt(text: string, cursor: number): Trigger | null {
  const before = text.slice(0, cursor);
  const command = /^\/(\S*)$/.exec(before);
  if (command && before === text) return { kind: "command", query: command[1] ?? "", start: 0 };
  const file = /(?:^|[\s("'\p{P}\p{Script=Han}])@([^\s@]*)$/u.exec(before);
  if (file) {
    const query = file[1] ?? "";
    return { kind: "file", query, start: cursor - query.length - 1 };
  }
  return null;
}

/** The text with the trigger replaced, and where the cursor goes. */
export function complete(text: string, cursor: number, trigger: Trigger, insert: string): { text: string; cursor: number } {
  const head = text.slice(0, trigger.start) + insert;
  const tail = text.slice(cursor);
  const spaced = tail.startsWith(" ") ? head : `${head} `;
  return { text: spaced + tail, cursor: spaced.length + (tail.startsWith(" ") ? 1 : 0) };
}
