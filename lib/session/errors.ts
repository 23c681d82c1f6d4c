/** The errors of sessions and their entrances (H-129). `code` is stable; messages are sentences for whoever can act. */
import { ParkwayError } from "./parkway-error.js";

export { ParkwayError } from "./parkway-error.js";
export * from "./store-errors.js";

/**
 * An id that can name no session (H-91), refused wherever one is taken in, before anything is read or written.
 * `sessionIdRejection` tells beforehand.
 */
export class SessionStoreIdError extends ParkwayError {
  override readonly code = "session-id";
  constructor(
    readonly sessionId: string,
    reason: string,
  ) {
    super(`"${sessionId}" cannot name a session. ${reason}`);
  }
}

/**
 * A decision or a reply for a session that is not parked at a human state (H-62, H-63); nothing is changed. Read its
 * status again: somebody may have decided.
 */
export class SessionNotParkedError extends ParkwayError {
  override readonly code = "session-not-parked";
  constructor(
    readonly sessionId: string,
    readonly status: string | null,
    detail?: string,
  ) {
    super(detail ?? `Session "${sessionId}" does not wait for a decision${status ? ` (it is ${status})` : ""}.`);
  }
}

/**
 * A delivery to a session that is not parked by `archmax_wait` (H-64), as the second one of the same event is; nothing
 * is changed.
 */
export class SessionNotAwaitingInputError extends ParkwayError {
  override readonly code = "session-not-awaiting-input";
  constructor(
    readonly sessionId: string,
    readonly status: string | null,
  ) {
    super(`Session "${sessionId}" does not wait for an event${status ? ` (it is ${status})` : ""}.`);
  }
}

/**
 * The session takes no such input as it is: in the middle of a turn, parked while `invoke` would open one, or a child,
 * which is answered through its root (H-47, H-58, H-128, R-3). Nothing is changed; call again when it has settled, or
 * answer its park.
 */
export class SessionNotResumableError extends ParkwayError {
  override readonly code = "session-not-resumable";
  constructor(
    readonly sessionId: string,
    readonly status: string,
    detail?: string,
  ) {
    super(detail ?? `Session "${sessionId}" is in the middle of a turn; try again when it has settled.`);
  }
}

/** The messages of an invocation are none that a turn can open with (H-47, H-48). */
export class InvalidMessagesError extends ParkwayError {
  override readonly code = "invalid-messages";
  constructor(readonly reason: string) {
    super(
      `The messages cannot open a turn: ${reason}. Pass what is new, the user's message last; earlier text of user and assistant only where a session begins.`,
    );
  }
}

/**
 * An input under another workflow than the one that opened the session, which it keeps for good (N-2). Address it under
 * `workflow`.
 */
export class SessionWorkflowMismatchError extends ParkwayError {
  override readonly code = "session-workflow-mismatch";
  constructor(
    readonly sessionId: string,
    readonly workflow: string,
    readonly asked: string,
  ) {
    super(`Session "${sessionId}" follows the workflow "${workflow}" and takes no input under "${asked}".`);
  }
}

/**
 * A decision whose `target` is no transition of the human state where the session is parked (H-62). The park stays as
 * it is; `validTargets` are the choices.
 */
export class InvalidDecisionTargetError extends ParkwayError {
  override readonly code = "invalid-decision-target";
  constructor(
    readonly target: string,
    readonly validTargets: readonly string[],
  ) {
    super(`"${target}" is not a way out of this decision; choose one of: ${validTargets.join(", ")}.`);
  }
}

/**
 * A decision made for another park than the session's present one, by its `park` or `seq` (H-62); nothing is changed.
 * Show what is asked now, and let the person decide on that.
 */
export class StaleDecisionError extends ParkwayError {
  override readonly code = "stale-decision";
  constructor(
    readonly expected: string | number,
    readonly actual: string | number,
  ) {
    super(
      `The decision is for another question (${expected}); the session now asks ${actual}. Look at it again first.`,
    );
  }
}

/** A delivery that names no trigger (H-64), refused before the session is touched; any id will do. */
export class MissingDeliveryTriggerError extends ParkwayError {
  override readonly code = "missing-delivery-trigger";
  constructor() {
    super("A delivery needs the id of the trigger that brings it.");
  }
}

/**
 * A turn or a reply that says nothing (H-59, H-63): the message is blank, and the trigger neither brings one nor does
 * without. Nothing is changed.
 */
export class EmptyMessageError extends ParkwayError {
  override readonly code = "empty-message";
  constructor() {
    super("The message is empty; say something, or use a trigger that declares `message: false`.");
  }
}

/**
 * A trigger id that no state of the workflow declares, given at assembly or with a turn (H-32, H-56, R-30). `declared`
 * are the ids to choose from.
 */
export class UnknownTriggerError extends ParkwayError {
  override readonly code = "unknown-trigger";
  constructor(
    readonly trigger: string,
    readonly declared: readonly string[],
  ) {
    super(`No state declares the trigger "${trigger}"; declared: ${declared.join(", ")}.`);
  }
}

