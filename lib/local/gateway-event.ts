/** A request as API Gateway hands it to a function, payload version 2.0. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { GatewayEvent } from "../http/index.js";

/** What the gateway does not pass on: it is about the connection, not the request (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Bodies of other types reach a function in base64. */
const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|javascript)\b)/i;

/**
 * Like a function URL it hands over the path as it was sent, so that every session id can stand in one (N-2).
 *
 * @param body - the bytes received
 * @param at - epoch milliseconds
 */
export function gatewayEvent(
  request: IncomingMessage,
  { body, at }: { body: Buffer; at: number },
): GatewayEvent & object {
  const { method = "GET", url = "/", socket } = request;
  const query = url.indexOf("?");
  const rawPath = query < 0 ? url : url.slice(0, query);
  const headers = headersOf(request);
  const text = TEXT.test(headers["content-type"] ?? "") ? textOf(body) : null;
  return {
    version: "2.0",
    rawPath,
    rawQueryString: query < 0 ? "" : url.slice(query + 1),
    headers,
    ...(body.length > 0
      ? { body: text ?? body.toString("base64"), isBase64Encoded: text === null }
      : { isBase64Encoded: false }),
    requestContext: {
      stage: "$default",
      domainName: "local.lambda-url.localhost",
      http: { method, path: rawPath, sourceIp: socket.remoteAddress ?? "" },
      ...{ requestId: randomUUID(), timeEpoch: at },
    },
  };
}

/** Several values of one name joined by a comma, as the gateway joins them. */
function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    const value = rawHeaders[at + 1] ?? "";
    if (HOP_BY_HOP.has(name)) continue;
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`;
  }
  return headers;
}

/** The text whose bytes these are; null where no text has them, since a signature is checked over them exactly (F-79). */
function textOf(body: Buffer): string | null {
  const text = body.toString("utf8");
  return Buffer.from(text, "utf8").equals(body) ? text : null;
}
