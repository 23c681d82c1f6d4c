/** What the service could not do for now (S-94). */
import { ParkwayError } from "../../session/errors.js";

/** The service stayed busy, or others were always quicker, through all attempts. Repeating the operation is safe. */
export class StoreUnavailableError extends ParkwayError {
  override readonly code = "store-unavailable";
  override readonly retryable = true;
  constructor(doing: string, reason: string, options?: ErrorOptions) {
    super(`The session store could not ${doing} (${reason}); try again later.`, options);
  }
}
