/** The servers that are offered, and how one is reached beyond its address. */
import type { DetectedServer, ModelProfile, ProfileInput } from "../backend/types";
import { t } from "../i18n/index.svelte";
import type { Ui } from "../shared/context";

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

/** What to use where no model is named: the only one, or the first of a server on this computer; a hosted one's first would be anyone's. */
export function unnamedModel(models: readonly string[], { local }: Pick<ModelProfile, "local">): string {
  return local || models.length === 1 ? (models[0] ?? "") : "";
}

/** Why no model could be taken of a server that lists `models`. */
export function whyNoModel(models: readonly string[]): string {
  return t(models.length === 0 ? "first.name_a_model" : "first.choose_a_model");
}

/** Takes a server of this computer into use, with the model that is set for it, or one it has; false where that fails, which is then said. */
export async function useLocal({ backend, notices, state }: Ui, { name, baseUrl }: DetectedServer): Promise<boolean> {
  const profileOf = (): ModelProfile | undefined => state.app?.settings.profiles.find((profile) => profile.baseUrl === baseUrl);
  // Since it was listed it may have got a model, or ended.
  const servers = await notices.attempt(backend.detectLocalServers());
  if (!servers) return false;
  const server = servers.find((candidate) => candidate.baseUrl === baseUrl);
  const known = profileOf();
  // What a person set isn't replaced by what they didn't choose: a server may list its models under other names.
  const model = known?.model || (server?.models[0] ?? "");
  if (!server || model === "") {
    notices.fail({ message: t(server ? "models.has_none" : "models.is_gone", { name }) });
    return false;
  }
  if (!known && !(await notices.done(backend.saveProfile({ profileId: null, name, kind: "chat_completions", baseUrl, model, ...connectionOf(undefined) })))) return false;
  const profile = known ?? (await state.find(profileOf));
  return profile !== undefined && (await notices.attempt(backend.selectModel(profile.profileId, model).then(() => true))) === true;
}
