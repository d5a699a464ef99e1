import { fireEvent, render } from "@testing-library/svelte";
import { tick } from "svelte";
import { expect, it, vi } from "vitest";
import type { Backend } from "../backend/backend";
import { FakeBackend } from "../backend/fake";
import { Notices } from "../shared/notices.svelte";
import { withUi } from "../shared/with_ui.test_host";
import ProfileForm from "./ProfileForm.svelte";

it("a key is deleted once, however often one presses while the keychain takes its time", async () => {
  const [profile] = new FakeBackend("demo", new URLSearchParams()).world.app.settings.profiles;
  let removed = (_change: number): void => {};
  const removeKey = vi.fn(() => new Promise<number>((resolve) => (removed = resolve)));
  const backend = { removeKey } as unknown as Backend;
  const form = render(withUi(ProfileForm, { backend }), { profile: { ...profile, hasKey: true } as never, onclose: () => {} });
  const button = form.getByRole("button", { name: "Delete the key" });
  button.click();
  await tick();
  button.click();
  expect(removeKey).toHaveBeenCalledOnce();
  removed(1);
  await vi.waitFor(() => expect(button.hasAttribute("disabled")).toBe(false));
});

/** The form of a profile with a key, and the newest notice with its Undo. */
function opened() {
  const backend = new FakeBackend("demo", new URLSearchParams());
  const notices = new Notices();
  const profile = backend.world.app.settings.profiles.find((candidate) => candidate.hasKey)!;
  const form = render(withUi(ProfileForm, { backend, notices }), { profile, onclose: () => {} });
  const said = (text: string) => vi.waitFor(() => expect(notices.list.at(-1)?.text).toBe(text));
  const undo = (): void => notices.list.at(-1)?.action?.run();
  const now = () => backend.world.app.settings.profiles.find((candidate) => candidate.profileId === profile.profileId);
  return { backend, form, said, undo, now };
}

it("what was declined can be undone still", async () => {
  const { backend, form, said, undo, now } = opened();
  form.getByRole("button", { name: "Delete the key" }).click();
  await said("The key is deleted.");
  backend.consent = "declined";
  undo();
  await said("Nothing was undone.");
  expect(now()?.hasKey).toBe(false);
  backend.consent = "done";
  undo();
  await vi.waitFor(() => expect(now()?.hasKey).toBe(true));
});

it("a key that was typed over comes back, and so does the one that goes with that", async () => {
  const { form, said, undo, now } = opened();
  const before = now()?.keyPlace;
  await fireEvent.change(form.getByLabelText("Where to keep the key"), { target: { value: "memory" } });
  await fireEvent.input(form.getByLabelText("Key"), { target: { value: "k" } });
  form.getByRole("button", { name: "Save the key" }).click();
  await said("The key is saved in place of the old one.");
  undo();
  await said("Undone. The key in use until now is deleted.");
  expect(now()?.keyPlace).toBe(before);
  undo();
  await vi.waitFor(() => expect(now()?.keyPlace).toBe("memory"));
});

it("the key goes to the address that is typed", async () => {
  const { backend, form, said, now } = opened();
  await fireEvent.input(form.getByLabelText("Address"), { target: { value: "https://other.example/v1" } });
  await fireEvent.input(form.getByLabelText("Key"), { target: { value: "k" } });
  form.getByRole("button", { name: "Save the key" }).click();
  await said("The key is saved.");
  expect(backend.calls.map(({ name }) => name)).toEqual(["save_profile", "save_key"]);
  expect(now()).toMatchObject({ baseUrl: "https://other.example/v1", hasKey: true });
});
