import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keepFocus } from "./focus";

const at = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;
let end: () => void;

beforeEach(() => {
  document.body.innerHTML = `
    <aside>
      <ul>
        <li id="one"><button id="open-one"></button><button id="menu-one"></button></li>
        <li id="two"><button id="open-two"></button><form id="form"><input id="name" /></form></li>
      </ul>
      <section id="last"><button id="only"></button></section>
    </aside>
    <main>
      <div id="chat"><button id="copy"></button><div id="bar"><input id="find" /></div></div>
      <article id="card"><button id="why"></button><span><button id="stop"></button></span></article>
      <textarea id="home"></textarea>
    </main>`;
  end = keepFocus(() => document.getElementById("home"));
});
afterEach(() => end());

async function lose(focused: string, removed = focused): Promise<string> {
  at(focused).focus();
  at(removed).remove();
  await Promise.resolve();
  return document.activeElement?.id ?? "";
}

describe("a lost focus", () => {
  it("goes to what stood before it", async () => {
    expect(await lose("name", "form")).toBe("open-two");
    expect(await lose("open-two", "two")).toBe("menu-one");
  });

  it("goes to what is left where it was", async () => {
    expect(await lose("open-one", "one")).toBe("open-two");
    expect(await lose("only", "last")).toBe("name");
  });

  it("stays in its card, and leaves the conversation for home", async () => {
    expect(await lose("stop")).toBe("why");
    expect(await lose("find", "bar")).toBe("home");
    expect(await lose("why", "card")).toBe("home");
  });

  it("is left to who took it", async () => {
    at("find").focus();
    at("bar").remove();
    at("copy").focus();
    await Promise.resolve();
    expect(document.activeElement?.id).toBe("copy");
  });

  it("that the person gave up is not given back", async () => {
    at("stop").focus();
    at("stop").blur();
    await Promise.resolve();
    at("card").remove();
    await Promise.resolve();
    expect(document.activeElement).toBe(document.body);
  });

  it("is given back where the window was in the background, or the button disabled first", async () => {
    at("stop").focus();
    at("stop").dispatchEvent(new FocusEvent("blur"));
    await Promise.resolve();
    at("stop").remove();
    await Promise.resolve();
    expect(document.activeElement?.id).toBe("why");
    at("why").setAttribute("disabled", "");
    at("why").blur();
    await Promise.resolve();
    at("card").remove();
    await Promise.resolve();
    expect(document.activeElement?.id).toBe("home");
  });

  it("is given back where what goes says that it lost it", async () => {
    at("find").focus();
    at("find").blur();
    at("bar").remove();
    await Promise.resolve();
    expect(document.activeElement?.id).toBe("home");
  });
});
