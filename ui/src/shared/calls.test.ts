import { expect, it } from "vitest";
import type { Workspace } from "../backend/types";
import { wayOut } from "./calls";

const folder = (trusted: boolean): Workspace => ({ path: "/home/ada/shop", display: "~/shop", name: "shop", openedAs: null, exists: true, trusted, shellEnabled: false, keptRestricted: true, pinned: false, lastUsedMs: 0, projectPolicy: "absent" });

/** A card offers what would help: a rule can't lift what is off for the whole folder. */
it.each([
  ["hard-deny", "deny", folder(true), null],
  ["workspace-boundary", "deny", folder(true), null],
  ["shell-default", "deny", folder(false), "trust"],
  ["shell-default", "deny", folder(true), "shell_switch"],
  ["shell-default", "deny", null, null],
  ["shell-default", "ask", folder(true), "rule"],
  ["dialog", "deny", folder(false), "rule"],
  ["rules:mine", "deny", folder(false), "rule"],
] as const)("what lets a call through that %s answered with %s", (source, behavior, workspace, way) => {
  expect(wayOut(source, behavior, workspace)).toBe(way);
});
