/** What a function throws itself. */
import { ParkwayError } from "../../lib/session/errors.js";

/** The function was deployed without something it needs. */
export class MissingVariablesError extends ParkwayError {
  override readonly code = "missing-variables";
  constructor(readonly names: readonly string[]) {
    super(`This function needs the environment variables ${names.join(", ")}; set them where it is deployed.`);
  }
}

/** A variable is there and cannot be used. Its value is not repeated (F-101). */
export class InvalidVariableError extends ParkwayError {
  override readonly code = "invalid-variable";
  constructor(
    readonly variable: string,
    expected: string,
  ) {
    super(`The environment variable ${variable} must be ${expected}.`);
  }
}

/**
 * Stands for an error that left a handler, so that the platform tries again: what it prints of an error holds the class
 * and code and nothing else (F-101).
 */
export class InvocationFailedError extends Error {
  constructor(readonly failure: string) {
    super(`The invocation failed: ${failure}.`);
    this.name = "InvocationFailedError";
    this.stack = `${this.name}: ${this.message}`;
  }
}

/** The trigger function was invoked by something other than a rule or a schedule of the deployment. */
export class InvalidTriggerEventError extends ParkwayError {
  override readonly code = "invalid-trigger-event";
  constructor() {
    super("A trigger is fired by `{ rule, event }` or `{ schedule, at }`; what came is neither.");
  }
}
