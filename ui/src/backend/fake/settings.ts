/** Settings: how they are at first, and the commands for them. */
import type { Backend } from "../backend";
import type { Asked, Settings } from "../types";
import { DONE, type Stage } from "./stage";
import type { Scenario } from "./world";

export function settings(stage: Stage) {
  return {
    async setSetting(key: string, value: unknown): Promise<void> {
      stage.called("set_setting", key, value);
      if (key === "language") stage.world.app.language = value === "zh-CN" ? "zh-CN" : "en";
      stage.settings({ [key]: value });
    },
    async testSandbox(): Promise<void> {
      stage.called("test_sandbox");
      stage.app({});
    },
    async deleteData(): Promise<Asked> {
      stage.called("delete_data");
      if (stage.consent !== "done") return { status: stage.consent, message: null };
      for (const { sessionId } of stage.world.sessions.splice(0)) stage.emit({ type: "session_deleted", sessionId });
      stage.emit({ type: "sessions_changed" });
      stage.emit({ type: "data_deleted" });
      stage.app({ workspace: null });
      return DONE;
    },
  } satisfies Partial<Backend>;
}

export function firstSettings(scenario: Scenario, params: URLSearchParams): Settings {
  const theme = params.get("theme");
  return {
    language: "system",
    theme: theme === "dark" || theme === "light" ? theme : "system",
    fontSize: Number(params.get("size") ?? 14),
    notifications: "unfocused",
    closeToTray: true,
    approvalMinutes: 10,
    maxTurns: 50,
    profiles: [
      { profileId: "tour", name: "Tour", kind: "tour", baseUrl: "", model: "", hasKey: false, keyPlace: null, local: true, contextWindow: null, withoutTools: false, proxy: "", caFile: "", headers: [] },
      { profileId: "ollama", name: "Ollama", kind: "chat_completions", baseUrl: "http://localhost:11434/v1", model: "qwen3:8b", hasKey: false, keyPlace: null, local: true, contextWindow: null, withoutTools: false, proxy: "", caFile: "", headers: [] },
      { profileId: "deepseek", name: "DeepSeek", kind: "chat_completions", baseUrl: "https://api.deepseek.com/v1", model: "deepseek-chat", hasKey: true, keyPlace: "keychain", local: false, contextWindow: null, withoutTools: false, proxy: "", caFile: "", headers: [] },
    ],
    activeProfileId: scenario === "first-run" ? "tour" : "ollama",
    firstRunDone: scenario !== "first-run",
    file: "~/.config/assent/settings.toml",
    dataFolder: "~/.local/share/assent",
  };
}
