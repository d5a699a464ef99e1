/** The layers, rules and grants in force, and trying a call against them. */
import type { Backend } from "../backend/backend";
import type { App, AppEvent, Permissions as View, PolicyTest, Replay, RuleCandidate } from "../backend/types";
import { messageOf, type Notices } from "../shared/notices.svelte";

export class Permissions {
  view = $state.raw<View | null>(null);
  failed = $state<string | null>(null);

  testTool = $state("shell");
  testArguments = $state('{"command": "git status"}');
  test = $state.raw<PolicyTest | null>(null);
  testProblem = $state<string | null>(null);
  testing = $state(false);

  candidatesOf = $state<string | null>(null);
  candidates = $state.raw<readonly RuleCandidate[] | null>(null);

  draft = $state<string | null>(null);
  replay = $state.raw<Replay | null>(null);
  replaying = $state(false);

  /** What the view is of, as it was last told. */
  #of = "";
  #request = 0;
  readonly #backend: Backend;
  readonly #notices: Notices;

  constructor(backend: Backend, notices: Notices) {
    this.#backend = backend;
    this.#notices = notices;
  }

  async load(): Promise<void> {
    const request = ++this.#request;
    try {
      const view = await this.#backend.permissions();
      if (request !== this.#request) return;
      this.view = view;
      this.failed = null;
    } catch (error) {
      if (request === this.#request) this.failed = messageOf(error);
    }
  }

  async runTest(): Promise<void> {
    this.testing = true;
    this.testProblem = null;
    try {
      this.test = await this.#backend.testPolicy(this.testTool, this.testArguments);
    } catch (error) {
      this.test = null;
      this.testProblem = messageOf(error);
    }
    this.testing = false;
  }

  async findCandidates(callId: string): Promise<void> {
    this.candidatesOf = callId;
    this.candidates = null;
    this.candidates = (await this.#notices.attempt(this.#backend.ruleCandidates(callId))) ?? [];
  }

  closeCandidates(): void {
    this.candidatesOf = null;
    this.candidates = null;
  }

  async propose(candidate: RuleCandidate): Promise<void> {
    if (this.candidatesOf === null) return;
    const asked = await this.#notices.attempt(this.#backend.proposeRule(this.candidatesOf, candidate.candidateId));
    if (asked?.status === "impossible" && asked.message !== null) this.#notices.fail({ message: asked.message });
    if (asked?.status === "done") {
      this.closeCandidates();
      await this.load();
    }
  }

  async revoke(grantId: string): Promise<void> {
    await this.#notices.attempt(this.#backend.revokeGrant(grantId));
    await this.load();
  }

  async startDraft(): Promise<void> {
    this.draft = (await this.#notices.attempt(this.#backend.userPolicyText())) ?? null;
    this.replay = null;
  }

  async runReplay(): Promise<void> {
    if (this.draft === null) return;
    this.replaying = true;
    this.replay = (await this.#notices.attempt(this.#backend.replayPolicy(this.draft, 1_000))) ?? null;
    this.replaying = false;
  }

  handle(event: AppEvent): void {
    let changed = event.type === "permissions_changed";
    if (event.type === "app") {
      const of = viewedIn(event.app);
      changed = of !== this.#of;
      this.#of = of;
    }
    // One that is still being read may be read too early.
    if (changed && this.#request > 0) void this.load();
  }
}

/** What of the window as a whole the view depends on. */
function viewedIn({ mode, language, workspace, recents, policyProblem }: App): string {
  return JSON.stringify([mode, language, workspace?.path, workspace?.projectPolicy, recents.map((folder) => [folder.path, folder.trusted]), policyProblem]);
}
