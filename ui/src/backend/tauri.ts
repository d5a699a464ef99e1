/** The backend of the real app: each method is one Tauri command. The only file that imports `@tauri-apps`. */
import { Channel, invoke } from "@tauri-apps/api/core";
import { frameDrawn } from "../shared/frame";
import type { Backend } from "./backend";
import type { AppEvent } from "./types";

/** The stream as it was asked for before there was anybody to read it. */
let asked: Stream | null = null;

/** Asks for the stream before the rest of the window's code has run; what comes is kept for the reader. */
export function askForEvents(): void {
  asked = openStream();
}

export function tauriBackend(): Backend {
  // What is answered meanwhile would take its time from the first picture, which the first event brings.
  const picture = firstPicture();
  const ask = async <T>(command: string, values?: Record<string, unknown>): Promise<T> => {
    await picture.isDrawn;
    return invoke<T>(command, values);
  };
  return {
    subscribe(onEvent) {
      const stream = asked ?? openStream();
      asked = null;
      stream.read((event) => {
        onEvent(event);
        picture.begun();
      });
      return stream.opened;
    },

    pickWorkspace: () => ask("pick_workspace"),
    openWorkspace: (path) => ask("open_workspace", { path }),
    pinWorkspace: (path, pinned) => ask("pin_workspace", { path, pinned }),
    forgetWorkspace: (path) => ask("forget_workspace", { path }),
    trustWorkspace: () => ask("trust_workspace"),
    keepRestricted: (path) => ask("keep_restricted", { path }),
    distrustWorkspace: (path) => ask("distrust_workspace", { path }),
    trustProjectPolicy: () => ask("trust_project_policy"),
    distrustProjectPolicy: () => ask("distrust_project_policy"),
    setShellEnabled: (enabled) => ask("set_shell_enabled", { enabled }),
    setMode: (mode) => ask("set_mode", { mode }),
    searchFiles: (query, limit) => ask("search_files", { query, limit }),

    listSessions: (query) => ask("list_sessions", { query }),
    openSession: (sessionId) => ask("open_session", { sessionId }),
    olderItems: (sessionId, before) => ask("older_items", { sessionId, before }),
    renameSession: (sessionId, title) => ask("rename_session", { sessionId, title }),
    archiveSession: (sessionId, archived) => ask("archive_session", { sessionId, archived }),
    deleteSession: (sessionId) => ask("delete_session", { sessionId }),
    exportSession: (sessionId, format) => ask("export_session", { sessionId, format }),
    importSession: () => ask("import_session"),
    locateWorkspace: (sessionId) => ask("locate_workspace", { sessionId }),

    sendMessage: (message) => ask("send_message", { message }),
    stop: (sessionId) => ask("stop", { sessionId }),
    stopCommand: (callId) => ask("stop_command", { callId }),
    compactSession: (sessionId) => ask("compact_session", { sessionId }),
    undoCompaction: (sessionId) => ask("undo_compaction", { sessionId }),
    callArguments: (callId) => ask("call_arguments", { callId }),
    toolOutput: (callId, offset) => ask("tool_output", { callId, offset }),

    review: (approvalId) => ask("review", { approvalId }),
    deny: (approvalId, words) => ask("deny", { approvalId, words }),
    denyAll: () => ask("deny_all"),

    queryAudit: (filter, before, limit) => ask("query_audit", { filter, before, limit }),
    auditDetail: (seq) => ask("audit_detail", { seq }),
    auditRowOf: (callId) => ask("audit_row_of", { callId }),
    verifyAudit: () => ask("verify_audit"),
    stopVerify: () => ask("stop_verify"),
    exportAudit: (filter, format) => ask("export_audit", { filter, format }),
    auditMetrics: (filter) => ask("audit_metrics", { filter }),

    permissions: () => ask("permissions"),
    testPolicy: (tool, args) => ask("test_policy", { tool, args }),
    ruleCandidates: (callId) => ask("rule_candidates", { callId }),
    proposeRule: (callId, candidateId) => ask("propose_rule", { callId, candidateId }),
    revokeGrant: (grantId) => ask("revoke_grant", { grantId }),
    replayPolicy: (toml, limit) => ask("replay_policy", { toml, limit }),
    userPolicyText: () => ask("user_policy_text"),
    openPolicyFile: (layer) => ask("open_policy_file", { layer }),

    changes: (sessionId) => ask("changes", { sessionId }),
    changeDiff: (changeId) => ask("change_diff", { changeId }),
    undo: (changeId, evenIfChanged) => ask("undo", { changeId, evenIfChanged }),

    setSetting: (key, value) => ask("set_setting", { key, value }),
    saveProfile: (profile) => ask("save_profile", { profile }),
    removeProfile: (profileId) => ask("remove_profile", { profileId }),
    restoreProfile: (change) => ask("restore_profile", { change }),
    selectModel: (profileId, model) => ask("select_model", { profileId, model }),
    saveKey: (profileId, key, where) => ask("save_key", { profileId, key, where }),
    removeKey: (profileId) => ask("remove_key", { profileId }),
    testConnection: (profileId) => ask("test_connection", { profileId }),
    listModels: (profileId) => ask("list_models", { profileId }),
    detectLocalServers: () => ask("detect_local_servers"),
    prices: () => ask("prices"),
    savePrices: (rows) => ask("save_prices", { rows }),
    testSandbox: () => ask("test_sandbox"),
    deleteData: () => ask("delete_data"),

    openLink: (url) => ask("open_link", { url }),
    openPath: (path, how) => ask("open_path", { path, how }),
    openFolder: (which) => ask("open_folder", { which }),
    quit: () => ask("quit"),
    diagnostics: () => ask("diagnostics"),
    reportWindowError: (message) => invoke("report_window_error", { message }),
  };
}

interface Stream {
  /** Settles once the shell has taken the request. */
  opened: Promise<void>;
  /** What has come so far, at once, and everything from then on. */
  read: (onEvent: (event: AppEvent) => void) => void;
}

function openStream(): Stream {
  const early: AppEvent[] = [];
  const channel = new Channel<AppEvent>();
  channel.onmessage = (event) => early.push(event);
  const read = (onEvent: (event: AppEvent) => void): void => {
    channel.onmessage = onEvent;
    early.splice(0).forEach(onEvent);
  };
  return { opened: invoke("subscribe", { channel }), read };
}

/** `isDrawn` a frame after the first `begun`. */
function firstPicture(): { begun: () => void; isDrawn: Promise<void> } {
  let begun = (): void => {};
  const isDrawn = new Promise<void>((resolve) => (begun = resolve)).then(frameDrawn);
  return { begun, isDrawn };
}
