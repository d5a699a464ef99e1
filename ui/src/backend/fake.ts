/**
 * A scripted backend for browser tests and for working on the window without the shell.
 *
 * It keeps the contract: nothing the window can call allows anything. Only `person`, which the window
 * doesn't know, answers the way a person would at the native dialog.
 */
import type { Backend } from "./backend";
import { approvals, Waiting } from "./fake/approvals";
import { audit } from "./fake/audit";
import { changes } from "./fake/changes";
import { conversation } from "./fake/conversation";
import { folders } from "./fake/folders";
import { models } from "./fake/models";
import { outside } from "./fake/outside";
import { permissions } from "./fake/permissions";
import { sessions } from "./fake/sessions";
import { settings } from "./fake/settings";
import { Stage } from "./fake/stage";
import type { Scenario } from "./fake/world";

// Its commands lie by subject, each over the same stage.
export interface FakeBackend extends Backend {}
export class FakeBackend extends Stage {
  readonly #waiting = new Waiting(this);

  constructor(scenario: Scenario, params: URLSearchParams) {
    super(scenario, params);
    const commands: Backend = {
      subscribe: async (onEvent) => {
        this.called("subscribe");
        this.listen(onEvent);
      },
      ...folders(this),
      ...sessions(this),
      ...conversation(this, this.#waiting),
      ...approvals(this, this.#waiting),
      ...audit(this),
      ...permissions(this),
      ...changes(this),
      ...models(this),
      ...settings(this),
      ...outside(this),
    };
    Object.assign(this, commands);
    if (params.has("waiting")) this.#waiting.put(Number(params.get("waiting")));
  }

  /** Answers a waiting call at the native dialog. */
  person(approvalId: string, end: "allowed" | "denied"): void {
    this.#waiting.settle(approvalId, { end, surface: "dialog", words: null });
  }
}

/** The backend for `?scenario=…`, reachable by tests as `window.fake`. */
export function fakeBackend(params: URLSearchParams): FakeBackend {
  const backend = new FakeBackend((params.get("scenario") ?? "demo") as Scenario, params);
  Object.assign(globalThis, { fake: backend });
  return backend;
}
