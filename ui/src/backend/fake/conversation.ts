/** The commands for a conversation: messages, runs, summaries. */
import type { Backend } from "../backend";
import type { SessionSummary, TranscriptItem } from "../types";
import type { Waiting } from "./approvals";
import { FakeRun } from "./run";
import type { Stage } from "./stage";

export function conversation(stage: Stage, waiting: Waiting) {
  const stopped = new Set<string>();

  /** One run: looks at a file, asks for a command, changes a file, answers. `slow` in the text streams long. */
  async function run(sessionId: string, text: string): Promise<void> {
    const run = new FakeRun(stage, sessionId, () => stopped.has(sessionId), (approval) => waiting.ask(approval));
    stopped.delete(sessionId);
    stage.touch(sessionId, { running: true });
    await run.play(text, () => stage.next());
    stage.touch(sessionId, { running: false, updatedMs: Date.now() });
  }

  return {
    async sendMessage(message: { sessionId: string | null; text: string; replaceFrom: string | null }): Promise<string> {
      stage.called("send_message", message);
      const sessionId = message.sessionId ?? `s${stage.next()}`;
      if (message.sessionId === null) {
        const session: SessionSummary = {
          sessionId, title: message.text.slice(0, 60), workspace: stage.world.app.workspace?.path ?? "", workspaceDisplay: stage.world.app.workspace?.display ?? "",
          createdMs: Date.now(), updatedMs: Date.now(), running: false, waiting: 0, archived: false, readOnly: null,
        };
        stage.world.sessions = [session, ...stage.world.sessions];
        stage.world.transcripts.set(sessionId, []);
        stage.show(sessionId);
      }
      if (message.replaceFrom !== null) stage.emit({ type: "history_cut", sessionId, fromItemId: message.replaceFrom });
      void run(sessionId, message.text);
      return sessionId;
    },
    async stopCommand(callId: string): Promise<void> {
      stage.called("stop_command", callId);
      stage.app({ running: stage.world.app.running.filter((command) => command.callId !== callId) });
    },
    async stop(sessionId: string): Promise<void> {
      stage.called("stop", sessionId);
      stopped.add(sessionId);
      for (const approval of stage.world.app.approvals) {
        if (approval.sessionId === sessionId) waiting.settle(approval.approvalId, { end: "withdrawn", surface: null, words: null });
      }
    },
    async callArguments(callId: string): Promise<{ name: string; value: string; cut: number }[]> {
      stage.called("call_arguments", callId);
      return [{ name: "content", value: "whole", cut: 0 }];
    },
    async toolOutput(callId: string, offset: number): Promise<{ text: string; next: number | null; totalBytes: number }> {
      stage.called("tool_output", callId, offset);
      return { text: `page at ${offset}\n`, next: null, totalBytes: 100_000 };
    },
    async compactSession(sessionId: string): Promise<void> {
      stage.called("compact_session", sessionId);
      const item: TranscriptItem = { kind: "summary", itemId: `i${stage.next()}`, timeMs: Date.now(), text: "The person wants the checkout test to pass. The tax rate was read and changed.", undone: false };
      stage.world.transcripts.set(sessionId, [...(stage.world.transcripts.get(sessionId) ?? []), item]);
      stage.emit({ type: "item_added", sessionId, item });
    },
    async undoCompaction(sessionId: string): Promise<void> {
      stage.called("undo_compaction", sessionId);
      const summary = (stage.world.transcripts.get(sessionId) ?? []).findLast((item) => item.kind === "summary");
      if (summary) stage.emit({ type: "summary_undone", sessionId, itemId: summary.itemId });
    },
  } satisfies Partial<Backend>;
}
