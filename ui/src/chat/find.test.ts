/** The find bar stays where the person is while the chat goes on. */
import { fireEvent, render } from "@testing-library/svelte";
import { tick } from "svelte";
import { expect, it, vi } from "vitest";
import { FakeBackend } from "../backend/fake";
import type { SessionSummary, TranscriptItem } from "../backend/types";
import { Notices } from "../shared/notices.svelte";
import { Conversation } from "./conversation.svelte";
import FindBar from "./FindBar.svelte";

const item = (n: number, text: string): TranscriptItem => ({ kind: "user", itemId: `u${n}`, timeMs: 0, text, mentions: [], attachments: [] });

async function searching(items: TranscriptItem[], query: string) {
  const backend = new FakeBackend("empty", new URLSearchParams());
  const store = new Conversation(backend, new Notices());
  const session: SessionSummary = { sessionId: "s", title: "t", workspace: "/w", workspaceDisplay: "/w", createdMs: 0, updatedMs: 0, running: false, waiting: 0, archived: false, readOnly: null };
  backend.world.transcripts.set("s", items);
  const from = Math.max(0, items.length - 200);
  const usage = store.usage;
  store.handle({ type: "session_opened", transcript: { session, items: items.slice(from), before: from > 0 ? String(from) : null, usage } });
  const onreveal = vi.fn(async (_: number) => undefined);
  const bar = render(FindBar, { store, scroller: document.body, onreveal, onclose: () => undefined });
  await fireEvent.input(bar.getByRole("textbox"), { target: { value: query } });
  const shown = (): string | undefined => store.entries[onreveal.mock.lastCall?.[0] ?? -1]?.itemId;
  return { store, bar, onreveal, shown };
}

it("a new entry doesn't move it, and the next step starts from what is shown", async () => {
  const { store, bar, onreveal, shown } = await searching([item(1, "tax"), item(2, "tax"), item(3, "x"), item(4, "tax")], "tax");
  expect(shown()).toBe("u4");
  await fireEvent.click(bar.getByLabelText("Previous"));
  expect(shown()).toBe("u2");
  const count = onreveal.mock.calls.length;
  store.handle({ type: "item_added", sessionId: "s", item: item(5, "more tax") });
  await tick();
  expect(onreveal).toHaveBeenCalledTimes(count);
  expect(bar.getByRole("status").textContent).toBe("2 of 4");
  await fireEvent.click(bar.getByLabelText("Previous"));
  expect(shown()).toBe("u1");
});

it("offers the parts that are not loaded, and goes to what they hold", async () => {
  const items = Array.from({ length: 700 }, (_, n) => item(n, n === 250 ? "the tax" : "x"));
  const { bar, shown } = await searching(items, "tax");
  expect(bar.getByRole("status").textContent).toBe("Not found");
  await fireEvent.click(bar.getByText("Search earlier parts"));
  await vi.waitFor(() => expect(shown()).toBe("u250"));
  expect(bar.getByText("1 of 1")).toBeTruthy();
});
