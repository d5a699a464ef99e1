/** What is typed in the forms of profiles. It outlives the settings being closed, until it is saved or thrown away. */
import { SvelteMap } from "svelte/reactivity";
import type { KeyPlace, ModelProfile, ProfileInput, ProviderKind } from "../backend/types";

interface Values {
  name: string;
  kind: ProviderKind;
  baseUrl: string;
  model: string;
  contextWindow: number | null;
  withoutTools: boolean;
  proxy: string;
  caFile: string;
  headers: string;
}

export class ProfileDraft {
  values: Values;
  key = $state("");
  where = $state<KeyPlace>("keychain");
  #kept: Values;

  constructor(profile: ModelProfile | null) {
    this.#kept = valuesOf(profile);
    this.values = $state({ ...this.#kept });
  }

  /** Something is typed that isn't saved. */
  get dirty(): boolean {
    return this.key !== "" || this.changed;
  }

  /** The same, but for the key. */
  get changed(): boolean {
    return JSON.stringify(this.values) !== JSON.stringify(this.#kept);
  }

  /** `values` are what counts now. */
  saved(values: Values): void {
    this.#kept = values;
  }

  /** Takes what changed elsewhere, but where something is typed. */
  follow(profile: ModelProfile): void {
    const now = valuesOf(profile);
    const untouched = Object.entries(now).filter(([field]) => this.values[field as keyof Values] === this.#kept[field as keyof Values]);
    Object.assign(this.values, Object.fromEntries(untouched));
    this.#kept = now;
  }

  input(profileId: string | null): ProfileInput {
    const { name, kind, baseUrl, model, contextWindow, withoutTools, proxy, caFile, headers } = this.values;
    return { profileId, name: name.trim() || baseUrl, kind, baseUrl: baseUrl.trim(), model: model.trim(), contextWindow, withoutTools, proxy: proxy.trim(), caFile: caFile.trim(), headers: headersOf(headers) };
  }
}

/** The forms that are open, by profile; that of a new one under "". */
export const openForms = new SvelteMap<string, ProfileDraft>();

function valuesOf(profile: ModelProfile | null): Values {
  const { name = "", kind = "chat_completions", baseUrl = "", model = "", contextWindow = null, withoutTools = false, proxy = "", caFile = "", headers = [] } = profile ?? {};
  return { name, kind, baseUrl, model, contextWindow, withoutTools, proxy, caFile, headers: headers.map((header) => `${header.name}: ${header.value}`).join("\n") };
}

/** One header a line, `Name: value`; a line that is none has no name. */
function headersOf(text: string): { name: string; value: string }[] {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  return lines.map((line) => {
    const at = line.indexOf(":");
    return at > 0 ? { name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() } : { name: "", value: line };
  });
}
