import { fireEvent, render, screen } from "@testing-library/svelte";
import { expect, it, vi } from "vitest";
import { FakeBackend } from "../backend/fake";
import { Notices } from "../shared/notices.svelte";
import { withUi } from "../shared/with_ui.test_host";
import SessionRow from "./SessionRow.svelte";
import { Sessions } from "./sessions.svelte";

it("lists so many, says that there may be more, and lists those when asked", async () => {
  const backend = new FakeBackend("demo", new URLSearchParams());
  const one = backend.world.sessions[0]!;
  const listSessions = vi.spyOn(backend, "listSessions").mockImplementation(async ({ limit }) => Array.from({ length: Math.min(limit, 450) }, (_, n) => ({ ...one, sessionId: `s${n}` })));
  const store = new Sessions(backend, new Notices());
  await store.load();
  expect([store.list.length, store.more]).toEqual([300, true]);
  await store.loadMore();
  expect([store.list.length, store.more]).toEqual([450, false]);
  expect(listSessions.mock.calls.map(([query]) => query.limit)).toEqual([300, 600]);
});

it("is said to be archived only where it was", async () => {
  const backend = new FakeBackend("demo", new URLSearchParams());
  const notices = new Notices();
  const session = backend.world.sessions[0]!;
  render(withUi(SessionRow, { backend, notices }), { session, store: new Sessions(backend, notices), current: false, onopen: () => undefined });
  const archive = async (): Promise<void> => {
    await fireEvent.click(screen.getByRole("button", { name: `More: ${session.title}` }));
    await fireEvent.click(screen.getByText("Archive"));
  };
  backend.failNext("archive_session", "io", "The disk is full.");
  await archive();
  await vi.waitFor(() => expect(notices.list.map((notice) => notice.text)).toEqual(["The disk is full."]));
  await archive();
  await vi.waitFor(() => expect(notices.list.map((notice) => notice.text)).toEqual(["The disk is full.", "The session was archived."]));
});
