/** A request and its answer, whatever brought them: API Gateway in either version, or a socket. */

export interface HttpRequest {
  method: string;
  /** As sent, percent-encoded, without the query. */
  path: string;
  query: URLSearchParams;
  /** Names in lower case; several values of one name joined by ", ". */
  headers: Readonly<Record<string, string>>;
  /** The exact bytes received (F-79). Empty where there was no body. */
  body: Uint8Array;
  /** The caller's `X-Request-Id` where it is a UUID, else a new one (N-3). */
  requestId: string;
  /** What the gateway verified, for SigV4 callers (N-36). */
  iamArn?: string;
  sourceIp?: string;
}

export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export type HttpHandler = (request: HttpRequest, context?: { signal?: AbortSignal }) => Promise<HttpResponse>;
