/** Errors as RFC 9457 problem details (N-4), by one table from an error's code to what a caller is told (N-5). */
import { ParkwayError } from "../session/errors.js";
import type { HttpRequest, HttpResponse } from "./types.js";

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail?: string;
  instance?: string;
  code: string;
  requestId?: string;
  errors?: readonly unknown[];
  validTargets?: readonly string[];
}

interface Row {
  status: number;
  title: string;
  /** As it is told outside; the error's own unless given. */
  code?: string;
  retryAfterSeconds?: number;
}

/** By the `code` of the error, which two bundles agree on where they have two classes. */
const ROWS: Readonly<Record<string, Row>> = {
  "invalid-request": { status: 400, title: "The request is not valid" },
  "unstorable-state": { status: 400, title: "The request is not valid", code: "invalid-request" },
  "session-id": { status: 400, title: "The text cannot name a session", code: "invalid-session-id" },
  "invalid-variable-name": { status: 400, title: "The text cannot name a variable" },
  "invalid-session-path": { status: 400, title: "The session path is not valid" },
  "invalid-turn-file": { status: 400, title: "The file cannot be taken" },
  unauthenticated: { status: 401, title: "The request is not authenticated" },
  "invalid-signature": { status: 401, title: "The signature is not valid" },
  forbidden: { status: 403, title: "The credential does not permit this" },
  "not-an-approver": { status: 403, title: "Only an approver may decide" },
  "not-found": { status: 404, title: "Not found" },
  "unknown-workflow": { status: 404, title: "Not found", code: "not-found" },
  "unknown-session": { status: 404, title: "Not found", code: "not-found" },
  "method-not-allowed": { status: 405, title: "The method is not offered" },
  "not-acceptable": { status: 406, title: "The answer cannot be given as asked" },
  "session-not-parked": { status: 409, title: "The session awaits no decision" },
  "session-not-awaiting-input": { status: 409, title: "The session awaits no event" },
  "stale-decision": { status: 409, title: "The decision is for another question" },
  "session-not-resumable": { status: 409, title: "The session takes no input now", code: "session-busy" },
  "session-busy": {
    status: 409,
    title: "The session is being deleted",
    code: "session-deleting",
    retryAfterSeconds: 2,
  },
  "session-workflow-mismatch": { status: 409, title: "The session belongs to another workflow" },
  "turn-settled": { status: 409, title: "The turn has settled" },
  "workflow-disabled": { status: 409, title: "The workflow is out of service" },
  "too-large": { status: 413, title: "The request is too large" },
  "input-too-large": { status: 413, title: "The request is too large", code: "too-large" },
  "unsupported-media-type": { status: 415, title: "The content type is not taken" },
  "idempotency-conflict": { status: 422, title: "The idempotency key was used before", code: "idempotency-key-reused" },
  "unknown-trigger": { status: 422, title: "The workflow has no such trigger" },
  "unknown-session-trigger": { status: 422, title: "The workflow has no such trigger", code: "unknown-trigger" },
  "missing-delivery-trigger": { status: 422, title: "The delivery names no trigger", code: "missing-trigger" },
  "empty-message": { status: 422, title: "The message is empty" },
  "invalid-decision-target": { status: 422, title: "The decision has no such target" },
  "invalid-variables": { status: 422, title: "The variables are not valid" },
  "invalid-title": { status: 422, title: "The variables are not valid", code: "invalid-variables" },
  "model-not-allowed": { status: 422, title: "The model cannot be chosen" },
  "inbox-full": { status: 429, title: "Too many inputs wait", retryAfterSeconds: 30 },
  "answer-too-large": { status: 500, title: "The answer is too large" },
  "workflow-load": { status: 500, title: "The workflow cannot be loaded", code: "workflow-load-failed" },
  "unsupported-runtime-contract": {
    status: 500,
    title: "The workflow cannot be loaded",
    code: "workflow-load-failed",
  },
  "secret-unavailable": { status: 503, title: "Try again later", code: "unavailable", retryAfterSeconds: 2 },
  "store-unavailable": { status: 503, title: "Try again later", code: "unavailable", retryAfterSeconds: 2 },
};
const INTERNAL: Row = { status: 500, title: "Something went wrong here", code: "internal" };

