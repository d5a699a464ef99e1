/**
 * One Markdown block to inert DOM.
 *
 * HTML in the source is shown as text. What the renderer makes goes through DOMPurify with a short list of
 * allowed tags and attributes. Nothing is loaded: an image becomes a link. A link carries its target in
 * `data-link` and no `href`, so nothing but our own click handler can follow it.
 */
import DOMPurify, { type Config } from "dompurify";
import { getDefaults, type Links, Parser, Renderer, type Tokens } from "marked";
import { MAX_BLOCK_CHARACTERS } from "./markdown_blocks";
import { BoundedLexer, tooCostly, tooManyTags } from "./markdown_bounds";
import { visible } from "./visible";

const PURIFY: Config = {
  ALLOWED_TAGS: [
    "p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "del", "code", "pre", "blockquote",
    "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "span", "a",
  ],
  ALLOWED_ATTR: ["class", "start", "role", "tabindex", "data-link", "title", "aria-checked", "aria-label"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

/** `text` of one block as a sanitised fragment; falls back to plain text where it can't be parsed. */
export function renderMarkdown(text: string, links: Links = {}): DocumentFragment {
  const source = visible(text);
  if (source.length > MAX_BLOCK_CHARACTERS || tooCostly(source)) return plain(source);
  try {
    const lexer = new BoundedLexer({ gfm: true, breaks: false });
    Object.assign(lexer.tokens.links, links);
    const html = new Parser({ renderer }).parse(lexer.lex(source));
    if (tooManyTags(html)) return plain(source);
    return DOMPurify.sanitize(html, PURIFY) as unknown as DocumentFragment;
  } catch {
    return plain(source);
  }
}

/** Where a link really goes, as people can check it: the ASCII host, or the address of a mail. null = not followed. */
export function linkTarget(href: string): { url: string; host: string } | null {
  let url: URL;
  try {
    url = new URL(href.trim());
  } catch {
    return null;
  }
  if (url.protocol === "mailto:") return { url: url.href, host: url.pathname };
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  return { url: url.href, host: url.host };
}

class InertRenderer extends Renderer {
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return escape(text);
  }

  override image({ href, text }: Tokens.Image): string {
    return anchor(href, `<span class="md-image">${escape(text || href)}</span>`, text || href);
  }

  override link({ href, tokens }: Tokens.Link): string {
    const inner = this.parser.parseInline(tokens);
    const label = tokens.map((token) => ("text" in token ? String(token.text) : token.raw)).join("");
    return anchor(href, inner, label);
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    return `<span class="md-check${checked ? " md-checked" : ""}" role="checkbox" aria-checked="${checked}" aria-label="${checked ? "☑" : "☐"}"></span>`;
  }

  override code({ text }: Tokens.Code): string {
    return `<pre tabindex="0"><code>${escape(text)}</code></pre>`;
  }

  override tablecell(token: Tokens.TableCell): string {
    const tag = token.header ? "th" : "td";
    const align = token.align ? ` class="md-${token.align}"` : "";
    return `<${tag}${align}>${this.parser.parseInline(token.tokens)}</${tag}>`;
  }
}

// Only to fill the defaults that a bare Parser needs.
const renderer = new InertRenderer(getDefaults());

function anchor(href: string, inner: string, label: string): string {
  const target = linkTarget(href);
  if (!target) {
    const path = relativePath(href);
    return path ? `<a class="md-path" data-link="${escape(path)}" role="link" tabindex="0">${inner}</a>` : `<span>${inner}</span>`;
  }
  const host = names(label, target.host) ? "" : ` <span class="md-host">${escape(target.host)}</span>`;
  return `<a data-link="${escape(target.url)}" title="${escape(target.url)}" role="link" tabindex="0">${inner}${host}</a>`;
}

/** Whether a label is a host, or an address with it: then the host needn't be said again. */
function names(label: string, host: string): boolean {
  const address = label.trim().toLowerCase().replace(/^(?:https?:\/\/|mailto:)/, "");
  return address === host || (/^\S+$/.test(address) && ["/", "?", "#"].some((next) => address.startsWith(host + next)));
}

/** A path inside the workspace that the model wrote as a link, `src/tax.rs:12` included. */
function relativePath(href: string): string | null {
  const path = href.split("#")[0] ?? "";
  return /^[\p{L}\p{N}_.@-][\p{L}\p{N}_.@/+ -]*(?::\d+)*$/u.test(path) && !path.split("/").includes("..") ? path : null;
}

function plain(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const pre = document.createElement("pre");
  pre.className = "md-plain";
  pre.textContent = text;
  fragment.append(pre);
  return fragment;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
