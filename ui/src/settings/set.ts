/** How a section of the settings changes a simple value. */
import type { Settings, SimpleSetting } from "../backend/types";

export type SetSetting = <K extends SimpleSetting>(field: HTMLInputElement | HTMLSelectElement, key: K, value: Settings[K]) => Promise<void>;
