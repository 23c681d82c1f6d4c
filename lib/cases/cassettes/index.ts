/** Recorded replies: a case's model exchanges in a file beside it, replayed where there is one. */
export { type Cassettes, type CassettesOptions, cassetteFileOf, createCassettes, type Settled } from "./cassettes.js";
export { CassetteMismatchError, CassetteSecretError, InvalidCassetteError } from "./errors.js";
