/** Runs first: what the window paints from is on its way while the window's own code is still read. */
import { askForEvents } from "./backend/tauri";

if ("__TAURI_INTERNALS__" in window) askForEvents();
void import("./main");
