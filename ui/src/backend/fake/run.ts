/** One scripted run: looks at a file, asks for a command, answers. */
import type { Approval } from "../types";
import { type Answer, demoApproval } from "./approvals";
import { auditRow } from "./audit";
import type { Stage } from "./stage";
import { call, decision, SHELL_VERDICTS, userItem } from "./transcripts";

export class FakeRun {
  readonly #stage: Stage;
  readonly #sessionId: string;
  readonly #stopped: () => boolean;
  readonly #ask: (approval: Approval) => Promise<Answer>;

  constructor(stage: Stage, sessionId: string, stopped: () => boolean, ask: (approval: Approval) => Promise<Answer>) {
    this.#stage = stage;
    this.#sessionId = sessionId;
    this.#stopped = stopped;
    this.#ask = ask;
  }

  async play(text: string, id: () => number): Promise<void> {
    const sessionId = this.#sessionId;
    const stage = this.#stage;
    const runId = `r${id()}`;
    stage.emit({ type: "run_started", sessionId, runId });
    stage.emit({ type: "item_added", sessionId, item: userItem(`u${id()}`, Date.now(), text) });
    const finish = (outcome: "completed" | "cancelled" | "provider_error", message: string | null = null): void =>
      stage.emit({ type: "run_finished", sessionId, runId, itemId: `e${id()}`, outcome, errorCode: message === null ? null : "connection_refused", message, turns: 2 });

    if (text.includes("offline")) return finish("provider_error", "Can't reach http://localhost:11434 (connection refused). Is Ollama running?");
    await this.#say(`m${id()}`, text.includes("slow") ? LONG : "I'll look at the file first, then clean up.\n", true);
    if (this.#stopped()) return finish("cancelled");
    if (text.includes("slow") || text.includes("talk")) return finish("completed");

    const read = `c${id()}`;
    const readCall = call({ callId: read, tool: "read_file", subject: "README.md", arguments: [{ name: "path", value: "README.md", cut: 0 }] });
    stage.emit({ type: "call_proposed", sessionId, itemId: `i${read}`, call: readCall });
    stage.emit({ type: "call_decided", sessionId, callId: read, decision: decision(), errorCode: null });
    await stage.rest(stage.pace);
    stage.emit({ type: "call_finished", sessionId, callId: read, state: "succeeded", errorCode: null, exitCode: null, durationMs: 3, output: "1\t# shop", outputBytes: 8, diffs: [], changeId: null });
    stage.emit({ type: "audit_rows", rows: [auditRow(2_000_000 + id(), { callId: read, sessionId, timeMs: Date.now() })] });

    const shell = `c${id()}`;
    stage.emit({ type: "call_proposed", sessionId, itemId: `i${shell}`, call: call({ callId: shell, tool: "shell", subject: "rm -r build/old", arguments: [{ name: "command", value: "rm -r build/old", cut: 0 }] }) });
    const zh = stage.world.app.language === "zh-CN";
    const title = stage.world.sessions.find((session) => session.sessionId === sessionId)?.title ?? "";
    const answer = await this.#ask(demoApproval(Date.now(), zh, { approvalId: `a${id()}`, sessionId, sessionTitle: title, callId: shell }));
    const allowed = answer.end === "allowed";
    const errorCode = { allowed: null, denied: "approval_denied", withdrawn: "approval_withdrawn", expired: "approval_expired" }[answer.end];
    stage.emit({
      type: "call_decided", sessionId, callId: shell, errorCode,
      decision: decision({ behavior: allowed ? "allow" : "deny", source: answer.surface ?? answer.end, reason: allowed ? "You allowed it once." : "You denied it.", asked: true, surface: answer.surface, words: answer.words, verdicts: SHELL_VERDICTS, risk: { level: "high", sentence: "Deletes files. Can't be undone by Assent." }, digestShort: "7F3A-91C2", sandbox: "can write this workspace, no network" }),
    });
    if (allowed) {
      for (const line of ["removed build/old/a.o\n", "removed build/old/b.o\n"]) {
        stage.emit({ type: "call_output", sessionId, callId: shell, chunk: line, totalBytes: line.length });
        await stage.rest(stage.pace);
      }
      stage.emit({ type: "call_finished", sessionId, callId: shell, state: "succeeded", errorCode: null, exitCode: 0, durationMs: 40, output: "removed build/old/a.o\nremoved build/old/b.o\n", outputBytes: 44, diffs: [], changeId: null });
    }
    stage.emit({ type: "audit_rows", rows: [auditRow(2_000_000 + id(), { callId: shell, sessionId, timeMs: Date.now(), tool: "shell", subject: "rm -r build/old", behavior: allowed ? "allow" : "deny", asked: true, surface: answer.surface, source: answer.surface ?? answer.end, outcome: errorCode ?? "succeeded", risk: "high", reason: "" })] });
    if (this.#stopped()) return finish("cancelled");
    await this.#say(`m${id()}`, allowed ? "The old build output is **gone**.\n" : "You denied it, so *nothing* was deleted.\n", false);
    finish("completed");
  }

  async #say(itemId: string, text: string, thinks: boolean): Promise<void> {
    const sessionId = this.#sessionId;
    if (thinks) this.#stage.emit({ type: "reasoning_delta", sessionId, itemId, text: "Reading comes first; it changes nothing." });
    for (let at = 0; at < text.length && !this.#stopped(); at += 24) {
      this.#stage.emit({ type: "text_delta", sessionId, itemId, text: text.slice(at, at + 24) });
      await this.#stage.rest(this.#stage.pace);
    }
    this.#stage.emit({ type: "reply_finished", sessionId, itemId });
    this.#stage.emit({ type: "usage", sessionId, usage: { inputTokens: 12_000, outputTokens: Math.ceil(text.length / 4), contextTokens: 12_000, contextWindow: 128_000, contextPercent: 10, cost: 0.0462 } });
  }
}

const LONG = `# A long answer\n\n${"The test assumes a locale that uses a comma; CI has none. ".repeat(6)}\n\n\`\`\`rust\nfn main() {\n    println!("hi");\n}\n\`\`\`\n\n- one\n- two\n\n`.repeat(120);
