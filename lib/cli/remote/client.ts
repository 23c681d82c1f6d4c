/** Requests to a deployed environment's HTTP API (N), with the key of the process's environment (C-71). */
import { randomUUID } from "node:crypto";
import { type PathTemplate, type Problem, pathTo } from "../../http/index.js";
import { ParkwayError } from "../../session/errors.js";
import { UsageError } from "../errors.js";

/** The environment refused, or could not do, what was asked: its problem (N-4). */
export class RemoteProblemError extends ParkwayError {
  override readonly code: string;
  readonly status: number;
  readonly errors?: unknown;

  constructor({ code, status, title, detail, errors }: Problem & { detail?: string; errors?: unknown }) {
    super(detail ?? title);
    this.code = code;
    this.status = status;
    if (errors !== undefined) this.errors = errors;
  }
}

/** No answer came, or none of the API's. */
export class EndpointUnreachableError extends ParkwayError {
  override readonly code = "endpoint-unreachable";
}

export interface RemoteCall {
  path: PathTemplate;
  params?: Record<string, string>;
  query?: Record<string, string>;
  /** A POST where there is one. */
  body?: object;
  /** Seconds the answer may be held back (N-10). */
  wait?: number;
  signal?: AbortSignal;
}

export type RemoteClient = (call: RemoteCall) => Promise<Record<string, unknown>>;

/** What is sent again when the connection fails: the key makes a repetition the same input (N-13). */
const ATTEMPTS = 3;
/** Of one attempt, beyond what the answer may be held back. */
const ANSWER_MS = 30_000;

/**
 * @param answerMs - how long an attempt may go without its answer
 * @throws {UsageError} for what is no address, or would send the key over the network in the clear
 */
export function createRemoteClient(
  endpoint: string,
  env: Record<string, string | undefined>,
  command: string,
  answerMs: number = ANSWER_MS,
): RemoteClient {
  const base = baseOf(endpoint, command);
  const key = env.PARKWAY_API_KEY;
  if (!key) throw new UsageError("--endpoint needs an API key in PARKWAY_API_KEY", command);
  return async ({ path, params, query = {}, body, wait, signal }) => {
    const url = new URL(`${base}${pathTo(path, params)}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const request: RequestInit = {
      method: body ? "POST" : "GET",
      headers: {
        Accept: "application/json",
        Authorization: `Bearer ${key}`,
        ...(body ? { "Content-Type": "application/json", "Idempotency-Key": randomUUID() } : {}),
        ...(wait === undefined ? {} : { Prefer: `wait=${wait}` }),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      // A key is sent to the address that was given, and nowhere else.
      redirect: "manual",
    };
    return answerOf(url, await sent(url, request, { signal, answerMs: answerMs + (wait ?? 0) * 1000 }));
  };
}

function baseOf(endpoint: string, command: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--endpoint must be the https:// address of an environment, found "${endpoint}"`, command);
  }
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url.protocol === "http:" && !isLocal) {
    throw new UsageError(`--endpoint must begin with https://, so that the API key is not sent in the clear`, command);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/** What came back; an answer that breaks off is none. */
interface Answer {
  status: number;
  text: string;
}

async function sent(
  url: URL,
  request: RequestInit,
  { signal, answerMs }: { signal?: AbortSignal; answerMs: number },
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const late = AbortSignal.timeout(answerMs);
    try {
      const response = await fetch(url, { ...request, signal: signal ? AbortSignal.any([signal, late]) : late });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt < ATTEMPTS) continue;
      const cause = (error as { cause?: unknown }).cause;
      const reason = cause instanceof Error ? cause.message : (error as Error).message;
      const why = late.aborted ? `no answer within ${answerMs / 1000} s` : reason;
      throw new EndpointUnreachableError(`${url.origin} does not answer: ${why}`);
    }
  }
}

function answerOf({ origin }: URL, { status, text }: Answer): Record<string, unknown> {
  const body = parsed(text);
  if (status >= 200 && status < 300 && body) return body;
  if (body && isProblem(body)) throw new RemoteProblemError(body);
  const how = status >= 300 && status < 400 ? ", a redirection, which the API key does not follow," : "";
  throw new EndpointUnreachableError(
    `${origin} answered ${status}${how} and not as the API of an environment does; look at --endpoint.`,
  );
}

function isProblem(body: Record<string, unknown>): body is Record<string, unknown> & Problem {
  return typeof body.code === "string" && typeof body.title === "string";
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
