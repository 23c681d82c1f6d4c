import { describe, expect, it } from "vitest";
import {
  EmptyMessageError,
  IdempotencyConflictError,
  InboxFullError,
  InvalidDecisionTargetError,
  InvalidSessionPathError,
  InvalidTitleError,
  InvalidTurnFileError,
  InvalidVariableNameError,
  MissingDeliveryTriggerError,
  ParkwayError,
  SessionBusyError,
  SessionNotAwaitingInputError,
  SessionNotParkedError,
  SessionNotResumableError,
  SessionStoreIdError,
  SessionWorkflowMismatchError,
  StaleDecisionError,
  StoreUnavailableError,
  UnknownSessionTriggerError,
  UnknownTriggerError,
} from "../session/errors.js";
import {
  ForbiddenError,
  InvalidRequestError,
  InvalidSignatureError,
  MethodNotAllowedError,
  NotFoundError,
  TooLargeError,
  TurnSettledError,
  UnauthenticatedError,
} from "./errors.js";
import { problemResponse } from "./problem.js";

const REQUEST = { path: "/v1/turns/1", requestId: "0f8fad5b-d9cb-469f-a165-70867728950e" };

function told(error: unknown) {
  const response = problemResponse(error, REQUEST);
  return { ...response, problem: JSON.parse(response.body) };
}

const named = (name: string, more: object = {}) => Object.assign(new Error("secret text"), { name, ...more });

const ROWS: [error: unknown, status: number, code: string][] = [
  [new InvalidRequestError("no"), 400, "invalid-request"],
  [new SessionStoreIdError("..", "no"), 400, "invalid-session-id"],
  [new InvalidVariableNameError("A", "turn"), 400, "invalid-variable-name"],
  [new InvalidSessionPathError("", "no"), 400, "invalid-session-path"],
  [new InvalidTurnFileError("a", "no"), 400, "invalid-turn-file"],
  [new UnauthenticatedError(), 401, "unauthenticated"],
  [new InvalidSignatureError(), 401, "invalid-signature"],
  [new ForbiddenError(["sessions:read"]), 403, "forbidden"],
  [new NotFoundError(), 404, "not-found"],
  [new MethodNotAllowedError(["GET"]), 405, "method-not-allowed"],
  [new SessionNotParkedError("s", null), 409, "session-not-parked"],
  [new SessionNotAwaitingInputError("s", null), 409, "session-not-awaiting-input"],
  [new StaleDecisionError(1, 2), 409, "stale-decision"],
  [new SessionNotResumableError("s", "running"), 409, "session-busy"],
  [new SessionBusyError("s", "is being deleted"), 409, "session-deleting"],
  [new SessionWorkflowMismatchError("s", "a", "b"), 409, "session-workflow-mismatch"],
  [new TurnSettledError(), 409, "turn-settled"],
  [new TooLargeError("It", 1), 413, "too-large"],
  [new UnknownTriggerError("a", []), 422, "unknown-trigger"],
  [new UnknownSessionTriggerError("a", []), 422, "unknown-trigger"],
  [new MissingDeliveryTriggerError(), 422, "missing-trigger"],
  [new EmptyMessageError(), 422, "empty-message"],
  [new InvalidDecisionTargetError("a", ["b"]), 422, "invalid-decision-target"],
  [new InvalidTitleError("no"), 422, "invalid-variables"],
  [new IdempotencyConflictError("arr-1"), 422, "idempotency-key-reused"],
  [new InboxFullError("s", 1000), 429, "inbox-full"],
  [new StoreUnavailableError("read", "busy"), 503, "unavailable"],
  [named("ThrottlingException"), 503, "unavailable"],
  [named("InternalServerError", { $metadata: { httpStatusCode: 500 } }), 503, "unavailable"],
  [named("ResourceNotFoundException", { $metadata: { httpStatusCode: 400 } }), 500, "internal"],
  [new TypeError("secret text"), 500, "internal"],
  [new ParkwayError("secret text"), 500, "internal"],
  ["secret text", 500, "internal"],
];

describe("problemResponse", () => {
  it.each(ROWS)("N-5 tells %s as %i %s", (error, status, code) => {
    const { problem, ...response } = told(error);
    expect(response.status).toBe(status);
    expect(problem).toMatchObject({ status, code });
  });

  it("N-3, N-4 has type, title, status, code and request id, and the code is the last part of the type", () => {
    for (const [error] of ROWS) {
      const { problem, headers } = told(error);
      expect(problem).toMatchObject({
        title: expect.any(String),
        instance: REQUEST.path,
        requestId: REQUEST.requestId,
      });
      expect(problem.type).toBe(`urn:parkway:problem:${problem.code}`);
      expect(headers).toMatchObject({
        "Content-Type": "application/problem+json",
        "X-Request-Id": REQUEST.requestId,
        "Cache-Control": "no-store",
      });
    }
  });

  it("N-4, F-101 says nothing of what went wrong on our side", () => {
    for (const [error, status] of ROWS.filter(([, status]) => status >= 500)) {
      const { body } = told(error);
      expect(body).not.toContain("secret");
      expect(JSON.parse(body).detail, String(status)).toBeUndefined();
    }
  });

  it("N-5 says when to come again, how to authenticate, which methods there are, which targets are valid", () => {
    expect(told(new SessionNotResumableError("s", "running")).headers["Retry-After"]).toBe("2");
    expect(told(new SessionNotResumableError("s~1", "child")).headers["Retry-After"]).toBeUndefined();
    expect(told(new SessionBusyError("s", "is being deleted")).headers["Retry-After"]).toBe("2");
    expect(told(new InboxFullError("s", 1000)).headers["Retry-After"]).toMatch(/^\d+$/);
    expect(told(new StoreUnavailableError("read", "busy")).headers["Retry-After"]).toMatch(/^\d+$/);
    expect(told(new UnauthenticatedError()).headers["WWW-Authenticate"]).toBe("Bearer");
    expect(told(new InvalidSignatureError()).headers["WWW-Authenticate"]).toBeUndefined();
    expect(told(new MethodNotAllowedError(["GET", "DELETE"])).headers.Allow).toBe("GET, DELETE");
    expect(told(new InvalidDecisionTargetError("a", ["b", "c"])).problem.validTargets).toEqual(["b", "c"]);
    expect(told(new InvalidTitleError("it is too long")).problem.errors).toEqual([
      { pointer: "/variables/title", code: "invalid", detail: "The title cannot be used: it is too long." },
    ]);
  });
});
