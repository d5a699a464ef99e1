/** The way back from a choice. */
import { expect, it, vi } from "vitest";
import { FakeBackend } from "../backend/fake";
import { AppState } from "./app.svelte";
import { chooseModel } from "./choices";
import { Navigation } from "./navigation.svelte";
import { Notices } from "./notices.svelte";

/** DeepSeek is chosen, which was Ollama, with another model of it. */
async function chosen() {
  const backend = new FakeBackend("demo", new URLSearchParams());
  const state = new AppState();
  const notices = new Notices();
  backend.listen((event) => event.type === "app" && (state.app = event.app));
  await chooseModel({ backend, state, notices, navigation: new Navigation() }, () => backend.selectModel("deepseek", "chosen"));
  const undo = (): void => notices.list.at(-1)?.action?.run();
  const said = (text: string) => vi.waitFor(() => expect(notices.list.at(-1)?.text).toBe(text));
  const modelOf = (id: string) => state.app?.settings.profiles.find(({ profileId }) => profileId === id)?.model;
  await said("Model: chosen");
  return { backend, state, undo, said, modelOf };
}

it("a model that was chosen can be undone, with what it was before", async () => {
  const { state, undo, modelOf } = await chosen();
  undo();
  await vi.waitFor(() => expect(state.profile?.profileId).toBe("ollama"));
  expect(modelOf("deepseek")).toBe("deepseek-chat");
});

it("what was set otherwise since isn't", async () => {
  const { backend, undo, said, modelOf } = await chosen();
  await backend.selectModel("deepseek", "later");
  undo();
  await said("Nothing was undone.");
  expect(modelOf("deepseek")).toBe("later");
});

it("nor is there a way back to a profile that is gone", async () => {
  const { backend, state, undo, said, modelOf } = await chosen();
  await backend.removeProfile("ollama");
  undo();
  await said("Nothing was undone.");
  expect([state.profile?.profileId, modelOf("deepseek")]).toEqual(["deepseek", "chosen"]);
});
