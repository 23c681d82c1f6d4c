/** Why an agent could not be assembled, beside what is wrong with its workflow (H-129). */
import { ParkwayError } from "../session/errors.js";

export class InvalidClockError extends ParkwayError {
  override readonly code = "invalid-clock";
  constructor(readonly clock: string) {
    super(`"${clock}" is no clock: give a date (2026-03-20) or a date-time with Z or an offset.`);
  }
}
