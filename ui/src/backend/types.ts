/**
 * View-models: everything that crosses between the shell (`src-tauri/src/view`) and the window.
 *
 * Plain JSON, camelCase fields, snake_case tags. Times are Unix milliseconds (UTC), sizes are bytes,
 * durations milliseconds. Every string that may carry model, workspace or program text arrives escaped by the
 * one escaper of the core (no control, bidi or invisible characters), except `text` of messages, `output`
 * chunks and diff lines, which the window renders inertly. Sentences for people (`sentence`, `message`,
 * `reason`) arrive in the language of the settings where the core knows it, in English otherwise.
 */
export type * from "./types/app";
export type * from "./types/approval";
export type * from "./types/audit";
export type * from "./types/call";
export type * from "./types/change";
export type * from "./types/event";
export type * from "./types/model";
export type * from "./types/permissions";
export type * from "./types/session";
