/** References to secrets (N-30): where a secret is kept, in place of the secret. */

/**
 * `ssm:<name>` a parameter of the Parameter Store; `secret:<arn or name>[#key]` an entry of Secrets Manager, or one key of
 * its JSON; `env:<NAME>` an environment variable, on one's own machine only.
 */
const FORMS = {
  ssm: /^ssm:[\w./:-]+$/,
  secret: /^secret:[\w/+=.@:-]+(?:#[^\s#]+)?$/,
  env: /^env:[A-Za-z_][A-Za-z0-9_]*$/,
} as const;

export type SecretKind = keyof typeof FORMS;

export const SECRET_FORMS = "ssm:<name>, secret:<arn>[#key], or env:<NAME> for local use";

export function isSecretReference(text: string): boolean {
  return secretKind(text) !== null;
}

export function secretKind(text: string): SecretKind | null {
  const kinds = Object.keys(FORMS) as SecretKind[];
  return kinds.find((kind) => FORMS[kind].test(text)) ?? null;
}
