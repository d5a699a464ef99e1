/** What decides in the scripted world. */
import type { Permissions } from "../types";
import { DAY, MINUTE } from "./clock";
import { SHOP } from "./folders";

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
