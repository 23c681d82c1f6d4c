/** What is wrong with a configuration, told to a person. */
import { ParkwayError } from "../session/errors.js";

/** parkway.config.* does not load or holds what it must not. */
export class ConfigFileError extends ParkwayError {
  override readonly code = "config-file";
  constructor(
    readonly file: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`${file} cannot be used: ${reason}`, options);
  }
}

export function oneLineOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().replace(/\s*\n\s*/g, " ");
}
