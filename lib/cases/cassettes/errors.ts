/** What can be wrong with a cassette, or with a run that should follow one. */
import { ParkwayError } from "../../session/errors.js";

/** A cassette file that cannot be read. */
export class InvalidCassetteError extends ParkwayError {
  override readonly code = "invalid-cassette";
  constructor(
    readonly file: string,
    readonly problems: readonly string[],
  ) {
    super(`The cassette ${file} cannot be used: ${problems.join("; ")}. Record it again with parkway test --record.`);
  }
}

/** The workflow asks the model something that the cassette has no answer to, or no longer asks what it has answers to. */
export class CassetteMismatchError extends ParkwayError {
  override readonly code = "cassette-mismatch";
  /** `diff` is unified, from what was recorded to what is asked now. */
  constructor(
    readonly file: string,
    what: string,
    readonly diff?: string,
  ) {
    super(`${what} ${WHAT_TO_DO}${diff === undefined ? "" : `\n${diff}`}`);
  }
}

const WHAT_TO_DO = "Record the case again with parkway test --record, or run it once against the model with --live.";

/** A recording would write down what only the environment may hold; the cassette is left as it was. */
export class CassetteSecretError extends ParkwayError {
  override readonly code = "cassette-secret";
  constructor(
    readonly file: string,
    readonly secret: string,
    where: string,
  ) {
    super(`${file} is not recorded: ${where} holds ${secret}. Keep it out of what the model sees.`);
  }
}
