/** One request on its way through a route, as its handler is given it. */
import type { Intake } from "../intake/types.js";
import { parseSessionId } from "../session/ids.js";
import type { AccessEntry } from "./access-log.js";
import type { Principal } from "./credentials.js";
import { NotFoundError } from "./errors.js";
import type { Limits } from "./limits.js";
import type { BodyOf, QueryOf, RouteName } from "./routes.js";
import type { HttpRequest, HttpResponse } from "./types.js";

export interface Call<Name extends RouteName> {
  name: Name;
  request: HttpRequest;
  /** Decoded. */
  params: Readonly<Record<string, string>>;
  query: QueryOf<Name>;
  body: BodyOf<Name>;
  principal: Principal;
  intake: Intake;
  limits: Limits;
  /** Ids of the models that may be chosen. */
  models: readonly string[];
  signal?: AbortSignal;
  /** What the access log is told. */
  seen: Partial<AccessEntry>;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** Becomes JSON; none for 204. */
  body?: unknown;
}

export type Handlers = { [Name in RouteName]: (call: Call<Name>) => Promise<Answer> };

/** The session that the path names. @throws {SessionStoreIdError} */
export function sessionIdOf({ params, seen }: Pick<Call<RouteName>, "params" | "seen">): string {
  const sessionId = parseSessionId(params.id ?? "");
  seen.sessionId = sessionId;
  return sessionId;
}

export function mayUse({ workflows }: Principal, workflow: string): boolean {
  return workflows === undefined || workflows.includes(workflow);
}

/** N-37: what a credential is not for does not exist for it. */
export function requireWorkflow(principal: Principal, workflow: string | undefined): void {
  if (workflow !== undefined && !mayUse(principal, workflow)) throw new NotFoundError();
}

export function responseTo({ status, headers, body }: Answer, { requestId }: HttpRequest): HttpResponse {
  return {
    status,
    headers: {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      "X-Request-Id": requestId,
      "Cache-Control": "no-store",
      ...headers,
    },
    body: body === undefined ? "" : JSON.stringify(body),
  };
}
