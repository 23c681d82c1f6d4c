/** Why a case or a suite cannot be run. A case that dies of one carries its message as `error` (C-45). */
import { ParkwayError } from "../session/errors.js";

/**
 * Cases were to run on an agent that follows no workflow (C-53): they assert states, trails and variables, so they need
 * one that governs.
 */
export class UngovernedTargetError extends ParkwayError {
  override readonly code = "ungoverned-target";
  constructor() {
    super("Cases run on an agent that follows a workflow, and this one follows none; create it with `workflow`.");
  }
}

/**
 * A case mocks tools, and its target answers no calls with mocks: it is refused before its first step, and never runs
 * half-mocked (C-23).
 */
export class ToolMocksUnsupportedError extends ParkwayError {
  override readonly code = "tool-mocks-unsupported";
  constructor() {
    super(
      "The case mocks tools, and its target answers no calls with mocks: create it with `middleware: [createToolMockMiddleware()]`.",
    );
  }
}

/**
 * A case has workspace files, and its target no `sessions.seed` to write them with (C-14); the case ends before its
 * first step.
 */
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

/**
 * A case took longer than `tests.caseTimeoutMs` (C-46): its running turn is aborted, and records made so far are kept.
 */
export class CaseTimeoutError extends ParkwayError {
  override readonly code = "case-timeout";
  constructor(readonly timeoutMs: number) {
    super(`The case took longer than tests.caseTimeoutMs allows (${timeoutMs} ms).`);
  }
}
