/** Settings of the scripted world. */
import type { Settings } from "../types";
import type { Scenario } from "./world";

export function settings(scenario: Scenario, params: URLSearchParams): Settings {
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
