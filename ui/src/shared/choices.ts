/** Choices that count at once: each is said, with the way back. */
import type { Mode } from "../backend/types";
import { t } from "../i18n/index.svelte";
import type { Ui } from "./context";
import type { Notice } from "./notices.svelte";

/** Tightens at once; what loosens is asked natively, also on the way back. */
export async function chooseMode(ui: Ui, mode: Mode): Promise<void> {
  const { backend, notices, state } = ui;
  const before = state.app?.mode;
  if (before === undefined || before === mode || !(await notices.done(backend.setMode(mode)))) return;
  const undo = undoBy(ui, "mode", () => notices.done(backend.setMode(before)));
  notices.say(t("mode.current", { mode: t(`mode.${mode}`) }), undo, "mode");
}

/** Switches commands on or off in the open folder. */
export async function switchShell(ui: Ui, enabled: boolean): Promise<void> {
  const { backend, notices, state } = ui;
  const path = state.app?.workspace?.path;
  if (!(await notices.done(backend.setShellEnabled(enabled)))) return;
  // It is of that folder: another one that is open by then stays as it is.
  const undo = undoBy(ui, "shell", async () => state.app?.workspace?.path === path && (await notices.done(backend.setShellEnabled(!enabled))));
  notices.say(t("settings.changed"), undo, "shell");
}

/** Does what chooses a model, and says which one is used once that is another. */
export async function chooseModel(ui: Ui, choose: () => Promise<unknown>): Promise<void> {
  const { backend, notices, state } = ui;
  const { profile: before } = state;
  const profiles = state.app?.settings.profiles ?? [];
  await notices.attempt(choose());
  // Another model for the reviewer is asked natively: with a no it is the old one.
  const chosen = await state.find(() => {
    const { profile } = state;
    return profile && (profile.profileId !== before?.profileId || profile.model !== before.model) ? profile : undefined;
  });
  if (!chosen) return;
  const other = profiles.find((profile) => profile.profileId === chosen.profileId);
  const back = async (): Promise<boolean> => {
    const now = state.profile;
    const old = state.app?.settings.profiles.find((profile) => profile.profileId === before?.profileId);
    // What was set otherwise since stays.
    if (!old || now?.profileId !== chosen.profileId || now.model !== chosen.model) return false;
    for (const profile of other === before ? [before] : [other, old]) if (profile) await backend.selectModel(profile.profileId, profile.model);
    return true;
  };
  const name = chosen.kind === "tour" ? t("models.tour") : chosen.model || chosen.name;
  notices.say(t("models.current", { model: name }), before && undoBy(ui, "model", async () => (await notices.attempt(back())) ?? false), "model");
}

/** The button that takes a choice back. It is offered again where its question is answered with no. */
export function undoBy(ui: Ui, about: string, back: () => Promise<boolean>): NonNullable<Notice["action"]> {
  const run = async (): Promise<void> => {
    if (!(await back())) ui.notices.say(t("models.not_undone"), undoBy(ui, about, back), about);
  };
  return { label: t("action.undo"), run: () => void run() };
}
