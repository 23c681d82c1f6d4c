/** Who is asking (N-36): exactly one credential a request, an API key or what the gateway verified. */
import type { ApiKey, ApiKeys } from "../session/api-keys.js";
import type { Clock } from "../session/ports.js";
import { InvalidRequestError, UnauthenticatedError } from "./errors.js";
import { isKeyValid, parseApiKey } from "./keys.js";
import type { Scope } from "./scopes.js";
import type { HttpRequest } from "./types.js";

/** The kinds that an environment enables; at least one. */
export interface Credentials {
  apiKeys?: {
    keys: ApiKeys;
    /** What hashes are made with; asked for once. */
    hashKey: () => Promise<string>;
  };
  /** By ARN, in which `*` stands for any text: what its callers may do. All patterns that fit count. */
  iam?: Readonly<Record<string, readonly Scope[]>>;
}

export interface Principal {
  /** `key:<id>` or the ARN: names who it was in logs and as `decidedBy`. */
  id: string;
  scopes: ReadonlySet<string>;
  /** The only workflows it may touch; all unless given. */
  workflows?: readonly string[];
  tenant?: string;
  /** What an `approvers` entry may name it by (N-38): subject, groups. */
  names: readonly string[];
  /** Verified addresses, compared without regard to case. */
  emails: readonly string[];
}

export type Authenticate = (request: HttpRequest) => Promise<Principal>;

/** Of the 60 s within which a revocation takes effect (N-36), what a warm function may go on with. */
const KEPT_MS = 30_000;
const KEPT_KEYS = 1_000;

/** @throws {TypeError} where no kind is enabled */
export function createAuthenticator(options: {
  credentials: Credentials;
  environment: string;
  clock: Clock;
}): Authenticate {
  const { apiKeys, iam } = options.credentials;
  if (!apiKeys && !iam) throw new TypeError("The API needs a kind of credential: API keys, IAM, or both.");
  const checkKey = apiKeys && createKeyCheck(apiKeys, options);
  return async (request) => {
    const { bearer, iamArn } = soleCredential(request);
    if (iamArn !== undefined && iam) return iamPrincipal(iamArn, iam);
    if (bearer !== undefined && checkKey) return checkKey(bearer);
    throw new UnauthenticatedError();
  };
}

/** N-38: an entry is an e-mail address, a subject or a group. */
export function isApprover(principal: Principal, approvers: readonly string[]): boolean {
  return approvers.some((entry) => {
    const address = entry.trim().toLowerCase();
    return principal.names.includes(entry.trim()) || principal.emails.some((email) => email.toLowerCase() === address);
  });
}

/** Whether an ARN fits a pattern in which only `*` has a meaning. */
export function matchesArn(pattern: string, arn: string): boolean {
  const [first = "", ...parts] = pattern.split("*");
  const last = parts.pop();
  if (last === undefined) return pattern === arn;
  if (!arn.startsWith(first) || !arn.endsWith(last) || arn.length < first.length + last.length) return false;
  let rest = arn.slice(first.length, arn.length - last.length);
  for (const part of parts) {
    const at = rest.indexOf(part);
    if (at === -1) return false;
    rest = rest.slice(at + part.length);
  }
  return true;
}

function soleCredential({ headers, iamArn }: HttpRequest): { bearer?: string; iamArn?: string } {
  const { authorization } = headers;
  // A signed request carries its signature there, which the gateway has checked.
  const isSignature = authorization?.startsWith("AWS4-") === true;
  if (iamArn !== undefined && authorization !== undefined && !isSignature) throw manyCredentials();
  if (iamArn !== undefined) return { iamArn };
  const [, bearer] = /^Bearer +(.*)$/i.exec(authorization ?? "") ?? [];
  if (bearer === undefined) return {};
  if (bearer.includes(",")) throw manyCredentials();
  return { bearer: bearer.trim() };
}

function manyCredentials(): InvalidRequestError {
  return new InvalidRequestError("The request carries more than one credential; send exactly one.");
}

function createKeyCheck(
  { keys, hashKey }: NonNullable<Credentials["apiKeys"]>,
  { environment, clock }: { environment: string; clock: Clock },
): (bearer: string) => Promise<Principal> {
  const kept = new Map<string, { key: ApiKey; until: number }>();
  let fetched: Promise<string> | undefined;

  function hashingKey(): Promise<string> {
    fetched ??= hashKey().catch((error: unknown) => {
      fetched = undefined;
      throw error;
    });
    return fetched;
  }

  async function find(id: string): Promise<ApiKey | null> {
    const known = kept.get(id);
    if (known && clock.now() < known.until) return known.key;
    kept.delete(id);
    const key = await keys.find(id);
    if (kept.size >= KEPT_KEYS) kept.clear();
    if (key) kept.set(id, { key, until: clock.now() + KEPT_MS });
    return key;
  }

  return async (bearer) => {
    const parsed = parseApiKey(bearer);
    if (parsed === null || parsed.environment !== environment) throw new UnauthenticatedError();
    const [key, secret] = await Promise.all([find(parsed.id), hashingKey()]);
    const isValid = isKeyValid(key, parsed.secret, { hashKey: secret, now: clock.now() });
    if (!key || !isValid) throw new UnauthenticatedError();
    return {
      id: `key:${key.id}`,
      scopes: new Set(key.scopes),
      ...(key.workflows ? { workflows: key.workflows } : {}),
      ...(key.tenant !== undefined ? { tenant: key.tenant } : {}),
      names: [`key:${key.id}`],
      emails: [],
    };
  };
}

function iamPrincipal(arn: string, iam: NonNullable<Credentials["iam"]>): Principal {
  const fitting = Object.entries(iam).filter(([pattern]) => matchesArn(pattern, arn));
  return { id: arn, scopes: new Set(fitting.flatMap(([, scopes]) => scopes)), names: [arn], emails: [] };
}
