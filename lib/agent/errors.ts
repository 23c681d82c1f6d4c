/** Why an agent could not be assembled, beside what is wrong with its workflow (H-129). */
import { ParkwayError } from "../session/errors.js";

export { InvalidMessagesError } from "../session/errors.js";

/** A `clock` that is neither an ISO date nor a date-time with `Z` or an offset (H-41); thrown at assembly. */
export class InvalidClockError extends ParkwayError {
  override readonly code = "invalid-clock";
  constructor(readonly clock: string) {
    super(`"${clock}" is no clock: give a date (2026-03-20) or a date-time with Z or an offset.`);
  }
}

/** A source was left to its default, which is a folder of the root, and no root was given (H-28). */
export class WorkspaceRootRequiredError extends ParkwayError {
  override readonly code = "workspace-root-required";
  constructor(readonly option: "mounts" | "sessionStore" | "authoring") {
    const say = { mounts: "workspace.mounts", sessionStore: "workspace.sessionStore", authoring: "authoring" }[option];
    super(`${say} was not given and has no folder to default to; give it, or workspace.rootDir.`);
  }
}

/** A loop was asked to run while a run of it is under way: it takes one message at a time. */
export class LoopRunningError extends ParkwayError {
  override readonly code = "loop-running";
  constructor(readonly sessionId: string) {
    super(`The loop over the session ${sessionId} is running; await its run before the next one.`);
  }
}

/** A turn asked for with LangGraph's config names no session (H-47). */
export class MissingThreadIdError extends ParkwayError {
  override readonly code = "missing-thread-id";
  constructor() {
    super("Give `configurable.thread_id`: the id of the session that the call is for.");
  }
}

/** A session's state is what its inputs have made of it; nothing is put in beside them. */
export class StateUpdateRefusedError extends ParkwayError {
  override readonly code = "state-update-refused";
  constructor(readonly sessionId: string) {
    super(
      `The state of session "${sessionId}" is changed by its turns alone. Send a message, a decision or a delivery; put files there with sessions.seed.`,
    );
  }
}

/** `backend` was given, so sessions have no folder to default to (H-30). */
export class SessionStoreRequiredError extends ParkwayError {
  override readonly code = "session-store-required";
  constructor() {
    super(
      "With `backend` sessions are not kept in a folder, so give `workspace.sessionStore` as well: createFilesystemSessionStore({ dir }), createBackendSessionStore({ backend }), createMemorySessionStore() or createAwsSessionStore({ table, bucket }).",
    );
  }
}
