/** What can go wrong with files and mounts. */
import { ParkwayError } from "../session/errors.js";
import type { FileError } from "./types.js";

/** A mount's key begins with a place that the runtime keeps for itself (H-97). */
export class MountCollisionError extends ParkwayError {
  override readonly code = "mount-collision";
  constructor(
    readonly key: string,
    reason: string,
  ) {
    super(`The mount "${key}" cannot be served: ${reason}. Choose another key.`);
  }
}

/**
 * A writable mount is served by the backend that workflows are read from, so that an agent could change them (H-31);
 * thrown at assembly.
 */
export class AuthoringBackendExposedError extends ParkwayError {
  override readonly code = "authoring-backend-exposed";
  constructor(readonly key: string) {
    super(
      `The writable mount "${key}" is served by the backend that workflows are read from; make it read-only, or give \`authoring\` a backend of its own.`,
    );
  }
}

/** Why a file operation failed, inside a backend: turned into an `error` value at its border (H-82 b). */
export class FileProblem extends Error {
  constructor(
    readonly kind: FileError | "io_error",
    readonly detail?: string,
  ) {
    super(detail === undefined ? kind : `${kind}: ${detail}`);
  }
}

/**
 * The kind of failure that a backend's `error` text speaks of. The backends of this house begin it with the kind;
 * for foreign ones the usual words are looked for. Null when the text says nothing known.
 */
export function fileErrorFromText(text: string): FileError | null {
  const table: [FileError, RegExp][] = [
    ["file_not_found", /not[ _]found|no such file|does not exist|ENOENT/i],
    ["is_directory", /is[ _](a )?directory|EISDIR/i],
    ["permission_denied", /permission|denied|read-only|EACCES|EPERM|forbidden/i],
    ["invalid_path", /invalid/i],
  ];
  return table.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}
