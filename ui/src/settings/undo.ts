/** Taking back what was done to a profile, with the key that went with it. */
import { t } from "../i18n/index.svelte";
import type { Ui } from "../shared/context";
import { codeOf, type Notice } from "../shared/notices.svelte";

type Way = Pick<Ui, "backend" | "notices">;

/** The button that takes `change` back, and then does `then`; null where there is nothing to take back. */
export function undoOf(ui: Way, change: number | null, then = (): void => {}): Notice["action"] {
  return change === null ? null : { label: t("action.undo"), run: () => void takeBack(ui, change, then) };
}

async function takeBack(ui: Way, change: number, then: () => void): Promise<void> {
  const { backend, notices } = ui;
  try {
    const { status, change: gone } = await backend.restoreProfile(change);
    // Its question was answered with no: it can be asked again.
    if (status === "declined") return notices.say(t("models.not_undone"), undoOf(ui, change, then));
    then();
    if (gone !== null) notices.say(t("models.key_gone"), undoOf(ui, gone, then));
  } catch (error) {
    // What stands in the way can be mended, or taken back, first.
    notices.fail(error, codeOf(error) === "not_found" ? null : undoOf(ui, change, then));
  }
}
