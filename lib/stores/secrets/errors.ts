/** What can be wrong with a secret. The texts name where it is, never what it is (H-126). */
import { ParkwayError } from "../../session/errors.js";

/** The text is no reference. It is not repeated: somebody may have put the secret itself there. */
export class InvalidSecretReferenceError extends ParkwayError {
  override readonly code = "invalid-secret-reference";
  constructor() {
    super("A secret is named as `ssm:<name>` or `secret:<arn>[#jsonKey]`; what was given is neither.");
  }
}

/** There is no such parameter or secret, or it holds nothing under the key. */
export class SecretNotFoundError extends ParkwayError {
  override readonly code = "secret-not-found";
  constructor(
    readonly reference: string,
    readonly reason: string,
  ) {
    super(`${reference} cannot be used: ${reason}.`);
  }
}

/** The service did not answer, or refused. */
export class SecretUnavailableError extends ParkwayError {
  override readonly code = "secret-unavailable";
  override readonly retryable = true;
  constructor(
    readonly reference: string,
    /** The service's name of the failure. */
    readonly failure: string,
  ) {
    super(`${reference} could not be fetched: ${failure}.`);
  }
}
