/** What is typed in the forms of profiles, where they are left and come back. */
import { fireEvent, render } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, expect, it, vi } from "vitest";
import type { ModelProfile } from "../backend/types";
import { FakeBackend } from "../backend/fake";
import { AppState } from "../shared/app.svelte";
import { Notices } from "../shared/notices.svelte";
import { withUi } from "../shared/with_ui.test_host";
import Models from "./Models.svelte";
import { openForms } from "./profile_draft.svelte";

afterEach(() => openForms.clear());

/** The section with DeepSeek's form open. */
async function opened() {
  const backend = new FakeBackend("demo", new URLSearchParams());
  const state = new AppState();
  const notices = new Notices();
  backend.listen((event) => event.type === "app" && (state.app = event.app));
  const settings = () => backend.world.app.settings;
  const section = render(withUi(Models, { backend, state, notices }), { settings: settings() });
  backend.listen((event) => {
    if (event.type !== "app") return;
    state.app = event.app;
    void section.rerender({ settings: event.app.settings });
  });
  const edit = async (): Promise<void> => {
    section.getByRole("button", { name: "Edit DeepSeek" }).click();
    await tick();
  };
  const field = (name: string) => section.getByLabelText(name) as HTMLInputElement;
  const type = (name: string, value: string) => fireEvent.input(field(name), { target: { value } });
  const press = (name: string): void => section.getByRole("button", { name }).click();
  /** Presses the button of the notice that begins so. */
  const answer = async (text: string): Promise<void> => {
    const notice = notices.list.find((candidate) => candidate.text.startsWith(text))!;
    notices.dismiss(notice.id);
    notice.action?.run();
    await tick();
  };
  const texts = (): string[] => notices.list.map(({ text }) => text);
  await edit();
  return { backend, section, notices, edit, field, type, press, answer, texts, profile: (): ModelProfile => settings().profiles.find(({ profileId }) => profileId === "deepseek")! };
}

const UNSAVED = "DeepSeek: what you typed isn't saved.";

it("what comes back goes by the profile as it is then", async () => {
  const { backend, field, type, press, answer, texts, profile } = await opened();
  const before = profile().baseUrl;
  await type("Address", "https://other.example/v1");
  press("Save");
  await vi.waitFor(() => expect(texts()).toEqual(["Saved."]));
  await type("Key", "k");
  await answer("Saved.");
  await vi.waitFor(() => expect(texts()).toContain(UNSAVED));
  expect(profile().baseUrl).toBe(before);
  await answer(UNSAVED);
  expect(field("Key").value).toBe("k");
  expect(field("Address").value).toBe(before);
  expect(backend.calls.some(({ name }) => name === "save_key")).toBe(false);
});

it("words that are typed where others come back aren't lost", async () => {
  const { edit, field, type, press, answer, texts } = await opened();
  await type("Model", "first");
  press("Close");
  await edit();
  await type("Model", "second");
  await answer(UNSAVED);
  expect(field("Model").value).toBe("first");
  expect(texts()).toEqual([UNSAVED]);
  await answer(UNSAVED);
  expect(field("Model").value).toBe("second");
});

it("nothing comes back to a profile that is gone", async () => {
  const { edit, type, press, answer } = await opened();
  await type("Model", "first");
  press("Close");
  await edit();
  press("Remove");
  await vi.waitFor(() => expect(openForms.size).toBe(0));
  await answer(UNSAVED);
  expect(openForms.size).toBe(0);
});

it("a typed key doesn't outlive the section being left, which is said", async () => {
  const { section, type, texts } = await opened();
  await type("Model", "first");
  await type("Key", "k");
  const draft = openForms.get("deepseek")!;
  section.unmount();
  expect(texts()).toEqual([`${UNSAVED} Type the key again.`]);
  expect(draft.key).toBe("");
  expect(openForms.get("deepseek")?.values.model).toBe("first");
});

it("only the newest save can be undone", async () => {
  const { type, press, notices, profile } = await opened();
  for (const [nth, model] of ["m2", "m3"].entries()) {
    await type("Model", model);
    press("Save");
    await vi.waitFor(() => expect(notices.list.map(({ id }) => id)).toEqual([nth]));
  }
  notices.list[0]?.action?.run();
  await vi.waitFor(() => expect(profile().model).toBe("m2"));
});
