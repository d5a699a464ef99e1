/** Deleting everything takes with it what a notice could bring back. */
import { render } from "@testing-library/svelte";
import { expect, it, vi } from "vitest";
import { FakeBackend } from "../backend/fake";
import { t } from "../i18n/index.svelte";
import { Notices } from "../shared/notices.svelte";
import { withUi } from "../shared/with_ui.test_host";
import Data from "./Data.svelte";

it.each([
  ["done", ["said"]],
  ["declined", ["said", "with a way back"]],
] as const)("the notices where it is %s", async (consent, left) => {
  const backend = new FakeBackend("demo", new URLSearchParams());
  backend.consent = consent;
  const notices = new Notices();
  const done = vi.spyOn(notices, "done");
  const section = render(withUi(Data, { backend, notices }), { settings: backend.world.app.settings });
  notices.say("said");
  notices.say("with a way back", { label: "Undo", run: () => {} });
  section.getByRole("button", { name: t("settings.delete_button") }).click();
  await done.mock.results[0]?.value;
  await vi.waitFor(() => expect(notices.list.map(({ text }) => text)).toEqual(left));
});