/**
 * Thrown by `resolveSession` where a first turn would open under a trigger that no state declares (H-61, R-27); a
 * `send` of the same throws `UnknownTriggerError`.
 */
export class UnknownSessionTriggerError extends ParkwayError {
  override readonly code = "unknown-session-trigger";
  constructor(
    readonly trigger: string,
    readonly declared: readonly string[],
  ) {
    super(`No state declares the trigger "${trigger}", so it cannot open a session; declared: ${declared.join(", ")}.`);
  }
}

/**
 * A variable that no host may supply: its name does not match `^[a-z][a-z0-9_]*$`, or is the reserved `trigger` (H-33,
 * H-64). `where` tells which input it came with; nothing of that input is taken.
 */
export class InvalidVariableNameError extends ParkwayError {
  override readonly code = "invalid-variable-name";
  constructor(
    readonly variable: string,
    readonly where: string,
  ) {
    super(
      variable === "trigger"
        ? `"trigger" is set by the runtime and cannot be supplied (${where}).`
        : `"${variable}" is no variable name (${where}); names match ^[a-z][a-z0-9_]*$.`,
    );
  }
}

/**
 * A `title` among the variables of an assembly or a turn that cannot be one (H-33, R-39). `titleIssue` tells
 * beforehand.
 */
export class InvalidTitleError extends ParkwayError {
  override readonly code = "invalid-title";
  constructor(reason: string) {
    super(`The title cannot be used: ${reason}.`);
  }
}

/** A `sessionPath` that is no dotted path over variables, at assembly or with a firing (H-34, H-60). */
export class InvalidSessionPathError extends ParkwayError {
  override readonly code = "invalid-session-path";
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`"${path}" is no session path: ${reason}.`);
  }
}

/**
 * A file that cannot come with a turn, by its name, its variable or its bytes (H-74). All files are checked before the
 * first byte is written, so none of them is there.
 */
export class InvalidTurnFileError extends ParkwayError {
  override readonly code = "invalid-turn-file";
  constructor(
    readonly variable: string,
    readonly reason: string,
  ) {
    super(`The file for "${variable}" cannot be taken: ${reason}.`);
  }
}

/** An idempotency key that came before with another input (S-4). The first input stands; give a new one a new key. */
export class IdempotencyConflictError extends ParkwayError {
  override readonly code = "idempotency-conflict";
  constructor(readonly arrivalId: string) {
    super("This idempotency key was used before with another input; use a new key for a new input.");
  }
}

/**
 * As many accepted inputs wait at the session as it may have, 1,000 (S-12). This one was not accepted; offer it again
 * later.
 */
export class InboxFullError extends ParkwayError {
  override readonly code = "inbox-full";
  override readonly retryable = true;
  constructor(
    readonly sessionId: string,
    readonly limit: number,
  ) {
    super(`Session "${sessionId}" has ${limit} arrivals waiting; try again later.`);
  }
}

/**
 * The session cannot be deleted, or takes no input, for the moment: a turn runs, or it has expired or is being deleted
 * (S-85, S-88). Nothing is changed; try again later.
 */
export class SessionBusyError extends ParkwayError {
  override readonly code = "session-busy";
  override readonly retryable = true;
  constructor(
    readonly sessionId: string,
    doing: string,
  ) {
    super(`Session "${sessionId}" ${doing}; try again later.`);
  }
}

/** No workflow of the workspace has this slug. */
export class UnknownWorkflowError extends ParkwayError {
  override readonly code = "unknown-workflow";
  constructor(readonly workflow: string) {
    super(`There is no workflow "${workflow}".`);
  }
}

/** The workflow starts no new work, so not even a session is made (C-64, N-8). */
export class WorkflowDisabledError extends ParkwayError {
  override readonly code = "workflow-disabled";
  constructor(readonly workflow: string) {
    super(`The workflow "${workflow}" is out of service (disabled: true); it starts no new work.`);
  }
}

/** An input without a workflow addressed a session that does not exist. */
export class UnknownSessionError extends ParkwayError {
  override readonly code = "unknown-session";
  constructor(readonly sessionId: string) {
    super(`There is no session "${sessionId}"; name a workflow to start it.`);
  }
}

/** The turn that would open lacks what its trigger requires (N-8, H-120); one issue a variable, in declaration order. */
export class InvalidVariablesError extends ParkwayError {
  override readonly code = "invalid-variables";
  constructor(
    readonly trigger: string,
    readonly issues: readonly { name: string; kind: "missing" | "invalid"; message: string }[],
  ) {
    super(`The trigger ${trigger} requires other variables: ${issues.map((issue) => issue.message).join(" ")}`);
  }
}

/** S-11: the input without its files is larger than any store takes. */
export class InputTooLargeError extends ParkwayError {
  override readonly code = "input-too-large";
  constructor(
    readonly sizeBytes: number,
    readonly limitBytes: number,
  ) {
    super(`The input has ${sizeBytes} bytes; at most ${limitBytes} are taken. Send large content as a file.`);
  }
}
