/** How an error reaches the person at the terminal (C-58, C-72). */
import { ParkwayError } from "../session/errors.js";

export const EXIT = { ok: 0, failure: 1, usage: 2, interrupted: 130 } as const;

/** The command was called wrongly: one line, the way to its help, exit code 2. */
export class UsageError extends ParkwayError {
  override readonly code = "usage";
  /** `command` is absent while no command was recognised. */
  constructor(
    message: string,
    readonly command?: string,
  ) {
    super(message);
  }
}

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

/** The workflow starts no new work, so not even a session is made (C-64). */
export class WorkflowDisabledError extends ParkwayError {
  override readonly code = "workflow-disabled";
  constructor(readonly workflow: string) {
    super(`The workflow "${workflow}" is out of service (disabled: true); it starts no new work.`);
  }
}

/** Whether the error explains itself, so that a stack would only hide it. */
export function isKnownError(error: unknown): error is Error & { code: string } {
  return error instanceof ParkwayError || (error instanceof Error && "code" in error && "toJSON" in error);
}

/** `{ name, message }` and the error's own fields, for `--json`. */
export function errorJson(error: unknown): { error: Record<string, unknown> } {
  if (!(error instanceof Error)) return { error: { name: "Error", message: String(error) } };
  const fields = error instanceof ParkwayError ? error.toJSON() : { ...error };
  return { error: { ...fields, name: error.name, message: error.message } };
}

export function oneLineOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().replace(/\s*\n\s*/g, " ");
}
