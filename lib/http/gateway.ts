/**
 * API Gateway's payloads, version 1.0 (REST APIs; HTTP APIs on request) and 2.0 (HTTP APIs, function URLs), to requests
 * and back (F-81). Every member may be absent.
 *
 * What a path holds differs by the service, not by the version: a REST API and a function URL hand it over as it was
 * sent, an HTTP API hands it over decoded, in `path` and in `rawPath` alike, and cuts it at a `?` that was encoded. So an
 * HTTP API cannot carry every session id in a path (N-2); a REST API can.
 */
import { randomUUID } from "node:crypto";
import { AnswerTooLargeError } from "./errors.js";
import { encodedAgain } from "./paths.js";
import { problemResponse } from "./problem.js";
import type { HttpHandler, HttpRequest, HttpResponse } from "./types.js";

type Texts = Readonly<Record<string, string | undefined>> | null;
type TextLists = Readonly<Record<string, readonly string[] | undefined>> | null;

/** What is read of either version. */
export interface GatewayEvent {
  /** Absent in the payload of a REST API. */
  version?: string;
  headers?: Texts;
  body?: string | null;
  isBase64Encoded?: boolean;
  // Version 1.0
  httpMethod?: string;
  path?: string;
  multiValueHeaders?: TextLists;
  queryStringParameters?: Texts;
  multiValueQueryStringParameters?: TextLists;
  // Version 2.0
  rawPath?: string;
  rawQueryString?: string;
  requestContext?: {
    stage?: string;
    domainName?: string;
    /** Version 1.0: the path with the stage before it. */
    path?: string;
    identity?: { userArn?: string | null; sourceIp?: string | null };
    authorizer?: { iam?: { userArn?: string | null } | null } | null;
    http?: { method?: string; path?: string; sourceIp?: string };
  };
}

export interface GatewayResult {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  isBase64Encoded: false;
}

/** What a function may answer with: 6 MB, the envelope included (the Lambda quotas). */
const MAX_ANSWER_BYTES = 6 * 1024 * 1024;
/** Below it no text reaches the limit, whatever has to be escaped. */
const SURELY_SMALL_CHARS = MAX_ANSWER_BYTES / 6;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const ROOTS = ["/v1", "/hooks", "/healthz"];

/** An HttpHandler as the gateway calls it. */
export function gatewayHandler(
  handler: HttpHandler,
): (event: GatewayEvent, context?: { signal?: AbortSignal }) => Promise<GatewayResult> {
  return async (event, context) => {
    const request = requestFromGateway(event);
    return gatewayResult(await handler(request, context), request);
  };
}

export function requestFromGateway(event: GatewayEvent): HttpRequest {
  const context = event.requestContext ?? {};
  const headers = headersOf(event);
  const iamArn = context.authorizer?.iam?.userArn ?? context.identity?.userArn;
  const sourceIp = context.http?.sourceIp ?? context.identity?.sourceIp;
  const given = headers["x-request-id"];
  return {
    method: (context.http?.method ?? event.httpMethod ?? "GET").toUpperCase(),
    path: pathOf(event),
    query: queryOf(event),
    headers,
    body: bodyOf(event),
    // N-3
    requestId: given !== undefined && UUID.test(given) ? given : randomUUID(),
    ...(iamArn ? { iamArn } : {}),
    ...(sourceIp ? { sourceIp } : {}),
  };
}

/** F-74: an answer that the gateway would not take is not attempted. */
export function gatewayResult(response: HttpResponse, request: HttpRequest): GatewayResult {
  const result = plainResult(response);
  if (result.body.length <= SURELY_SMALL_CHARS) return result;
  if (Buffer.byteLength(JSON.stringify(result)) <= MAX_ANSWER_BYTES) return result;
  return plainResult(problemResponse(new AnswerTooLargeError(), request));
}

function plainResult({ status, headers, body }: HttpResponse): GatewayResult {
  return { statusCode: status, headers, body, isBase64Encoded: false };
}

function headersOf({ headers, multiValueHeaders }: GatewayEvent): Record<string, string> {
  const found: Record<string, string[]> = Object.create(null);
  const lists = Object.entries(multiValueHeaders ?? {});
  const entries = lists.length > 0 ? lists : Object.entries(headers ?? {});
  for (const [name, value] of entries) {
    if (value === undefined || value === null) continue;
    const values = (typeof value === "string" ? [value] : value) as readonly string[];
    // biome-ignore lint/suspicious/noAssignInExpressions: the list is made at its first value
    (found[name.toLowerCase()] ??= []).push(...values);
  }
  return Object.fromEntries(Object.entries(found).map(([name, values]) => [name, values.join(", ")]));
}

function queryOf(event: GatewayEvent): URLSearchParams {
  if (event.rawQueryString !== undefined) return new URLSearchParams(event.rawQueryString);
  const query = new URLSearchParams();
  const lists = Object.entries(event.multiValueQueryStringParameters ?? {});
  const entries = lists.length > 0 ? lists : Object.entries(event.queryStringParameters ?? {});
  for (const [name, value] of entries) {
    for (const one of typeof value === "string" ? [value] : (value ?? [])) query.append(name, one);
  }
  return query;
}

/** F-79: the bytes that were sent, decoded first where the gateway says so. */
function bodyOf({ body, isBase64Encoded }: GatewayEvent): Uint8Array {
  return body ? Buffer.from(body, isBase64Encoded ? "base64" : "utf8") : new Uint8Array();
}

function pathOf(event: GatewayEvent): string {
  const path = withoutStage(event, event.rawPath ?? event.path ?? "/");
  return isDecoded(event) ? encodedAgain(path) : path;
}

/** Of the services only HTTP APIs decode; their payload says its version, a REST API's does not. */
function isDecoded({ version, requestContext }: GatewayEvent): boolean {
  const isFunctionUrl = requestContext?.domainName?.includes(".lambda-url.") === true;
  return version !== undefined && !isFunctionUrl;
}

/** Stages and base path mappings stand before the path or not, by service and domain: what is served decides. */
function withoutStage({ requestContext, rawPath }: GatewayEvent, path: string): string {
  const { stage = "", path: whole } = requestContext ?? {};
  const isBare = rawPath === undefined && whole === `/${stage}${path}`;
  if (isBare || !path.startsWith(`/${stage}/`)) return path;
  const rest = path.slice(stage.length + 1);
  return ROOTS.some((root) => rest === root || rest.startsWith(`${root}/`)) ? rest : path;
}
