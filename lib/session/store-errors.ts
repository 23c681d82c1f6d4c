/** What is wrong with what is stored, or with the right to write it (H-129). */
import { ParkwayError } from "./parkway-error.js";

/**
 * A path that climbs above the root of the workspace or leads to what another session owns (H-129); nothing is read or
 * written.
 */
export class WorkspacePathEscapeError extends ParkwayError {
  override readonly code = "workspace-path-escape";
  constructor(readonly path: string) {
    super(`"${path}" leaves the workspace.`);
  }
}

export class FileConflictError extends ParkwayError {
  override readonly code = "file-conflict";
  constructor(readonly path: string) {
    super(`"${path}" was changed by somebody else meanwhile; nothing was written.`);
  }
}

/**
 * The session store cannot do what was asked, such as deleting a session (H-78); its `capabilities` tell beforehand.
 */
export class SessionStoreCapabilityError extends ParkwayError {
  override readonly code = "session-store-capability";
  constructor(
    readonly storeKind: string,
    readonly capability: string,
  ) {
    super(`The ${storeKind} store cannot ${capability}.`);
  }
}

/** A child's id is taken by a child of an earlier, deleted session of its root's id (S-88). */
export class ChildLeftOverError extends ParkwayError {
  override readonly code = "child-left-over";
  constructor(readonly sessionId: string) {
    super(`"${sessionId}" was left by a deleted session of the same id and is to be deleted before it is made anew.`);
  }
}

/**
 * Another worker took over the session before this one's commit; nothing of this turn is written after that (H-129).
 * The new owner goes on with the work: look at the session, and do not send the input again.
 */
export class LeaseLostError extends ParkwayError {
  override readonly code = "lease-lost";
  constructor(
    readonly sessionId: string,
    readonly fence: number,
  ) {
    super(
      `The right to work on session "${sessionId}" was taken over by another worker; nothing more of this turn is written.`,
    );
  }
}

/** Stored state that cannot be read back: the turn is refused and what is stored stays as it is (S-75, S-80). */
export class CheckpointCorruptError extends ParkwayError {
  override readonly code = "checkpoint-corrupt";
  /** The format that a newer version wrote it in; absent where it is damaged (S-80). */
  declare readonly newerFormat?: number;
  constructor(
    readonly sessionId: string,
    readonly key: string,
    reason: string,
    { newerFormat }: { newerFormat?: number } = {},
  ) {
    super(`The stored state of session "${sessionId}" cannot be read (${key}): ${reason}.`);
    if (newerFormat !== undefined) this.newerFormat = newerFormat;
  }
}

/** S-80: whether a newer version wrote what cannot be read, so that nothing is wrong with it: it waits for that version. */
export function isOfNewerVersion(error: unknown): boolean {
  return error instanceof CheckpointCorruptError && error.newerFormat !== undefined;
}

/** State that cannot be stored as plain JSON: refused before anything is written. */
export class UnstorableStateError extends ParkwayError {
  override readonly code = "unstorable-state";
  constructor(
    readonly path: string,
    readonly found: string,
  ) {
    super(`The value at ${path} cannot be stored: ${found} is not plain JSON.`);
  }
}

/** The service behind a store stayed busy, or others were always quicker. Repeating the operation is safe (S-94). */
export class StoreUnavailableError extends ParkwayError {
  override readonly code = "store-unavailable";
  override readonly retryable = true;
  constructor(doing: string, reason: string, options?: ErrorOptions) {
    super(`The session store could not ${doing} (${reason}); try again later.`, options);
  }
}

/**
 * The file behind a store cannot be opened, read or written: it is damaged, not ours to write, or no database. Nothing of
 * what was asked is stored; the file has to be mended or made accessible first.
 */
export class StoreUnusableError extends ParkwayError {
  override readonly code = "store-unusable";
  constructor(
    readonly file: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`The session store ${file} cannot be used: ${reason}.`, options);
  }
}

/** S-94: a failure of the store itself; every other error of a store says what is wrong with the request. */
export function isStoreFailure(error: unknown): boolean {
  return (
    !(error instanceof ParkwayError) || error instanceof StoreUnavailableError || error instanceof StoreUnusableError
  );
}
