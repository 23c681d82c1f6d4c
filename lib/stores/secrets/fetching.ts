/** One fetch of a secret from its service. The clients are loaded at their first use. */
import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { SSMClient } from "@aws-sdk/client-ssm";
import { type ClientPlace, clientSettings } from "../aws-client.js";
import { SecretNotFoundError, SecretUnavailableError } from "./errors.js";
import { parseSecretReference, type SecretReference } from "./references.js";

export interface SecretClients extends ClientPlace {
  /** Made from the environment when not given. */
  ssm?: SSMClient;
  secretsManager?: SecretsManagerClient;
}

/** Failures that no repetition mends (API references of GetParameter and GetSecretValue). */
const MISSING: Readonly<Record<string, string>> = {
  ParameterNotFound: "there is no such parameter",
  ParameterVersionNotFound: "the parameter has no such version",
  ResourceNotFoundException: "there is no such secret",
  InvalidRequestException: "the secret is being deleted",
};

/**
 * @returns the secret's text by reference
 * @throws {InvalidSecretReferenceError} @throws {SecretNotFoundError} @throws {SecretUnavailableError}
 */
export function createFetch(clients: SecretClients): (reference: string) => Promise<string> {
  let ssm: ReturnType<typeof connectSsm> | undefined;
  let secretsManager: ReturnType<typeof connectSecretsManager> | undefined;

  async function parameter(name: string): Promise<string | undefined> {
    ssm ??= connectSsm(clients);
    const { sdk, client } = await ssm;
    const { Parameter } = await client.send(new sdk.GetParameterCommand({ Name: name, WithDecryption: true }));
    return Parameter?.Value;
  }

  async function secret(id: string): Promise<string | undefined> {
    secretsManager ??= connectSecretsManager(clients);
    const { sdk, client } = await secretsManager;
    const { SecretString } = await client.send(new sdk.GetSecretValueCommand({ SecretId: id }));
    return SecretString;
  }

  return async (text) => {
    const reference = parseSecretReference(text);
    let value: string | undefined;
    try {
      value = await (reference.kind === "ssm" ? parameter(reference.name) : secret(reference.id));
    } catch (error) {
      // Without the cause: whoever prints an error prints all of it.
      const failure = error instanceof Error ? error.name : "unknown";
      const missing = MISSING[failure];
      throw missing === undefined ? new SecretUnavailableError(text, failure) : new SecretNotFoundError(text, missing);
    }
    return chosen(text, reference, value);
  };
}

function chosen(text: string, reference: SecretReference, value: string | undefined): string {
  if (value === undefined || value === "") throw new SecretNotFoundError(text, "it holds no text");
  if (reference.kind === "ssm" || reference.key === undefined) return value;
  const part = partOf(value, reference.key);
  if (part === undefined) throw new SecretNotFoundError(text, "it is no JSON object with text under that key");
  return part;
}

/** A parser's error would quote the secret, so there is none. */
function partOf(value: string, key: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed !== "object" || parsed === null || !Object.hasOwn(parsed, key)) return undefined;
    const part = (parsed as Record<string, unknown>)[key];
    return typeof part === "string" && part !== "" ? part : undefined;
  } catch {
    return undefined;
  }
}

async function connectSsm({ ssm, secretsManager: _other, ...place }: SecretClients) {
  const sdk = await import("@aws-sdk/client-ssm");
  return { sdk, client: ssm ?? new sdk.SSMClient(clientSettings(place)) };
}

async function connectSecretsManager({ secretsManager, ssm: _other, ...place }: SecretClients) {
  const sdk = await import("@aws-sdk/client-secrets-manager");
  return { sdk, client: secretsManager ?? new sdk.SecretsManagerClient(clientSettings(place)) };
}