/** What the services say that have too much to do, or cannot be reached. */
const THROTTLED =
  /Throttl|TooManyRequests|RequestLimitExceeded|ThroughputExceeded|SlowDown|ServiceUnavailable|^Timeout/;

/** The answer to an error. Of what is our fault it says nothing but the code (N-4). */
export function problemResponse(error: unknown, request: Pick<HttpRequest, "path" | "requestId">): HttpResponse {
  const row = rowOf(error);
  const problem: Problem = { ...problemOf(error), instance: request.path, requestId: request.requestId };
  return {
    status: row.status,
    headers: {
      "Content-Type": "application/problem+json",
      "X-Request-Id": request.requestId,
      "Cache-Control": "no-store",
      ...headersOf(error, row),
    },
    body: JSON.stringify(problem),
  };
}

/** The problem without the request that met it, as a turn's resource carries it (N-8, N-9). */
export function problemOf(error: unknown): Problem {
  const { status, title, code = codeOf(error) ?? "internal" } = rowOf(error);
  const isTold = error instanceof ParkwayError && (status < 500 || code === "answer-too-large");
  return {
    type: `urn:parkway:problem:${code}`,
    title,
    status,
    ...(isTold ? { detail: error.message } : {}),
    code,
    ...(isTold ? detailsOf(error) : {}),
  };
}

/** Whether an error is told to nobody but the log. */
export function isOurFault(error: unknown): boolean {
  return rowOf(error).status >= 500;
}

function rowOf(error: unknown): Row {
  const code = codeOf(error);
  if (code !== undefined && Object.hasOwn(ROWS, code)) return ROWS[code] ?? INTERNAL;
  return isThrottling(error) ? (ROWS["store-unavailable"] ?? INTERNAL) : INTERNAL;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof ParkwayError ? error.code : undefined;
}

function isThrottling(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof ParkwayError) return false;
  const { $retryable, $metadata } = error as { $retryable?: object; $metadata?: { httpStatusCode?: number } };
  return $retryable !== undefined || ($metadata?.httpStatusCode ?? 0) >= 500 || THROTTLED.test(error.name);
}

function headersOf(error: unknown, row: Row): Record<string, string> {
  const retryAfter = row.retryAfterSeconds ?? (isTurnRunning(error) ? 2 : undefined);
  const allowed = (error as { allowed?: readonly string[] } | null)?.allowed;
  return {
    ...(retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) }),
    ...(row.status === 401 && codeOf(error) === "unauthenticated" ? { "WWW-Authenticate": "Bearer" } : {}),
    ...(row.status === 405 && allowed ? { Allow: allowed.join(", ") } : {}),
  };
}

/** A turn that runs is over soon; a child's session never takes input of its own. */
function isTurnRunning(error: unknown): boolean {
  return codeOf(error) === "session-not-resumable" && (error as { status?: unknown }).status !== "child";
}

function detailsOf(error: ParkwayError): Pick<Problem, "errors" | "validTargets"> {
  const { errors, issues, validTargets } = error as {
    errors?: readonly unknown[];
    issues?: readonly { name: string; kind: string; message: string }[];
    validTargets?: readonly string[];
  };
  if (error.code === "invalid-title") {
    return { errors: [{ pointer: "/variables/title", code: "invalid", detail: error.message }] };
  }
  if (error.code === "invalid-variables" && issues) {
    return {
      errors: issues.map(({ name, kind, message }) => ({ pointer: `/variables/${name}`, code: kind, detail: message })),
    };
  }
  return { ...(errors ? { errors } : {}), ...(validTargets ? { validTargets } : {}) };
}
