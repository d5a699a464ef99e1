import { render } from "@testing-library/svelte";
import { tick } from "svelte";
import { expect, it, vi } from "vitest";
import type { Backend } from "../backend/backend";
import { FakeBackend } from "../backend/fake";
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
