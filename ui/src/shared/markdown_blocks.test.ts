import { describe, expect, it } from "vitest";
import { BlockStream } from "./markdown_blocks";

const TEXT = `# Title

First *paragraph*
goes on.

- one
- two

  still two

- three

\`\`\`rust
fn main() {

    println!("hi");
}
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

Last.`;

/** A small generator, so that a failure can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

describe("BlockStream", () => {
  it("gives the same blocks however the text is cut", () => {
    const whole = new BlockStream(TEXT).blocks.map((b) => b.source.trimEnd());
    for (let seed = 1; seed <= 60; seed++) {
      const next = random(seed);
      const stream = new BlockStream();
      for (let at = 0; at < TEXT.length; ) {
        const size = 1 + Math.floor(next() * 9);
        stream.append(TEXT.slice(at, at + size));
        at += size;
      }
      stream.finish();
      expect(stream.blocks.map((b) => b.source).join("")).toBe(TEXT);
      expect(stream.blocks.map((b) => b.source.trimEnd())).toEqual(whole);
    }
  });

  it("keeps final blocks as they are", () => {
    const stream = new BlockStream();
    stream.append("one\n\ntwo\n\nth");
    const before = stream.blocks;
    stream.append("ree");
    expect(stream.blocks[0]).toBe(before[0]);
    expect(stream.blocks[1]).toBe(before[1]);
    expect(stream.blocks[2]).not.toBe(before[2]);
    expect(stream.blocks[2]?.id).toBe(before[2]?.id);
  });

  it("leaves a fence open until it closes", () => {
    const stream = new BlockStream();
    stream.append("```ts\nconst a = 1;\n\n");
    expect(stream.blocks).toMatchObject([{ open: true, code: { language: "ts" } }]);
    stream.append("const b = 2;\n```\n\nafter");
    expect(stream.blocks).toMatchObject([
      { open: false, code: { language: "ts", text: "const a = 1;\n\nconst b = 2;" } },
      { open: true, code: null, source: "after" },
    ]);
  });

  it("takes a run of link definitions as one block, and knows a bounded number", () => {
    const stream = new BlockStream(`[a]\n\n${Array.from({ length: 3_000 }, (_, n) => `[l${n}]: x`).join("\n")}\n\nend`);
    expect(stream.blocks).toHaveLength(3);
    expect(Object.keys(stream.links)).toHaveLength(1_000);
  });

  it("goes on in a new block where one is too long to be shown as Markdown", () => {
    const stream = new BlockStream();
    for (let n = 0; n < 1_000; n++) stream.append("- one more item of a list that has no end, and says so each time\n");
    expect(stream.blocks.map((block) => block.source).join("")).toHaveLength(1_000 * 65);
    expect(Math.max(...stream.blocks.map((block) => block.source.length))).toBeLessThan(33 * 1024);
    expect(stream.blocks.filter((block) => block.open)).toHaveLength(1);
    expect(new Set(stream.blocks.map((block) => block.id)).size).toBe(stream.blocks.length);
  });

  it("keeps a message with a long fence, many lists and a wide table in its blocks", () => {
    const lists = "- a\n- b\n\ntext\n\n".repeat(3_000);
    const table = `${"|a".repeat(12)}\n${"|-".repeat(12)}\n${`${"|1".repeat(12)}\n`.repeat(200)}\n`;
    expect(new BlockStream(`${lists}${table}\`\`\`diff\n${"- x\n".repeat(5_000)}\`\`\`\n`).blocks.length).toBe(6_002);
  });

  it("reads a text that grows as one that is appended to", () => {
    const stream = new BlockStream();
    const [first] = stream.read("one\n\ntw", true).flat();
    const grown = stream.read("one\n\ntwo", true).flat();
    expect(grown.map((block) => block.source)).toEqual(["one\n\n", "two"]);
    expect(grown[0]).toBe(first);
    expect(stream.read("one\n\ntwo", true).flat()).toEqual(grown);
    expect(stream.read("one\n\ntwo", false).flat().map((block) => block.open)).toEqual([false, false]);
  });

  it("reads another text anew, and one that goes on after its end", () => {
    const stream = new BlockStream();
    const before = stream.read("[a]\n\n[a]: https://example.com\n", true).flat();
    const other = stream.read("[b]\n", false).flat();
    expect(other.map((block) => block.source)).toEqual(["[b]\n"]);
    expect(stream.links).toEqual({});
    expect(before.some((block) => block.id === other[0]?.id)).toBe(false);
    expect(stream.read("[b]\nand more", true).flat().map((block) => block.source)).toEqual(["[b]\nand more"]);
    expect(stream.read("", true)).toEqual([]);
  });

  it("appends 50,000 tokens in small pieces without falling behind", () => {
    const stream = new BlockStream();
    const paragraph = "The test assumes a locale that uses a comma; CI has none. ".repeat(6) + "\n\n";
    const start = process.cpuUsage();
    for (let n = 0; n < 600; n++) for (let at = 0; at < paragraph.length; at += 24) stream.append(paragraph.slice(at, at + 24));
    stream.finish();
    expect(stream.blocks.length).toBe(600);
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(5_000);
  });
});
