/** What a message holds from outside can't take the transcript down. */
import { render } from "@testing-library/svelte";
import { expect, it } from "vitest";
import Arguments from "../shared/Arguments.svelte";
import UserMessage from "./UserMessage.svelte";

it("two attachments of one name are both shown", () => {
  const file = { name: "image.png", mediaType: "image/png", bytes: 1 };
  const entry = { kind: "user" as const, itemId: "u", timeMs: 0, text: "look", mentions: [], attachments: [file, { ...file, bytes: 2 }] };
  const { getAllByText } = render(UserMessage, { entry, editable: true, onresend: async () => true });
  expect(getAllByText("image.png")).toHaveLength(2);
});

it("two arguments whose names read alike are both shown", () => {
  const { getAllByText } = render(Arguments, { list: [{ name: "a", value: "1", cut: 0 }, { name: "a", value: "2", cut: 0 }] });
  expect(getAllByText("a")).toHaveLength(2);
});
