/** Every route of the API, as data (N-42): the router, the checks and the description are made of it. */
import type * as z from "zod/mini";
import { PATHS, type PathTemplate } from "./paths.js";
import * as schema from "./schemas.js";
import type { Scope } from "./scopes.js";

export interface Route {
  method: "GET" | "POST" | "DELETE";
  path: PathTemplate;
  /** One of them is needed; none of them: any credential; null: no credential either. */
  scopes: readonly Scope[] | null;
  query: z.ZodMiniType;
  /** Only for POST. */
  body?: z.ZodMiniType;
  /** Whether it accepts an arrival, whose key the caller's is (N-13). */
  arrival?: true;
}

export const ROUTES = {
  health: { method: "GET", path: PATHS.health, scopes: null, query: schema.noQuery },
  me: { method: "GET", path: PATHS.me, scopes: [], query: schema.noQuery },
  startSession: {
    method: "POST",
    path: PATHS.workflowSessions,
    scopes: ["sessions:start"],
    query: schema.turnQuery,
    body: schema.startBody,
    arrival: true,
  },
  sendTurn: {
    method: "POST",
    path: PATHS.sessionTurns,
    scopes: ["sessions:send"],
    query: schema.turnQuery,
    body: schema.turnBody,
    arrival: true,
  },
  decide: {
    method: "POST",
    path: PATHS.sessionDecision,
    scopes: ["sessions:decide", "sessions:decide:any"],
    query: schema.turnQuery,
    body: schema.decisionBody,
    arrival: true,
  },
  reply: {
    method: "POST",
    path: PATHS.sessionReplies,
    scopes: ["sessions:send"],
    query: schema.turnQuery,
    body: schema.replyBody,
    arrival: true,
  },
  deliver: {
    method: "POST",
    path: PATHS.sessionDeliveries,
    scopes: ["sessions:deliver"],
    query: schema.turnQuery,
    body: schema.deliveryBody,
    arrival: true,
  },
  turn: { method: "GET", path: PATHS.turn, scopes: ["sessions:read"], query: schema.turnQuery },
  cancelTurn: {
    method: "POST",
    path: PATHS.turnCancel,
    scopes: ["sessions:send"],
    query: schema.noQuery,
    body: schema.emptyBody,
  },
  listSessions: { method: "GET", path: PATHS.sessions, scopes: ["sessions:read"], query: schema.sessionsQuery },
  session: { method: "GET", path: PATHS.session, scopes: ["sessions:read"], query: schema.noQuery },
  deleteSession: { method: "DELETE", path: PATHS.session, scopes: ["sessions:delete"], query: schema.deleteQuery },
  trail: { method: "GET", path: PATHS.sessionTrail, scopes: ["sessions:read"], query: schema.noQuery },
  variables: { method: "GET", path: PATHS.sessionVariables, scopes: ["sessions:read"], query: schema.noQuery },
  hookFailures: { method: "GET", path: PATHS.hookFailures, scopes: ["hooks:read"], query: schema.failuresQuery },
  redrive: {
    method: "POST",
    path: PATHS.hookRedrive,
    scopes: ["hooks:redrive"],
    query: schema.noQuery,
    body: schema.emptyBody,
  },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof ROUTES;
type Declared<Name extends RouteName> = (typeof ROUTES)[Name];

export type QueryOf<Name extends RouteName> = z.output<Declared<Name>["query"]>;
export type BodyOf<Name extends RouteName> =
  Declared<Name> extends { body: infer Body extends z.ZodMiniType } ? z.output<Body> : undefined;
