/** No block makes the window wait, whatever is in it: counted, not timed. What the DOM is made of is no part of the parse. */
import { expect, it, vi } from "vitest";
import { renderMarkdown } from "./markdown";

vi.mock("dompurify", () => ({
  default: {
    sanitize(html: string): DocumentFragment {
      const fragment = document.createDocumentFragment();
      fragment.append(html);
      return fragment;
    },
  },
}));

/** Families of inputs that made a parse look again and again to the end, each as long as a block may be. */
const STEPS = 400_000;
const TAGS = 10_001;
const LONGEST = 32 * 1024;
const filled = (unit: string, end = ""): string => unit.repeat(Math.floor((LONGEST - end.length) / unit.length)) + end;
const FAMILIES: Record<string, string> = {
  "open strong": filled("**a ", "x**"),
  "open emphasis": filled("*a ", "x*"),
  "open underlines": filled("_a ", "x_"),
  "open both": filled("***a ", "x***"),
  "nested emphasis": "*a ".repeat(4_000) + "a* ".repeat(4_000),
  "closing emphasis": filled("a* "),
  "words with underlines": filled("_a"),
  "struck out": filled("~a ", "x~"),
  "struck out twice": filled("~~a ", "x~~"),
  "open brackets": filled("[a "),
  "open links": filled("[a]("),
  "open targets": filled("[a](<b"),
  "open titles": filled('[a](b "'),
  "references": filled("[a][b] "),
  "defined references": "[b]: a\n\n" + filled("[b] "),
  "cells": "|a".repeat(90) + "\n" + "|-".repeat(90) + "\n" + "|\n".repeat(200),
  "images": filled("![a"),
  "odd backticks": Array.from({ length: 250 }, (_, n) => "`".repeat(n)).join("a "),
  "open code": filled("``a "),
  "open tags": filled("<a b="),
  "comments": filled("a <!-- "),
  "addresses": filled("a@b."),
  "an address and brackets": "http://a" + ")".repeat(LONGEST - 8),
  "an address and entities": filled("&amp;").replace("&amp;&amp;", "http://a"),
  "a wide table": "|a".repeat(2_000) + "\n" + "|-".repeat(2_000) + "\n" + "|\n".repeat(8_000),
  "a table in a quote": "> " + "|a".repeat(2_000) + "\n> " + "|-".repeat(2_000) + "\n" + "> |\n".repeat(5_000),
  "escaped bars": filled("\\|").replace("\\|", "a|b\n-|-\n"),
  "nested lists": filled("- ".repeat(22) + "a\n"),
  "nested quotes": filled("> ".repeat(22) + "a\n"),
  "quotes and lists": filled("> - ".repeat(11) + "a\n"),
  "list items": filled("- a\n"),
  "definitions": filled("[x]:\n"),
};

/** The HTML of a block, and how often a regular expression was tried on the way. */
function parsed(source: string): { html: string; steps: number } {
  let steps = 0;
  const exec = RegExp.prototype.exec;
  RegExp.prototype.exec = function (text) {
    steps++;
    return exec.call(this, text);
  };
  try {
    return { html: renderMarkdown(source).textContent ?? "", steps };
  } finally {
    RegExp.prototype.exec = exec;
  }
}

it.each(Object.entries(FAMILIES))("%s are parsed in bounded steps", (_, source) => {
  const { html, steps } = parsed(source);
  expect(html.length).toBeGreaterThan(0);
  expect(steps).toBeLessThan(STEPS);
  expect(html.split("<").length).toBeLessThan(TAGS);
});

it("what people write is left alone: many marks in many short texts", () => {
  const { html } = parsed(filled("- **bold** and _slanted_ `code`\n"));
  expect(html.split("<strong>").length).toBeGreaterThan(900);
});
