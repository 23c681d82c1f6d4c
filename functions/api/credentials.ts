/** Who may call the API of a deployment (N-36). */
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { type Credentials, isScope } from "../../lib/http/index.js";
import { createDynamoApiKeys } from "../../lib/stores/dynamodb/index.js";
import type { Secrets } from "../../lib/stores/secrets/index.js";
import { type Environment, readCredentials, readIamScopes, readVariables } from "../shared/environment.js";
import { InvalidVariableError } from "../shared/errors.js";

export interface CredentialOptions {
  env: Environment;
  secrets: Secrets;
  /** Of the table. */
  client: DynamoDBClient;
}

/** @throws {MissingVariablesError} @throws {InvalidVariableError} */
export function openCredentials(options: CredentialOptions): Credentials {
  const { env } = options;
  const kinds = readCredentials(env);
  return {
    ...(kinds.includes("api-key") ? { apiKeys: apiKeys(options) } : {}),
    ...(kinds.includes("iam") ? { iam: iamScopes(env) } : {}),
  };
}

function apiKeys({ env, secrets, client }: CredentialOptions): Credentials["apiKeys"] {
  const { PARKWAY_TABLE: table, PARKWAY_API_KEYS_SECRET: reference } = readVariables(
    ["PARKWAY_TABLE", "PARKWAY_API_KEYS_SECRET"],
    env,
  );
  return { keys: createDynamoApiKeys({ table, client }), hashKey: () => secrets(reference) };
}

/** A scope that does not exist would never be granted, and nobody would know why. */
function iamScopes(env: Environment): Credentials["iam"] {
  const scopes = readIamScopes(env);
  return Object.fromEntries(
    Object.entries(scopes).map(([pattern, names]) => {
      if (!names.every(isScope)) throw new InvalidVariableError("PARKWAY_IAM_SCOPES", "of known scopes");
      return [pattern, names];
    }),
  );
}
