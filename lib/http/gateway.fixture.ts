/** Requests as API Gateway hands them to a function, in the shapes of its three services, for tests. */
import type { GatewayEvent } from "./gateway.js";

export interface Sent {
  method?: string;
  /** As a client sends it, with its query. */
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  iamArn?: string;
  stage?: string;
}

export const SERVICES = ["http-api-2.0", "http-api-1.0", "rest-api"] as const;
export type Service = (typeof SERVICES)[number];

export function gatewayEvent(service: Service, sent: Sent): GatewayEvent {
  return service === "http-api-2.0" ? version2(sent) : version1(service, sent);
}

/** An HTTP API: names in lower case, the path decoded and behind the stage, bodies that are no text in base64. */
function version2(sent: Sent): GatewayEvent {
  const { method = "GET", stage = "$default", iamArn } = sent;
  const { path, query } = split(sent.url);
  const rawPath = `${stage === "$default" ? "" : `/${stage}`}${decodedByHttpApi(path)}`;
  return {
    version: "2.0",
    rawPath,
    rawQueryString: query,
    headers: lowerCased(sent.headers),
    ...bodyOf(sent.body),
    requestContext: {
      stage,
      domainName: "abc123.execute-api.eu-central-1.amazonaws.com",
      http: { method, path: rawPath, sourceIp: "192.0.2.1" },
      ...(iamArn ? { authorizer: { iam: { userArn: iamArn } } } : {}),
    },
  };
}

/** A REST API keeps names and path as they were sent; an HTTP API says its version and decodes the path here too. */
function version1(service: Service, sent: Sent): GatewayEvent {
  const { method = "GET", stage = "dev", iamArn = null } = sent;
  const { path, query } = split(sent.url);
  const isRest = service === "rest-api";
  const headers = isRest ? (sent.headers ?? {}) : lowerCased(sent.headers);
  const shown = isRest ? path : decodedByHttpApi(path);
  const parameters = new URLSearchParams(query);
  const lists = Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)]));
  return {
    ...(isRest ? {} : { version: "1.0" }),
    httpMethod: method,
    path: shown,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: query === "" ? null : Object.fromEntries(parameters),
    multiValueQueryStringParameters: query === "" ? null : lists,
    ...bodyOf(sent.body),
    requestContext: {
      stage,
      path: `/${stage}${shown}`,
      domainName: "abc123.execute-api.eu-central-1.amazonaws.com",
      identity: { userArn: iamArn, sourceIp: "192.0.2.1" },
    },
  };
}

/** What HTTP APIs do to a path: decode it, and cut it at the first `?` that results. */
function decodedByHttpApi(path: string): string {
  return decodeURIComponent(path).split("?")[0] ?? "";
}

function bodyOf(body: Sent["body"]): Pick<GatewayEvent, "body" | "isBase64Encoded"> {
  if (body === undefined) return { body: null, isBase64Encoded: false };
  if (typeof body === "string") return { body, isBase64Encoded: false };
  return { body: Buffer.from(body).toString("base64"), isBase64Encoded: true };
}

function split(url: string): { path: string; query: string } {
  const at = url.indexOf("?");
  return at === -1 ? { path: url, query: "" } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

function lowerCased(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
