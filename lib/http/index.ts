/** The HTTP side of a deployment: gateway payloads, the API, webhooks, API keys. */
export type { AccessEntry, AccessLog } from "./access-log.js";
export { type ApiOptions, createApi } from "./api.js";
export { JSON_TYPE, jsonFrom, requireMediaType } from "./content.js";
export { type Credentials, createAuthenticator, type Principal } from "./credentials.js";
export { ForbiddenError, InvalidRequestError, NotFoundError } from "./errors.js";
export { type GatewayEvent, type GatewayResult, gatewayHandler, gatewayResult, requestFromGateway } from "./gateway.js";
export { makeApiKey, type NewApiKey } from "./keys.js";
export type { Limits } from "./limits.js";
export { modelsFrom } from "./models.js";
export { PATHS, type PathTemplate, pathTo } from "./paths.js";
export { isOurFault, type Problem, problemOf, problemResponse } from "./problem.js";
export { ROUTES, type Route } from "./routes.js";
export { isScope, SCOPES, type Scope } from "./scopes.js";
export { isSignatureValid, type Signed } from "./signatures.js";
export type { HttpHandler, HttpRequest, HttpResponse } from "./types.js";
export { createWebhooks, type WebhooksOptions } from "./webhooks.js";
