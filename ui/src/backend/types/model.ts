/** Models: profiles, keys, servers, prices. */
import type { Asked } from "./app";

export type ProviderKind = "tour" | "chat_completions" | "anthropic";

/** Where a key is kept. */
export type KeyPlace = "keychain" | "file" | "memory";

export interface ModelProfile {
  profileId: string;
  name: string;
  kind: ProviderKind;
  /** Empty for the tour. */
  baseUrl: string;
  model: string;
  hasKey: boolean;
  /** Where the key lives; null without one. */
  keyPlace: KeyPlace | null;
  /** Loopback host: nothing leaves the machine. */
  local: boolean;
  /** The model's window in tokens, where the person says so; null = what is known of the model. */
  contextWindow: number | null;
  /** It is offered no tools: it is only talked to. */
  withoutTools: boolean;
  /** Empty = the system's. */
  proxy: string;
  /** Path of a PEM file that is trusted beside the system's certificates; empty = none. */
  caFile: string;
  /** Sent with each request, kept in clear in the settings file. */
  headers: Header[];
}

export interface Header {
  name: string;
  value: string;
}

export interface ProfileInput {
  /** null makes a new one. */
  profileId: string | null;
  name: string;
  kind: ProviderKind;
  baseUrl: string;
  model: string;
  contextWindow: number | null;
  withoutTools: boolean;
  proxy: string;
  caFile: string;
  headers: Header[];
}

/** The answer to saving a profile. */
export interface SavedProfile extends Asked {
  /** What takes it back; null where nothing was changed, or it is new. */
  change: number | null;
}

export interface DetectedServer {
  /** "Ollama", "LM Studio", "llama.cpp", "vLLM" */
  name: string;
  baseUrl: string;
  models: string[];
}

export interface ConnectionTest {
  ok: boolean;
  durationMs: number;
  code: string | null;
  /** What happened, where, what to do. */
  message: string;
  /** Whether the model answered with a tool call; null when not tried. */
  tools: boolean | null;
}

/** Dollars per million tokens. `model` may end in `*`: any ending, the longest match counts. */
export interface Price {
  model: string;
  input: number;
  output: number;
}

export interface Prices {
  file: string;
  rows: Price[];
  /** Why the file doesn't count, null when it does. */
  problem: string | null;
}
