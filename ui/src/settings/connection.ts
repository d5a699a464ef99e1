/** How a profile's server is reached beyond its address. */
import type { ModelProfile, ProfileInput } from "../backend/types";

/** The settings of `profile`; the plain ones for a new one. */
export function connectionOf(profile: ModelProfile | undefined): Pick<ProfileInput, "contextWindow" | "proxy" | "caFile" | "headers"> {
  const { contextWindow = null, proxy = "", caFile = "", headers = [] } = profile ?? {};
  return { contextWindow, proxy, caFile, headers };
}
