/** Why `parkway init` leaves a folder as it is. */
import { ParkwayError } from "../../session/errors.js";

export class InitRefusedError extends ParkwayError {
  override readonly code = "init-refused";
  constructor(
    readonly folder: string,
    readonly there: readonly string[],
  ) {
    super(`${folder} already holds ${there.join(", ")}; nothing was written. Choose another folder or another --name.`);
  }
}
