/** The commands that reach out of the window. */
import type { Backend } from "../backend";
import type { Asked } from "../types";
import { DONE, type Stage } from "./stage";

/** The commands that reach out of the window. */
export function outside(stage: Stage) {
  return {
    async openLink(url: string): Promise<Asked> {
      stage.called("open_link", url);
      return DONE;
    },
    async openPath(path: string, how: string): Promise<void> {
      stage.called("open_path", path, how);
    },
    async quit(): Promise<void> {
      stage.called("quit");
    },
    async openFolder(which: string): Promise<void> {
      stage.called("open_folder", which);
    },
    async diagnostics(): Promise<string> {
      stage.called("diagnostics");
      return "Assent 0.1.0, linux\nsandbox: in force";
    },
    async reportWindowError(message: string): Promise<void> {
      stage.called("report_window_error", message);
    },
  } satisfies Partial<Backend>;
}
