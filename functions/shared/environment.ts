/** What a function is told by its environment (H-126). A deployed function reads no `.env`. */
import { InvalidVariableError, MissingVariablesError } from "./errors.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What is named here must be there, and names no secret. */
export type Variable =
  | "PARKWAY_ENVIRONMENT"
  | "PARKWAY_TABLE"
  | "PARKWAY_BUCKET"
  | "PARKWAY_QUEUE_URL"
  | "PARKWAY_BUS"
  | "PARKWAY_API_KEYS_SECRET";

/** @throws {MissingVariablesError} naming all that are not set */
export function readVariables<Name extends Variable>(names: readonly Name[], env: Environment): Record<Name, string> {
  const missing = names.filter((name) => !env[name]);
  if (missing.length > 0) throw new MissingVariablesError(missing);
  return Object.fromEntries(names.map((name) => [name, env[name]])) as Record<Name, string>;
}

/** A number of days; absent: never. @throws {InvalidVariableError} */
export function readDays(name: "PARKWAY_FINISHED_DAYS" | "PARKWAY_OPEN_DAYS", env: Environment): number | undefined {
  const text = env[name];
  if (!text) return undefined;
  const days = Number(text);
  if (!/^\d+$/.test(text) || days < 1 || days > 36_500) throw new InvalidVariableError(name, "a whole number of days");
  return days;
}

export type CredentialKind = "api-key" | "iam";

/** Which credentials the API takes: at least one, as nothing is open to all. @throws {InvalidVariableError} */
export function readCredentials(env: Environment): readonly CredentialKind[] {
  const kinds = (env.PARKWAY_CREDENTIALS ?? "").split(",").map((kind) => kind.trim());
  const isKnown = (kind: string): kind is CredentialKind => kind === "api-key" || kind === "iam";
  if (!kinds.every(isKnown)) throw new InvalidVariableError("PARKWAY_CREDENTIALS", "`api-key`, `iam` or both");
  return kinds;
}

/** Scopes by the ARN pattern of who has them. @throws {InvalidVariableError} */
export function readIamScopes(env: Environment): Readonly<Record<string, readonly string[]>> {
  const expected = "a JSON object of lists of scopes, by ARN pattern";
  const scopes = parsedJson(env.PARKWAY_IAM_SCOPES || "{}");
  const isList = (list: unknown) => Array.isArray(list) && list.every((scope) => typeof scope === "string");
  if (typeof scopes !== "object" || scopes === null || Array.isArray(scopes) || !Object.values(scopes).every(isList)) {
    throw new InvalidVariableError("PARKWAY_IAM_SCOPES", expected);
  }
  return scopes as Record<string, string[]>;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
