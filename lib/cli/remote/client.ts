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

/** @throws {UsageError} for what is no address, or would send the key over the network in the clear */
export function createRemoteClient(
  endpoint: string,
  env: Record<string, string | undefined>,
  command: string,
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
      redirect: "error",
      ...(signal ? { signal } : {}),
    };
    return answerOf(await sent(url, request, signal));
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

async function sent(url: URL, request: RequestInit, signal?: AbortSignal): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetch(url, request);
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt < ATTEMPTS) continue;
      const cause = (error as { cause?: unknown }).cause;
      const reason = cause instanceof Error ? cause.message : String(error);
      throw new EndpointUnreachableError(`${url.origin} does not answer: ${reason}`);
    }
  }
}

async function answerOf(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  const body = parsed(text);
  if (response.ok && body) return body;
  if (body && typeof body.code === "string") throw new RemoteProblemError(body as unknown as Problem);
  throw new EndpointUnreachableError(
    `${new URL(response.url).origin} answered ${response.status} and not as the API of an environment does.`,
  );
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
