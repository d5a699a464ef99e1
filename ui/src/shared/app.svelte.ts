/** What the shell last said about the window as a whole. */
import type { App, ModelProfile } from "../backend/types";

export class AppState {
  /** null until the first `app` event. */
  app = $state.raw<App | null>(null);
  /** Why the shell can't be reached; null while it can. */
  lost = $state<string | null>(null);

  get profile(): ModelProfile | null {
    const settings = this.app?.settings;
    return settings?.profiles.find((profile) => profile.profileId === settings.activeProfileId) ?? null;
  }

  /** Waits until the shell has said something that answers a command; undefined where it doesn't within two seconds. */
  async find<T>(what: (app: App) => T | undefined): Promise<T | undefined> {
    for (let tries = 0; tries < 80; tries++) {
      const found = this.app ? what(this.app) : undefined;
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    return undefined;
  }

  /** A folder is open that nobody has trusted yet. */
  get restricted(): boolean {
    const workspace = this.app?.workspace;
    return workspace !== null && workspace !== undefined && !workspace.trusted;
  }
}
