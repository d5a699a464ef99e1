/** The palette acts on what the person sees. */
import { fireEvent, render } from "@testing-library/svelte";
import { tick } from "svelte";
import { expect, it, vi } from "vitest";
import { FakeBackend } from "../backend/fake";
import type { SessionSummary } from "../backend/types";
import type { Command } from "../shared/commands";
import { withUi } from "../shared/with_ui.test_host";
import CommandPalette from "./CommandPalette.svelte";

const session = (sessionId: string, title: string, archived = false): SessionSummary => ({ sessionId, title, workspace: "/w", workspaceDisplay: "/w", createdMs: 0, updatedMs: 0, running: false, waiting: 0, archived, readOnly: null });

it("has the known sessions at once, and Enter opens the row that was there when the others came", async () => {
  HTMLDialogElement.prototype.showModal ??= () => undefined;
  HTMLDialogElement.prototype.close ??= () => undefined;
  const backend = new FakeBackend("empty", new URLSearchParams());
  let answer: (list: SessionSummary[]) => void = () => undefined;
  backend.listSessions = () => new Promise((resolve) => (answer = resolve));
  const command: Command = { id: "audit", title: "command.audit", icon: "list", enabled: () => true, run: () => undefined };
  const onopen = vi.fn();
  const props = { commands: [command], known: [session("a", "Tax of the year"), session("b", "Tax, put away", true)], takeEarly: () => "", onopen };
  const { container } = render(withUi(CommandPalette, { backend }), props);
  const query = container.querySelector("input") as HTMLInputElement;
  const rows = (): (string | null | undefined)[] => [...container.querySelectorAll("[role=option]")].map((row) => row.querySelector(".text")?.textContent?.trim());
  const active = (): string | null | undefined => container.querySelector("[aria-selected=true] .text")?.textContent?.trim();
  await fireEvent.input(query, { target: { value: "tax" } });
  expect([rows(), active()]).toEqual([["Tax of the year"], "Tax of the year"]);
  answer([session("c", "Tax"), session("a", "Tax of the year")]);
  await expect.poll(rows).toEqual(["Tax", "Tax of the year"]);
  expect([active(), query.getAttribute("aria-activedescendant")]).toEqual(["Tax of the year", "palette-1"]);
  await fireEvent.keyDown(query, { key: "Enter" });
  await tick();
  expect(onopen).toHaveBeenCalledWith(expect.objectContaining({ sessionId: "a" }));
});
