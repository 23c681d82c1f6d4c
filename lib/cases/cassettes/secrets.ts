/** Secrets that a text must not carry into a file that is committed. */

const SECRET_NAME = /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|PRIVATE|DSN)(?:_|$)|APIKEY/i;
/** A shorter value could be any word. */
const MIN_LENGTH = 8;

const SHAPES: readonly (readonly [string, RegExp])[] = [
  ["a private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ["an AWS access key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ["an API key", /\bsk-[A-Za-z0-9_-]{20,}/],
  ["a GitHub token", /\bgh[pousr]_[A-Za-z0-9]{30,}/],
];

/**
 * Names the first secret in the text, never its value: that of a variable whose name says that it is one, or something
 * of a shape that only secrets have.
 */
export function secretIn(text: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  for (const [name, value] of Object.entries(env)) {
    if (!SECRET_NAME.test(name) || value === undefined || value.length < MIN_LENGTH) continue;
    if (text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1))) return `the value of ${name}`;
  }
  return SHAPES.find(([, shape]) => shape.test(text))?.[0];
}
