/** What no first picture needs: loaded as one once that is drawn, so that opening any of it waits for nothing. */
export { default as ApprovalsPanel } from "../approvals/ApprovalsPanel.svelte";
export { default as WaitingBar } from "../approvals/WaitingBar.svelte";
export { default as AuditPanel } from "../audit/AuditPanel.svelte";
export { default as ChangesPanel } from "../changes/ChangesPanel.svelte";
export { default as Transcript } from "../chat/Transcript.svelte";
export { default as PermissionsPanel } from "../permissions/PermissionsPanel.svelte";
export { default as SettingsDialog } from "../settings/SettingsDialog.svelte";
export { default as CommandPalette } from "./CommandPalette.svelte";
export { default as ShortcutSheet } from "./ShortcutSheet.svelte";
