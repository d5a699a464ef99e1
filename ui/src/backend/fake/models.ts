/** The commands for models: profiles, keys, servers, prices. */
import type { Backend } from "../backend";
import type { ModelProfile, Price } from "../types";
import { DONE, type Stage } from "./stage";

export function models(stage: Stage) {
  let rows: Price[] = [
    { model: "deepseek-chat", input: 0.28, output: 0.42 },
    { model: "qwen3*", input: 0, output: 0 },
  ];
  /** Profiles as they were and as they became, each taken back by its place. */
  const changed: { before: ModelProfile; after: ModelProfile | null; replaced?: boolean }[] = [];

  return {
    async saveProfile(profile: Parameters<Backend["saveProfile"]>[0]): ReturnType<Backend["saveProfile"]> {
      stage.called("save_profile", profile);
      if (profile.baseUrl.startsWith("http://192.")) return { status: "impossible", message: "A server on another machine needs https://.", change: null };
      const profileId = profile.profileId ?? `p${stage.next()}`;
      const local = /^https?:\/\/(localhost|127\.)/.test(profile.baseUrl);
      const known = stage.world.app.settings.profiles.find((candidate) => candidate.profileId === profileId);
      const moved = known && new URL(known.baseUrl).host !== new URL(profile.baseUrl).host;
      const saved = { hasKey: false, keyPlace: null, ...(moved ? null : known), ...profile, profileId, local };
      const profiles = known ? stage.world.app.settings.profiles.map((candidate) => (candidate === known ? saved : candidate)) : [...stage.world.app.settings.profiles, saved];
      stage.settings({ profiles, activeProfileId: known ? stage.world.app.settings.activeProfileId : profileId });
      return { ...DONE, change: known && JSON.stringify(known) !== JSON.stringify({ ...known, ...saved }) ? changed.push({ before: known, after: saved }) - 1 : null };
    },
    async removeProfile(profileId: string): ReturnType<Backend["removeProfile"]> {
      stage.called("remove_profile", profileId);
      const before = stage.world.app.settings.profiles.find((profile) => profile.profileId === profileId);
      stage.settings({ profiles: stage.world.app.settings.profiles.filter((profile) => profile.profileId !== profileId) });
      return before ? changed.push({ before, after: null }) - 1 : null;
    },
    async restoreProfile(change: number): ReturnType<Backend["restoreProfile"]> {
      stage.called("restore_profile", change);
      const { before, after, replaced = false } = changed[change]!;
      const { profiles } = stage.world.app.settings;
      const now = profiles.find((profile) => profile.profileId === before.profileId);
      if (stage.consent !== "done") return { status: stage.consent, message: null, change: null };
      if (now?.baseUrl !== after?.baseUrl) throw { code: "later_change", message: "It was changed again since. Undo that first." };
      const back = { ...(now ?? before), ...Object.fromEntries(Object.entries(before).filter(([field, value]) => after?.[field as keyof ModelProfile] !== value)) };
      stage.settings({ profiles: now ? profiles.map((profile) => (profile === now ? back : profile)) : [...profiles, back] });
      const gone = now?.hasKey && (now.baseUrl !== before.baseUrl || replaced);
      return { ...DONE, change: now && gone ? changed.push({ before: now, after: back, replaced }) - 1 : null };
    },
    async selectModel(profileId: string, model: string): Promise<void> {
      stage.called("select_model", profileId, model);
      stage.settings({ activeProfileId: profileId, profiles: stage.world.app.settings.profiles.map((profile) => (profile.profileId === profileId ? { ...profile, model } : profile)) });
    },
    async saveKey(profileId: string, key: string, where: "keychain" | "memory" | "file"): Promise<number | null> {
      stage.called("save_key", profileId, key.length, where);
      const { profiles } = stage.world.app.settings;
      const before = profiles.find((profile) => profile.profileId === profileId)!;
      const after = { ...before, hasKey: true, keyPlace: where };
      stage.settings({ profiles: profiles.map((profile) => (profile === before ? after : profile)) });
      return before.hasKey ? changed.push({ before, after, replaced: true }) - 1 : null;
    },
    async removeKey(profileId: string): Promise<number> {
      stage.called("remove_key", profileId);
      const { profiles } = stage.world.app.settings;
      const before = profiles.find((profile) => profile.profileId === profileId)!;
      const after = { ...before, hasKey: false, keyPlace: null };
      stage.settings({ profiles: profiles.map((profile) => (profile === before ? after : profile)) });
      return changed.push({ before, after }) - 1;
    },
    async testConnection(profileId: string): ReturnType<Backend["testConnection"]> {
      stage.called("test_connection", profileId);
      const profile = stage.world.app.settings.profiles.find((candidate) => candidate.profileId === profileId);
      if (profile?.baseUrl.includes("11434")) return { ok: false, durationMs: 4, code: "connection_refused", message: "Can't reach http://localhost:11434 (connection refused). Is Ollama running?", tools: null };
      if (profile?.model === "") return { ok: false, durationMs: 80, code: "model_not_found", message: "The provider has no such model. Choose one from the model list.", tools: null };
      return { ok: true, durationMs: 312, code: null, message: `${profile?.name ?? ""} answers.`, tools: true };
    },
    async listModels(profileId: string): Promise<string[]> {
      stage.called("list_models", profileId);
      return ["qwen3:8b", "llama3.3:70b"];
    },
    async detectLocalServers(): ReturnType<Backend["detectLocalServers"]> {
      stage.called("detect_local_servers");
      await stage.rest(5);
      return stage.localServers;
    },
    async prices(): ReturnType<Backend["prices"]> {
      stage.called("prices");
      return { file: "~/.config/assent/prices.toml", rows, problem: null };
    },
    async savePrices(priced: Parameters<Backend["savePrices"]>[0]): Promise<void> {
      stage.called("save_prices", priced);
      rows = priced;
    },
  } satisfies Partial<Backend>;
}
