/** The servers that are offered, and how one is reached beyond its address. */
import type { ModelProfile, ProfileInput } from "../backend/types";

type Server = Pick<ProfileInput, "name" | "kind" | "baseUrl">;

const chat = (name: string, baseUrl: string): Server => ({ name, kind: "chat_completions", baseUrl });
const local = (name: string, port: number): Server => chat(name, `http://localhost:${port}/v1`);

/** The hosted ones that the first minute offers. */
export const HOSTED: readonly Server[] = [
  chat("OpenAI", "https://api.openai.com/v1"),
  { name: "Anthropic", kind: "anthropic", baseUrl: "https://api.anthropic.com" },
  chat("DeepSeek", "https://api.deepseek.com/v1"),
  chat("OpenRouter", "https://openrouter.ai/api/v1"),
];

export const SERVERS: readonly Server[] = [
  ...HOSTED,
  chat("Qwen", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
  chat("Kimi", "https://api.moonshot.cn/v1"),
  chat("Gemini", "https://generativelanguage.googleapis.com/v1beta/openai"),
  local("Ollama", 11434),
  local("LM Studio", 1234),
  local("llama.cpp", 8080),
  local("vLLM", 8000),
];

/** The settings of `profile`; the plain ones for a new one. */
export function connectionOf(profile: ModelProfile | undefined): Pick<ProfileInput, "contextWindow" | "withoutTools" | "proxy" | "caFile" | "headers"> {
  const { contextWindow = null, withoutTools = false, proxy = "", caFile = "", headers = [] } = profile ?? {};
  return { contextWindow, withoutTools, proxy, caFile, headers };
}
