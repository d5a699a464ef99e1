/** What decides, and the commands for it. */
import type { Backend } from "../backend";
import type { Asked, Permissions } from "../types";
import { DAY, MINUTE } from "./clock";
import { SHOP } from "./folders";
import type { Stage } from "./stage";

export function permissions(stage: Stage) {
  function projectPolicy(trusted: boolean): void {
    const layers = stage.world.permissions.layers.map((layer) =>
      layer.name !== "project" ? layer : { ...layer, state: trusted ? ("in_force" as const) : ("only_tightens" as const), rules: layer.rules.map((rule) => ({ ...rule, inForce: trusted || rule.behavior !== "allow" })) },
    );
    stage.world.permissions = { ...stage.world.permissions, layers };
    stage.emit({ type: "permissions_changed" });
  }

  return {
    async trustProjectPolicy(): Promise<Asked> {
      stage.called("trust_project_policy");
      if (stage.consent === "done") projectPolicy(true);
      return { status: stage.consent, message: null };
    },
    async distrustProjectPolicy(): Promise<void> {
      stage.called("distrust_project_policy");
      projectPolicy(false);
    },
    async permissions(): ReturnType<Backend["permissions"]> {
      stage.called("permissions");
      return { ...stage.world.permissions, mode: stage.world.app.mode };
    },
    async testPolicy(tool: string, args: string): ReturnType<Backend["testPolicy"]> {
      stage.called("test_policy", tool, args);
      try {
        JSON.parse(args);
      } catch {
        throw { code: "invalid_json", message: "The arguments are not a JSON object." };
      }
      const deny = args.includes("sudo");
      const read = !deny && (tool !== "shell" || args.includes("git status")) && !tool.includes("write") && !tool.includes("edit");
      const behavior = deny ? "deny" : read ? "allow" : "ask";
      const source = deny ? "hard-deny" : read ? "default" : "shell-default";
      const reason = deny ? "sudo asks for administrator rights; no rule allows that." : read ? "Proven read-only." : "Commands that can write need you.";
      return { behavior, source, reason, risk: { level: deny ? "critical" : read ? "low" : "high", sentence: read ? "Reads files of the workspace." : "Runs a program that may change the workspace." }, errorCode: deny ? "permission_denied" : null, verdicts: [{ source, behavior, reason }], display: behavior === "ask" ? ["Run a command?", "Workspace   ~/code/shop"] : [] };
    },
    async ruleCandidates(callId: string): ReturnType<Backend["ruleCandidates"]> {
      stage.called("rule_candidates", callId);
      return [
        { candidateId: "k1", scope: "session", text: "cargo test --test checkout", refused: null },
        { candidateId: "k2", scope: "rule", text: '[[rules]]\nname = "cargo-test"\nbehavior = "allow"\ntools = ["shell"]\ncommands = ["cargo test *"]', refused: null },
        { candidateId: "k3", scope: "rule", text: 'commands = ["cargo *"]', refused: "Too broad: cargo can run any program." },
      ];
    },
    async proposeRule(callId: string, candidateId: string): Promise<Asked> {
      stage.called("propose_rule", callId, candidateId);
      return { status: stage.consent, message: null };
    },
    async revokeGrant(grantId: string): Promise<void> {
      stage.called("revoke_grant", grantId);
      stage.world.permissions = { ...stage.world.permissions, grants: stage.world.permissions.grants.filter((grant) => grant.grantId !== grantId) };
      stage.emit({ type: "permissions_changed" });
    },
    async replayPolicy(toml: string, limit: number): ReturnType<Backend["replayPolicy"]> {
      stage.called("replay_policy", toml, limit);
      const row = stage.world.audit[3];
      return { judged: 1_000, changes: row ? [{ row, before: "ask", after: "allow" }] : [], problem: null };
    },
    async userPolicyText(): Promise<string> {
      stage.called("user_policy_text");
      return 'version = 1\n\n[[rules]]\nname = "no-push"\nbehavior = "deny"\ntools = ["shell"]\ncommands = ["git push *"]\nreason = "Pushing is done by hand."\n';
    },
    async openPolicyFile(layer: string): Promise<void> {
      stage.called("open_policy_file", layer);
    },
  } satisfies Partial<Backend>;
}

export function demoPermissions(now: number, zh: boolean): Permissions {
  return {
    mode: "balanced",
    policyVersion: "b41f0a6e",
    layers: [
      { name: "managed", path: "/etc/assent/policy.toml", state: "absent", problem: null, rules: [] },
      {
        name: "user", path: "~/.config/assent/policy.toml", state: "in_force", problem: null,
        rules: [
          { name: "no-push", behavior: "deny", tools: ["shell"], commands: ["git push *"], paths: [], reason: zh ? "推送由我自己来。" : "Pushing is done by hand.", inForce: true },
          { name: "docs-are-free", behavior: "allow", tools: ["write_file", "edit_file"], commands: [], paths: ["docs/**"], reason: "", inForce: true },
        ],
      },
      {
        name: "project", path: "~/code/shop/.assent/policy.toml", state: "only_tightens", problem: null,
        rules: [
          { name: "migrations-ask", behavior: "ask", tools: ["write_file", "edit_file"], commands: [], paths: ["migrations/**"], reason: zh ? "迁移会上线。" : "Migrations go live.", inForce: true },
          { name: "tests-run", behavior: "allow", tools: ["shell"], commands: ["cargo test *"], paths: [], reason: "", inForce: false },
        ],
      },
      { name: "session", path: null, state: "in_force", problem: null, rules: [] },
    ],
    grants: [
      { grantId: "g1", text: "cargo test --test checkout", scope: "session", sessionId: "s1", originCallId: "c2", createdMs: now - 40 * MINUTE, lastUsedMs: now - 2 * MINUTE, uses: 4, expiresMs: null },
    ],
    protectedPaths: [".git/**", ".github/workflows/**", ".vscode/**", ".husky/**", ".cargo/**", ".envrc", ".npmrc"],
    sensitiveReads: [".env*", "**/*.pem", "~/.ssh/**", "~/.aws/**", ".git/config"],
    hardDenies: zh ? ["删除根目录或主目录", "sudo、su、doas", "关机、重启", "写入磁盘设备"] : ["deleting the root or the home folder", "sudo, su, doas", "shutdown, reboot", "writing onto a disk device"],
    readFolders: ["~/docs"],
    trustedFolders: [{ path: SHOP.path, display: SHOP.display, sinceMs: now - 3 * DAY }],
    hooks: [],
  };
}
