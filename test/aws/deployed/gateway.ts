/** An HTTP API of API Gateway on loopback: routes of the template, payload format 2.0, answers as it would give them. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ACCOUNT } from "../arns.js";
import type { BenchClock } from "../bench-clock.js";
import { type Invocation, ThrottledError } from "../lambda/lambda-host.js";

export interface Route {
  /** `ANY /hooks/{proxy+}`, `GET /healthz`. */
  key: string;
  functionName: string;
  authorization: "NONE" | "AWS_IAM";
}

export interface Gateway {
  url: string;
  /** Milliseconds that each answer took, with the function that gave it. */
  answers: { functionName: string; status: number; ms: number; isCold: boolean }[];
  stop(): Promise<void>;
}

/** API Gateway developer guide, "Quotas for configuring and running an HTTP API". */
const MAX_BODY_BYTES = 10 * 1_024 * 1_024;
const INTEGRATION_TIMEOUT_MS = 30_000;

/** Who a SigV4 caller is, instead of a signature that the bench would have to verify. */
export const IAM_CALLER_HEADER = "x-bench-iam-arn";

export async function startGateway(options: {
  apiId: string;
  routes: Route[];
  clock: BenchClock;
  invoke(functionName: string, event: unknown): Promise<Invocation>;
}): Promise<Gateway> {
  const { apiId, routes, clock, invoke } = options;
  const answers: Gateway["answers"] = [];

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const body = await bytesOf(request);
    const url = new URL(String(request.url), "http://gateway");
    const route = routeFor(routes, String(request.method), url.pathname);
    if (!route) return answer(response, 404, { message: "Not Found" });
    if (body.length > MAX_BODY_BYTES) return answer(response, 413, { message: "Request Entity Too Large" });
    const caller = request.headers[IAM_CALLER_HEADER];
    if (route.authorization === "AWS_IAM" && caller === undefined) {
      return answer(response, 403, { message: "Forbidden" });
    }
    const event = payloadFrom(request, { url, body, route, apiId, now: clock.now() });
    const invocation = await timely(invoke(route.functionName, event)).catch((error: unknown) => {
      if (error instanceof ThrottledError) return null;
      throw error;
    });
    if (invocation === null) return answer(response, 503, { message: "Service Unavailable" });
    const { functionName } = route;
    const { status, headers, content } = answerFrom(invocation);
    answers.push({ functionName, status, ms: performance.now() - startedAt, isCold: invocation.isCold });
    response.writeHead(status, headers).end(content);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => answer(response, 500, { message: String(error) }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((stopped) => server.close(() => stopped()));
    },
  };
}

/** The most exact route wins: a method before ANY, a path before one with a greedy part. */
function routeFor(routes: Route[], method: string, path: string): Route | undefined {
  const fitting = routes.filter(({ key }) => {
    const [wanted = "", pattern = ""] = key.split(" ");
    if (wanted !== "ANY" && wanted !== method) return false;
    const source = pattern
      .replace(/\{[^}]+\+\}/g, "\u0000")
      .replace(/\{[^}]+\}/g, "[^/]+")
      .replaceAll("\u0000", ".+");
    return new RegExp(`^${source}$`).test(path);
  });
  return fitting.sort((a, b) => rank(a.key) - rank(b.key))[0];
}

function rank(key: string): number {
  return (key.includes("+}") ? 2 : 0) + (key.startsWith("ANY") ? 1 : 0);
}

/** API Gateway developer guide, "Working with AWS Lambda proxy integrations for HTTP APIs", format 2.0. */
function payloadFrom(
  request: IncomingMessage,
  given: { url: URL; body: Buffer; route: Route; apiId: string; now: number },
): Record<string, unknown> {
  const { url, body, route, apiId, now } = given;
  const { [IAM_CALLER_HEADER]: caller, cookie, ...kept } = request.headers;
  const headers = Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, [value].flat().join(",")]));
  const query = Object.fromEntries(
    [...new Set(url.searchParams.keys())].map((name) => [name, url.searchParams.getAll(name).join(",")]),
  );
  const prefix = (route.key.split(" ")[1] ?? "").split("{")[0] ?? "";
  // An HTTP API hands the path over decoded, and cuts it where a "?" was encoded; only REST APIs hand it over as sent.
  const path = decodeURIComponent(url.pathname).split("?")[0] ?? "";
  const isText = /^(text\/|application\/(json|javascript|xml|.*\+json|.*\+xml))/i.test(headers["content-type"] ?? "");
  return {
    version: "2.0",
    routeKey: route.key,
    rawPath: path,
    rawQueryString: url.search.slice(1),
    ...(cookie === undefined ? {} : { cookies: cookie.split("; ") }),
    headers,
    ...(Object.keys(query).length > 0 ? { queryStringParameters: query } : {}),
    ...(route.key.includes("{") ? { pathParameters: { proxy: path.slice(prefix.length) } } : {}),
    requestContext: {
      accountId: ACCOUNT,
      apiId,
      domainName: headers.host,
      domainPrefix: apiId,
      http: {
        method: request.method,
        path,
        protocol: "HTTP/1.1",
        sourceIp: "127.0.0.1",
        userAgent: headers["user-agent"] ?? "",
      },
      requestId: randomUUID(),
      routeKey: route.key,
      stage: "$default",
      time: new Date(now).toUTCString(),
      timeEpoch: Math.floor(now),
      ...(caller === undefined ? {} : { authorizer: { iam: { userArn: caller, accountId: ACCOUNT } } }),
    },
    ...(body.length > 0 ? { body: body.toString(isText ? "utf8" : "base64") } : {}),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** What a function returned, in either of the forms that format 2.0 knows. */
function answerFrom({ payload, error }: Invocation): {
  status: number;
  headers: Record<string, string>;
  content: Buffer;
} {
  const json = { "content-type": "application/json" };
  if (error) return { status: 500, headers: json, content: Buffer.from('{"message":"Internal Server Error"}') };
  const given = payload as {
    statusCode?: number;
    headers?: Record<string, string>;
    body?: string;
    isBase64Encoded?: boolean;
  };
  if (given?.statusCode === undefined)
    return { status: 200, headers: json, content: Buffer.from(JSON.stringify(payload)) };
  const { statusCode, headers = {}, body = "", isBase64Encoded } = given;
  return { status: statusCode, headers, content: Buffer.from(body, isBase64Encoded ? "base64" : "utf8") };
}

async function timely(invocation: Promise<Invocation>): Promise<Invocation | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), INTEGRATION_TIMEOUT_MS);
  });
  return Promise.race([invocation, late]).finally(() => clearTimeout(timer));
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
