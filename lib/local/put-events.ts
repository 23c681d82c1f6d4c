/** `POST /events` on one machine: an event for the bus, where AWS has PutEvents. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import {
  type AccessEntry,
  type AccessLog,
  type createAuthenticator,
  ForbiddenError,
  type HttpHandler,
  InvalidRequestError,
  isOurFault,
  JSON_TYPE,
  jsonFrom,
  NotFoundError,
  problemOf,
  problemResponse,
  requireMediaType,
} from "../http/index.js";
import type { Clock } from "../session/ports.js";
import { LOCAL_ACCOUNT, LOCAL_REGION, type LocalBus, wholeSeconds } from "./bus.js";

const PATH = "/events";
/** An event starts sessions. */
const SCOPE = "sessions:start";

const eventSchema = z.strictObject({
  source: z.string().min(1),
  "detail-type": z.string().min(1),
  detail: z.record(z.string(), z.json()),
  /** The same id twice fires once. */
  id: z.string().min(1).optional(),
  resources: z.array(z.string()).optional(),
});

export interface EventsEntranceOptions {
  authenticate: ReturnType<typeof createAuthenticator>;
  bus: Pick<LocalBus, "put">;
  clock: Pick<Clock, "now">;
  log: AccessLog;
}

/** Answers `{ id, fired }` with the names of the rules that the event matched. */
export function createEventsEntrance({ authenticate, bus, clock, log }: EventsEntranceOptions): HttpHandler {
  const answer: HttpHandler = async (request) => {
    if (request.path !== PATH || request.method !== "POST") throw new NotFoundError();
    const { scopes } = await authenticate(request);
    if (!scopes.has(SCOPE)) throw new ForbiddenError([SCOPE]);
    requireMediaType(request, [JSON_TYPE]);
    const { id = randomUUID(), resources = [], ...event } = eventFrom(request.body);
    const { fired } = await bus.put({
      version: "0",
      id,
      ...event,
      account: LOCAL_ACCOUNT,
      time: wholeSeconds(clock.now()),
      region: LOCAL_REGION,
      resources,
    });
    const headers = { "Content-Type": "application/json", "X-Request-Id": request.requestId };
    return { status: 200, headers, body: JSON.stringify({ id, fired }) };
  };

  return async (request, context) => {
    const startedAt = clock.now();
    const failed: Pick<AccessEntry, "code" | "error"> = {};
    const response = await answer(request, context).catch((error: unknown) => {
      failed.code = problemOf(error).code;
      if (isOurFault(error)) failed.error = error;
      return problemResponse(error, request);
    });
    const { method, requestId } = request;
    log({
      method,
      route: PATH,
      status: response.status,
      durationMs: clock.now() - startedAt,
      requestId,
      ...failed,
    });
    return response;
  };
}

/** @throws {InvalidRequestError} naming what is wrong where */
function eventFrom(body: Uint8Array): z.infer<typeof eventSchema> {
  const parsed = eventSchema.safeParse(jsonFrom(body));
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, code, message }) => ({
    pointer: path.map((key) => `/${String(key)}`).join(""),
    code,
    detail: message,
  }));
  throw new InvalidRequestError("The body is no event.", errors);
}
