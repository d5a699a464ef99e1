/** The backend of the real app: each method is one Tauri command. The only file that imports `@tauri-apps`. */
import { Channel, invoke } from "@tauri-apps/api/core";
import type { Backend } from "./backend";
import type { AppEvent } from "./types";

export function tauriBackend(): Backend {
  return {
    subscribe(onEvent) {
      const channel = new Channel<AppEvent>();
      channel.onmessage = onEvent;
      return invoke("subscribe", { channel });
    },

    pickWorkspace: () => invoke("pick_workspace"),
    openWorkspace: (path) => invoke("open_workspace", { path }),
    pinWorkspace: (path, pinned) => invoke("pin_workspace", { path, pinned }),
    forgetWorkspace: (path) => invoke("forget_workspace", { path }),
    trustWorkspace: () => invoke("trust_workspace"),
    keepRestricted: (path) => invoke("keep_restricted", { path }),
    distrustWorkspace: (path) => invoke("distrust_workspace", { path }),
    trustProjectPolicy: () => invoke("trust_project_policy"),
    setShellEnabled: (enabled) => invoke("set_shell_enabled", { enabled }),
    setMode: (mode) => invoke("set_mode", { mode }),
    searchFiles: (query, limit) => invoke("search_files", { query, limit }),

    listSessions: (query) => invoke("list_sessions", { query }),
    openSession: (sessionId) => invoke("open_session", { sessionId }),
    olderItems: (sessionId, before) => invoke("older_items", { sessionId, before }),
    renameSession: (sessionId, title) => invoke("rename_session", { sessionId, title }),
    archiveSession: (sessionId, archived) => invoke("archive_session", { sessionId, archived }),
    deleteSession: (sessionId) => invoke("delete_session", { sessionId }),
    exportSession: (sessionId, format) => invoke("export_session", { sessionId, format }),
    importSession: () => invoke("import_session"),
    locateWorkspace: (sessionId) => invoke("locate_workspace", { sessionId }),

    sendMessage: (message) => invoke("send_message", { message }),
    stop: (sessionId) => invoke("stop", { sessionId }),
    stopCommand: (callId) => invoke("stop_command", { callId }),
    compactSession: (sessionId) => invoke("compact_session", { sessionId }),
    undoCompaction: (sessionId) => invoke("undo_compaction", { sessionId }),
    callArguments: (callId) => invoke("call_arguments", { callId }),
    toolOutput: (callId, offset) => invoke("tool_output", { callId, offset }),

    review: (approvalId) => invoke("review", { approvalId }),
    deny: (approvalId, words) => invoke("deny", { approvalId, words }),
    denyAll: () => invoke("deny_all"),

    queryAudit: (filter, before, limit) => invoke("query_audit", { filter, before, limit }),
    auditDetail: (seq) => invoke("audit_detail", { seq }),
    auditRowOf: (callId) => invoke("audit_row_of", { callId }),
    verifyAudit: () => invoke("verify_audit"),
    stopVerify: () => invoke("stop_verify"),
    exportAudit: (filter, format) => invoke("export_audit", { filter, format }),
    auditMetrics: (filter) => invoke("audit_metrics", { filter }),

    permissions: () => invoke("permissions"),
    testPolicy: (tool, args) => invoke("test_policy", { tool, args }),
    ruleCandidates: (callId) => invoke("rule_candidates", { callId }),
    proposeRule: (callId, candidateId) => invoke("propose_rule", { callId, candidateId }),
    revokeGrant: (grantId) => invoke("revoke_grant", { grantId }),
    replayPolicy: (toml, limit) => invoke("replay_policy", { toml, limit }),
    userPolicyText: () => invoke("user_policy_text"),
    openPolicyFile: (layer) => invoke("open_policy_file", { layer }),

    changes: (sessionId) => invoke("changes", { sessionId }),
    changeDiff: (changeId) => invoke("change_diff", { changeId }),
    undo: (changeId, evenIfChanged) => invoke("undo", { changeId, evenIfChanged }),

    setSetting: (key, value) => invoke("set_setting", { key, value }),
    saveProfile: (profile) => invoke("save_profile", { profile }),
    removeProfile: (profileId) => invoke("remove_profile", { profileId }),
    restoreProfile: (profileId) => invoke("restore_profile", { profileId }),
    selectModel: (profileId, model) => invoke("select_model", { profileId, model }),
    saveKey: (profileId, key, where) => invoke("save_key", { profileId, key, where }),
    removeKey: (profileId) => invoke("remove_key", { profileId }),
    testConnection: (profileId) => invoke("test_connection", { profileId }),
    listModels: (profileId) => invoke("list_models", { profileId }),
    detectLocalServers: () => invoke("detect_local_servers"),
    prices: () => invoke("prices"),
    savePrices: (rows) => invoke("save_prices", { rows }),
    testSandbox: () => invoke("test_sandbox"),
    deleteData: () => invoke("delete_data"),

    openLink: (url) => invoke("open_link", { url }),
    openPath: (path, how) => invoke("open_path", { path, how }),
    openFolder: (which) => invoke("open_folder", { which }),
    diagnostics: () => invoke("diagnostics"),
    reportWindowError: (message) => invoke("report_window_error", { message }),
  };
}
