/** Why `parkway init` leaves a folder as it is. */
import { ParkwayError } from "../../session/errors.js";

/** The folder cannot be made, or written to. */
export class InitFolderError extends ParkwayError {
  override readonly code = "init-folder";
  constructor(
    readonly folder: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`${folder} cannot hold a workspace: ${reason}; nothing was written.`, options);
  }
}

export class InitRefusedError extends ParkwayError {
  override readonly code = "init-refused";
  constructor(
    readonly folder: string,
    readonly there: readonly string[],
  ) {
    super(`${folder} already holds ${there.join(", ")}; nothing was written. Choose another folder or another --name.`);
  }
}
