/** What is wrong with a request itself, before anything of the engine is asked. */
import { ParkwayError } from "../session/errors.js";

/** A place in a body (JSON pointer) or a query parameter, and what is wrong there; never the value itself. */
export interface RequestIssue {
  pointer: string;
  code: string;
  detail: string;
}

export class InvalidRequestError extends ParkwayError {
  override readonly code = "invalid-request";
  constructor(
    message: string,
    readonly errors?: readonly RequestIssue[],
  ) {
    super(message);
  }
}

export class UnauthenticatedError extends ParkwayError {
  override readonly code = "unauthenticated";
  constructor(message = "The request needs a valid credential.") {
    super(message);
  }
}

export class InvalidSignatureError extends ParkwayError {
  override readonly code = "invalid-signature";
  constructor() {
    super("The request could not be verified.");
  }
}

export class ForbiddenError extends ParkwayError {
  override readonly code = "forbidden";
  constructor(needed: readonly string[]) {
    super(`The credential lacks the scope ${needed.join(" or ")}.`);
  }
}

export class NotAnApproverError extends ParkwayError {
  override readonly code = "not-an-approver";
  constructor() {
    super("The state names who may decide, and the credential stands for none of them.");
  }
}

export class NotFoundError extends ParkwayError {
  override readonly code = "not-found";
  constructor(message = "There is nothing at this address.") {
    super(message);
  }
}

export class MethodNotAllowedError extends ParkwayError {
  override readonly code = "method-not-allowed";
  constructor(readonly allowed: readonly string[]) {
    super(`This address takes ${allowed.join(", ")}.`);
  }
}

export class NotAcceptableError extends ParkwayError {
  override readonly code = "not-acceptable";
  constructor() {
    super("The answer is application/json, which the Accept header excludes.");
  }
}

export class UnsupportedMediaTypeError extends ParkwayError {
  override readonly code = "unsupported-media-type";
  constructor(taken: readonly string[]) {
    super(`The body must be ${taken.join(" or ")}, in UTF-8.`);
  }
}

export class TooLargeError extends ParkwayError {
  override readonly code = "too-large";
  constructor(what: string, limitBytes: number) {
    super(`${what} may have ${limitBytes} bytes at most.`);
  }
}

/** F-74: larger than what a function may answer with. */
export class AnswerTooLargeError extends ParkwayError {
  override readonly code = "answer-too-large";
  constructor() {
    super("The answer exceeds 6 MB. Ask for less: a smaller `limit`, or no `include`.");
  }
}

export class TurnSettledError extends ParkwayError {
  override readonly code = "turn-settled";
  constructor() {
    super("The turn has settled; there is nothing left to cancel.");
  }
}

export class ModelNotAllowedError extends ParkwayError {
  override readonly code = "model-not-allowed";
  constructor() {
    super("This environment does not let a request choose this model.");
  }
}
