/** Secrets that a text must not carry into a file that is committed. */

const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASS|PASSWORD|PASSWD|PASSPHRASE|_PWD|CREDENTIAL|PRIVATE|DSN)S?(?:_|$)/i;
/** A shorter value could be any word. */
const MIN_LENGTH = 8;

const SHAPES: readonly (readonly [string, RegExp])[] = [
  ["a private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ["an AWS access key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ["an API key", /\bsk-[A-Za-z0-9_-]{20,}/],
  ["an API key", /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/],
  ["an API key", /\bAIza[A-Za-z0-9_-]{35}/],
  ["an API key of Parkway", /\bpw_[a-z0-9-]{1,40}_[A-Za-z0-9]+_[A-Za-z0-9_-]{20,}/],
  ["a GitHub token", /\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{30,}/],
  ["a Slack token", /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/],
  ["a JSON Web Token", /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+/],
  // Words of a sentence hold no digit.
  ["a bearer token", /\bBearer\s+(?=[A-Za-z._~+/-]*[0-9])[A-Za-z0-9._~+/-]{20,}/i],
  ["credentials of Basic authentication", /\bBasic\s+(?=[A-Za-z+/]*[0-9])[A-Za-z0-9+/]{12,}={0,2}/],
  ["an address with a password", /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"'<>]*:[^\s/@"'<>${}*]{3,}@/i],
  ["a signed address", /\bX-Amz-Signature=[0-9a-f]{64}/i],
  [
    "what is named as a secret",
    /(?:api[_-]?key|client[_-]?secret|access[_-]?token|refresh[_-]?token|password)\\?["']?\s*[:=]\s*\\?["']?(?=[^\s"',;]*[0-9])[^\s"',;\\$<{}]{12,}/i,
  ],
];

/**
 * Names the first secret in the text, never its value: that of a variable whose name says that it is one, the password
 * in a variable's address, or something of a shape that only secrets have.
 */
export function secretIn(text: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  for (const [name, value = ""] of Object.entries(env)) {
    if (secretsOf(name, value).some((secret) => secret.length >= MIN_LENGTH && holds(text, secret))) {
      return `the value of ${name}`;
    }
  }
  return SHAPES.find(([, shape]) => shape.test(text))?.[0];
}

function secretsOf(name: string, value: string): string[] {
  if (SECRET_NAME.test(name)) return [longestLine(value)];
  const password = URL.canParse(value) ? new URL(value).password : "";
  return password === "" ? [] : [password, decoded(password)];
}

/** As it is, or as JSON, JSON within JSON, or an address writes it. */
function holds(text: string, secret: string): boolean {
  const once = inJson(secret);
  return [secret, once, inJson(once), encodeURIComponent(secret)].some((written) => text.includes(written));
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** A file indents the lines of a text, and so none of them runs on into the next. */
function longestLine(value: string): string {
  return value
    .split(/\r?\n/)
    .reduce((longest, line) => (line.length > longest.length ? line : longest), "")
    .trim();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
