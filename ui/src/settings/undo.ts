/** Taking back what was done to a profile, with the key that went with it. */
import { t } from "../i18n/index.svelte";
import type { Ui } from "../shared/context";
import { codeOf, type Notice } from "../shared/notices.svelte";

type Way = Pick<Ui, "backend" | "notices">;

/** The button that takes `change` back, and then does `then`; null where there is nothing to take back. What that says is said of `about`. */
export function undoOf(ui: Way, change: number | null, about?: string, then = (): void => {}): Notice["action"] {
  return change === null ? null : { label: t("action.undo"), run: () => void takeBack(ui, change, about, then) };
}

/** Says that something changed, with the way back. That of an older change of `about` goes; it stays where there is nothing to take back. */
export function sayChanged(ui: Way, text: string, change: number | null, about?: string, then?: () => void): void {
  ui.notices.say(text, undoOf(ui, change, about, then), change === null ? undefined : about);
}

async function takeBack(ui: Way, change: number, about: string | undefined, then: () => void): Promise<void> {
  const { backend, notices } = ui;
  try {
    const { status, change: gone } = await backend.restoreProfile(change);
    // Its question was answered with no: it can be asked again.
    if (status === "declined") return sayChanged(ui, t("models.not_undone"), change, about, then);
    then();
    if (gone !== null) sayChanged(ui, t("models.key_gone"), gone, about, then);
  } catch (error) {
    // What stands in the way can be mended, or taken back, first.
    notices.fail(error, codeOf(error) === "not_found" ? null : undoOf(ui, change, about, then), about);
  }
}
