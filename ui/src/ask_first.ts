/** Imported first: what the window paints from is on its way while everything else is set up. */
import { askForEvents } from "./backend/tauri";

if ("__TAURI_INTERNALS__" in window) askForEvents();
