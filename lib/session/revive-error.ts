/** A stored error as the class it was thrown as (H-129), for a caller whose input another worker settled. */
import type { StoredError } from "./arrival.js";
import * as errors from "./errors.js";

const CLASSES = new Map<string, { prototype: object }>(Object.entries(errors));

export function reviveError(stored: StoredError): errors.ParkwayError {
  const error = Object.assign(new errors.ParkwayError(stored.message), stored);
  const thrown = CLASSES.get(stored.name);
  if (thrown) Object.setPrototypeOf(error, thrown.prototype);
  return error;
}
