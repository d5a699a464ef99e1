/** Copies what helps to find out why something failed; the shell leaves out secrets, messages and arguments. */
import { t } from "../i18n/index.svelte";
import { copyText } from "./clipboard";
import type { Ui } from "./context";

/** `first` stands above the rest: what the window itself knows. */
export async function copyDiagnostics({ backend, notices }: Pick<Ui, "backend" | "notices">, first = ""): Promise<void> {
  const text = await notices.attempt(backend.diagnostics());
  if (text === undefined) return;
  if (await copyText(first === "" ? text : `${first}\n\n${text}`)) notices.say(t("settings.diagnostics_copied"));
  else notices.fail({ message: t("error.copy") });
}
