/** Why a case or a suite cannot be run. A case that dies of one carries its message as `error` (C-45). */
import { ParkwayError } from "../session/errors.js";

/** Cases assert states, trails and variables, so they need a workflow that governs (C-53). */
export class UngovernedTargetError extends ParkwayError {
  override readonly code = "ungoverned-target";
  constructor() {
    super("Cases run on an agent that follows a workflow, and this one follows none; create it with `workflow`.");
  }
}

/** A case with mocks never runs half-mocked (C-23). */
export class ToolMocksUnsupportedError extends ParkwayError {
  override readonly code = "tool-mocks-unsupported";
  constructor() {
    super(
      "The case mocks tools, and its target answers no calls with mocks: create it with `middleware: [createToolMockMiddleware()]`.",
    );
  }
}

/** C-14. */
export class SessionSeedUnsupportedError extends ParkwayError {
  override readonly code = "session-seed-unsupported";
  constructor() {
    super("The case puts files into the session, and its target has no `sessions.seed` to write them with.");
  }
}

/** A file that a case's workspace copies from is not there (C-13). */
export class MissingFixtureError extends ParkwayError {
  override readonly code = "missing-fixture";
  constructor(
    readonly path: string,
    readonly from: string,
  ) {
    super(`workspace["${path}"]: there is no file "${from}" below tests/.`);
  }
}

/** C-46. */
export class CaseTimeoutError extends ParkwayError {
  override readonly code = "case-timeout";
  constructor(readonly timeoutMs: number) {
    super(`The case took longer than tests.caseTimeoutMs allows (${timeoutMs} ms).`);
  }
}
