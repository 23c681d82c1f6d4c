/** What a reference to a secret says: `ssm:<name>`, `secret:<arn or name>[#jsonKey]` (H-126). */
import { InvalidSecretReferenceError } from "./errors.js";

export type SecretReference = { kind: "ssm"; name: string } | { kind: "secret"; id: string; key?: string };

export function isSecretReference(text: string): boolean {
  return referenceFrom(text) !== null;
}

/** @throws {InvalidSecretReferenceError} */
export function parseSecretReference(text: string): SecretReference {
  const reference = referenceFrom(text);
  if (reference === null) throw new InvalidSecretReferenceError();
  return reference;
}

function referenceFrom(text: string): SecretReference | null {
  const ssm = /^ssm:(\S+)$/.exec(text);
  if (ssm?.[1] !== undefined) return { kind: "ssm", name: ssm[1] };
  const secret = /^secret:([^\s#]+)(?:#(.+))?$/.exec(text);
  if (secret?.[1] === undefined) return null;
  return { kind: "secret", id: secret[1], ...(secret[2] !== undefined ? { key: secret[2] } : {}) };
}
