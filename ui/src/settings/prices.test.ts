/** The table of prices, where the settings are left and opened again. */
import { fireEvent, render } from "@testing-library/svelte";
import { expect, it, vi } from "vitest";
import { FakeBackend } from "../backend/fake";
import { Notices } from "../shared/notices.svelte";
import { withUi } from "../shared/with_ui.test_host";
import Prices from "./Prices.svelte";

function settings() {
  const backend = new FakeBackend("demo", new URLSearchParams());
  const notices = new Notices();
  const visit = () => render(withUi(Prices, { backend, notices }));
  /** A visit with the table in sight. */
  const unfolded = async () => {
    const section = visit();
    const table = section.container.querySelector("details")!;
    table.open = true;
    await fireEvent(table, new Event("toggle"));
    await section.findByRole("table");
    const inputs = () => section.getAllByLabelText("In") as HTMLInputElement[];
    return { section, inputs };
  };
  return { backend, notices, visit, unfolded };
}

it("a row that something is missing of is there also after a visit that didn't unfold it", async () => {
  const { visit, unfolded } = settings();
  const { section, inputs } = await unfolded();
  section.getByRole("button", { name: "Add a row" }).click();
  await vi.waitFor(() => expect(inputs()).toHaveLength(3));
  await fireEvent.input(inputs()[2]!, { target: { value: "1" } });
  section.unmount();
  visit().unmount();
  const again = await unfolded();
  expect(again.inputs()[2]?.value).toBe("1");
  again.section.getAllByRole("button", { name: "Remove" })[2]?.click();
  await vi.waitFor(() => expect(again.inputs()).toHaveLength(2));
  again.section.unmount();
});

it("what is undone is so in the table that is in sight by then", async () => {
  const { backend, notices, unfolded } = settings();
  const { section, inputs } = await unfolded();
  await fireEvent.input(inputs()[0]!, { target: { value: "0.5" } });
  section.unmount();
  await vi.waitFor(() => expect(notices.list.at(-1)?.text).toBe("The prices are saved."));
  const again = await unfolded();
  expect(again.inputs()[0]?.value).toBe("0.5");
  notices.list.at(-1)?.action?.run();
  await vi.waitFor(() => expect(again.inputs()[0]?.value).toBe("0.28"));
  expect((await backend.prices()).rows[0]?.input).toBe(0.28);
});
