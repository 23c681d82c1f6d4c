/** Secrets on one machine: from the environment, so that a configuration written for AWS works without an account. */
import { type Deployment, secretKind, secretReferences } from "../config/index.js";
import { LocalSecretError } from "./errors.js";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment variable that a reference is read from here: the one that `env:` names, else the reference itself in
 * capitals, `SSM_SHOP_SLACK` for `ssm:/shop/slack`, `SECRET_HOOK_CURRENT` for `secret:hook#current`; an ARN counts by the
 * name at its end.
 */
export function localVariable(reference: string): string {
  if (secretKind(reference) === "env") return reference.slice("env:".length);
  const short = reference.replace(/arn:[^#]*:(?:secret:|parameter\/)/, "");
  return short
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
}

/** Resolves references for webhooks. The answer throws {LocalSecretError}, naming the variable to set. */
export function createLocalSecrets(env: Environment): (reference: string) => Promise<string> {
  return async (reference) => {
    const variable = localVariable(reference);
    const value = env[variable];
    if (!value) throw new LocalSecretError(reference, variable);
    return value;
  };
}

/** A line for each secret of the webhooks that is not to be had here. */
export function missingSecrets(deployment: Deployment, env: Environment): string[] {
  return secretReferences(deployment)
    .filter(({ reference }) => !env[localVariable(reference)])
    .map(({ at, reference }) => `${at}: ${new LocalSecretError(reference, localVariable(reference)).message}`);
}
