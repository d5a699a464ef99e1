/** What the commands of the scripted backend share: the world, what was called, and the stream to the window. */
import type { App, AppEvent, Asked, DetectedServer, SessionSummary, Settings } from "../types";
import { makeWorld, type Scenario, type World } from "./world";

/** How a native question is answered that the person says yes to, and a command that asks none. */
export const DONE: Asked = { status: "done", message: null };

export class Stage {
  readonly world: World;
  /** Every command the window called. */
  readonly calls: { name: string; args: unknown[] }[] = [];
  /** What the person does at native questions other than approvals. */
  consent: "done" | "declined" = "done";
  /** The model servers that run on this computer. */
  localServers: DetectedServer[] = [{ name: "Ollama", baseUrl: "http://localhost:11434/v1", models: ["qwen3:8b", "llama3.3:70b"] }];
  /** Milliseconds between two pieces of a run. */
  pace: number;
  #listen: (event: AppEvent) => void = () => undefined;
  #next = 100;
  #failing = new Map<string, { code: string; message: string }>();

  constructor(scenario: Scenario, params: URLSearchParams) {
    this.world = makeWorld(scenario, params);
    this.pace = Number(params.get("pace") ?? 12);
    if (params.has("no-models")) this.localServers = [{ name: "LM Studio", baseUrl: "http://localhost:1234/v1", models: [] }];
    if (params.has("no-servers")) this.localServers = [];
    if (params.has("two-servers")) this.localServers.push({ name: "LM Studio", baseUrl: "http://localhost:1234/v1", models: ["gemma"] });
  }

  /** From here on `onEvent` hears everything, beginning with how all is. */
  listen(onEvent: (event: AppEvent) => void): void {
    this.#listen = onEvent;
    this.app({});
    const first = this.world.sessions[0];
    if (first) this.show(first.sessionId);
  }

  /** Tells the window. */
  emit(event: AppEvent): void {
    this.#listen(event);
  }

  /** Makes the next call of a command fail. */
  failNext(name: string, code: string, message: string): void {
    this.#failing.set(name, { code, message });
  }

  /** Notes a call of the window, and fails it where a test wants that. */
  called(name: string, ...args: unknown[]): void {
    this.calls.push({ name, args });
    const failure = this.#failing.get(name);
    if (failure) {
      this.#failing.delete(name);
      throw failure;
    }
  }

  /** Changes what the window shows as a whole, and tells it. */
  app(change: Partial<App>): void {
    Object.assign(this.world.app, change);
    this.emit({ type: "app", app: { ...this.world.app } });
  }

  /** The same for a setting. */
  settings(change: Partial<Settings>): void {
    this.app({ settings: { ...this.world.app.settings, ...change } });
  }

  /** The session, or the error that there is none. */
  session(sessionId: string): SessionSummary {
    const session = this.world.sessions.find((candidate) => candidate.sessionId === sessionId);
    if (!session) throw { code: "not_found", message: "There is no such session." };
    return session;
  }

  /** Changes a session's line in the list, and tells the window. */
  touch(sessionId: string, change: Partial<SessionSummary>): void {
    const session = { ...this.session(sessionId), ...change };
    this.world.sessions = this.world.sessions.map((known) => (known.sessionId === sessionId ? session : known));
    this.emit({ type: "session_changed", session });
  }

  /** Has the window show a session from here. */
  show(sessionId: string): void {
    const session = this.session(sessionId);
    const items = this.world.transcripts.get(sessionId) ?? [];
    const from = Math.max(0, items.length - 200);
    this.emit({
      type: "session_opened",
      transcript: { session, items: items.slice(from), before: from > 0 ? String(from) : null, usage: { inputTokens: 11_240, outputTokens: 1_105, contextTokens: 11_240, contextWindow: 128_000, contextPercent: 9, cost: 0.0431 } },
    });
  }

  /** A number that nothing has yet. */
  next(): number {
    return this.#next++;
  }

  rest(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}
