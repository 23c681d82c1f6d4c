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

/** A file that an option names cannot be written. */
export class OutputFileError extends ParkwayError {
  override readonly code = "output-file";
  constructor(
    readonly file: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`${file} cannot be written: ${reason}`, options);
  }
}

/** `parkway demo` of an installed package, which does not hold the workspace that the demo plays in. */
export class DemoNeedsCloneError extends ParkwayError {
  override readonly code = "demo-needs-clone";
  constructor() {
    super(
      "The demo plays in the workspace of Parkway's repository: run it in a clone. `parkway init` makes one of your own.",
    );
  }
}

/** Whether the error explains itself, so that a stack would only hide it. */
export function isKnownError(error: unknown): error is Error & { code: string } {
  if (error instanceof ParkwayError) return true;
  // What the system refuses names the call and the file.
  return error instanceof Error && "code" in error && ("toJSON" in error || "syscall" in error);
}

/** `{ name, message }` and the error's own fields, for `--json`. */
export function errorJson(error: unknown): { error: Record<string, unknown> } {
  if (!(error instanceof Error)) return { error: { name: "Error", message: String(error) } };
  const fields = error instanceof ParkwayError ? error.toJSON() : { ...error };
  const { [GRAPH_FIELD]: _ours, ...own } = (isPlain(fields) ? fields : {}) as Record<string, unknown>;
  return { error: { ...own, name: error.name, message: error.message } };
}

/** LangGraph writes it on whatever passes through a graph. */
const GRAPH_FIELD = "pregelTaskId";

/** What others put into their errors may refer to itself. */
function isPlain(fields: object): boolean {
  try {
    return JSON.stringify(fields) !== undefined;
  } catch {
    return false;
  }
}
