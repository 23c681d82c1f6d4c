/** What all errors of this package are (H-129). */

/**
 * The base of the errors that this package throws (H-129): tell them apart by `code`, which holds across copies of the
 * package. `retryable` says that the same call may succeed later.
 */
export class ParkwayError extends Error {
  /** Kebab case, never changed. */
  readonly code: string = "parkway-error";
  readonly retryable: boolean = false;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }

  /** The error in the form it is stored and printed: class name, message and its own fields. */
  toJSON(): { name: string; message: string; [field: string]: unknown } {
    const { name, message, stack: _stack, cause: _cause, ...fields } = this as this & { stack?: string };
    return { ...fields, name, message };
  }
}
