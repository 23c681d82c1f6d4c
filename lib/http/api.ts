/** The HTTP API of an environment (chapter N): routed, authenticated, checked, then one call of the intake. */
import type { Intake } from "../intake/types.js";
import type { Clock } from "../session/ports.js";
import type { AccessEntry, AccessLog } from "./access-log.js";
import { type Call, type Handlers, responseTo } from "./call.js";
import { type Authenticate, type Credentials, createAuthenticator, type Principal } from "./credentials.js";
import { ForbiddenError } from "./errors.js";
import { aboutHandlers } from "./handlers/about.js";
import { arrivalHandlers } from "./handlers/arrivals.js";
import { hookHandlers } from "./handlers/hooks.js";
import { sessionHandlers } from "./handlers/sessions.js";
import { turnHandlers } from "./handlers/turns.js";
import { type Limits, limitsFrom } from "./limits.js";
import { requireJsonAccepted } from "./negotiation.js";
import { isOurFault, problemOf, problemResponse } from "./problem.js";
import { findRoute } from "./router.js";
import type { Route, RouteName } from "./routes.js";
import type { HttpHandler, HttpRequest, HttpResponse } from "./types.js";
import { parseBody, parseQuery } from "./validation.js";

export interface ApiOptions {
  intake: Intake;
  /** At least one kind. */
  credentials: Credentials;
  /** The environment's name, which its keys carry. */
  environment: string;
  clock: Clock;
  /** Lower ones than N-6 has. */
  limits?: Partial<Limits>;
  /** Ids of the models that a request may choose for its turn; none unless given. */
  models?: readonly string[];
  log?: AccessLog;
}

const HANDLERS: Handlers = {
  ...aboutHandlers,
  ...arrivalHandlers,
  ...turnHandlers,
  ...sessionHandlers,
  ...hookHandlers,
};

/** Nobody: for routes that need no credential. */
const ANYONE: Principal = { id: "", scopes: new Set(), names: [], emails: [] };

/** @throws {TypeError} where no kind of credential is enabled (N-36) */
export function createApi(options: ApiOptions): HttpHandler {
  const { clock, log = () => {} } = options;
  const { intake, models = [] } = options;
  const context = { intake, models, limits: limitsFrom(options.limits) };
  const authenticate = createAuthenticator(options);
  return async (request, { signal } = {}) => {
    const startedAt = clock.now();
    const seen: Partial<AccessEntry> = {};
    const response = await answered({ ...context, signal, seen }, authenticate, request).catch((error: unknown) => {
      seen.code = problemOf(error).code;
      if (isOurFault(error)) seen.error = error;
      return problemResponse(error, request);
    });
    const { method, requestId } = request;
    log({ method, route: "", status: response.status, durationMs: clock.now() - startedAt, requestId, ...seen });
    return response;
  };
}

async function answered(
  context: Pick<Call<RouteName>, "intake" | "limits" | "models" | "signal" | "seen">,
  authenticate: Authenticate,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { seen, limits } = context;
  const { name, route, params } = findRoute(request);
  seen.route = route.path;
  const principal = await permitted(authenticate, request, route);
  if (principal !== ANYONE) seen.principal = principal.id;
  requireJsonAccepted(request);
  const query = parseQuery(route.query, request.query);
  const body = route.body && parseBody(route.body, request, limits);
  // The route's own schemas made query and body what its handler takes.
  const call = { ...context, name, request, params, query, body, principal } as never;
  return responseTo(await HANDLERS[name](call), request);
}

/** @throws {UnauthenticatedError} @throws {ForbiddenError} */
async function permitted(authenticate: Authenticate, request: HttpRequest, route: Route): Promise<Principal> {
  if (route.scopes === null) return ANYONE;
  const principal = await authenticate(request);
  const isPermitted = route.scopes.length === 0 || route.scopes.some((scope) => principal.scopes.has(scope));
  if (!isPermitted) throw new ForbiddenError(route.scopes);
  return principal;
}
