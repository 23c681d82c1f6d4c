import { describe, expect, it } from "vitest";
import { gatewayEvent, SERVICES } from "./gateway.fixture.js";
import { gatewayHandler, gatewayResult, requestFromGateway } from "./gateway.js";
import { matchPath, PATHS, pathTo } from "./paths.js";

const REQUEST_ID = "0f8fad5b-d9cb-469f-a165-70867728950e";

describe.each(SERVICES)("a request through %s", (service) => {
  it("F-81 keeps method, path, query with repetitions, headers by lower-case name, and the caller", () => {
    const request = requestFromGateway(
      gatewayEvent(service, {
        method: "POST",
        url: "/v1/sessions?limit=5&status=a&status=b%20c",
        headers: { "Content-Type": "application/json", "X-Request-Id": REQUEST_ID, "IDEMPOTENCY-Key": "k" },
        body: `{"a":"ü"}`,
        iamArn: "arn:aws:iam::123456789012:user/maria",
      }),
    );

    expect(request).toMatchObject({
      method: "POST",
      path: "/v1/sessions",
      headers: { "content-type": "application/json", "idempotency-key": "k" },
      iamArn: "arn:aws:iam::123456789012:user/maria",
      sourceIp: "192.0.2.1",
    });
    expect([...request.query]).toEqual([
      ["limit", "5"],
      ["status", "a"],
      ["status", "b c"],
    ]);
    expect(new TextDecoder().decode(request.body)).toBe(`{"a":"ü"}`);
  });

  it("F-79, F-81 gives the exact bytes of a body that came as base64", () => {
    const bytes = Uint8Array.from([0, 255, 10, 13, 128]);
    const request = requestFromGateway(gatewayEvent(service, { method: "POST", url: "/hooks/a/b", body: bytes }));
    expect([...request.body]).toEqual([...bytes]);
  });

  it("N-3 echoes a request id that is a UUID, and makes one otherwise", () => {
    const idOf = (headers: Record<string, string>) =>
      requestFromGateway(gatewayEvent(service, { url: "/healthz", headers })).requestId;
    expect(idOf({ "x-request-id": REQUEST_ID })).toBe(REQUEST_ID);
    expect(idOf({ "x-request-id": "<b>1</b>" })).toMatch(/^[0-9a-f-]{36}$/);
    expect(idOf({})).not.toBe(idOf({}));
  });

  it("N-2, F-100 leads a session id with slashes, percent signs and other scripts to its decoded self, once", () => {
    for (const id of ["a/b/c", "50%", "a%2Fb", "ä ö/日本", "x+y&z=1#2;@:", "trail", "a/turns/b"]) {
      const url = pathTo(PATHS.sessionTurns, { id });
      const { path } = requestFromGateway(gatewayEvent(service, { url }));
      expect(matchPath(PATHS.sessionTurns, path)).toEqual({ id });
      const { path: itself } = requestFromGateway(gatewayEvent(service, { url: pathTo(PATHS.session, { id }) }));
      expect(matchPath(PATHS.session, itself)).toEqual({ id });
    }
  });

  it("F-81 takes the stage off the path, and nothing that only looks like it", () => {
    const pathOf = (stage: string, url: string) => requestFromGateway(gatewayEvent(service, { url, stage })).path;
    expect(pathOf("prod", "/v1/me")).toBe("/v1/me");
    expect(pathOf("v1", "/v1/sessions")).toBe("/v1/sessions");
    expect(pathOf("prod", "/healthz")).toBe("/healthz");
    if (service !== "http-api-2.0") expect(pathOf("v1", "/v1/hooks/failures")).toBe("/v1/hooks/failures");
  });
});

describe("payloads as they should not be", () => {
  it("F-81 tolerates an event without headers, body, query or context", () => {
    expect(requestFromGateway({})).toMatchObject({ method: "GET", path: "/", headers: {} });
    const values = { Accept: undefined, Host: null as never, "X-A": "a" };
    expect(requestFromGateway({ headers: values }).headers).toEqual({ "x-a": "a" });
    expect(requestFromGateway({ multiValueHeaders: { ...values, "X-A": ["a"] } }).headers).toEqual({ "x-a": "a" });
    const nothing = requestFromGateway({ version: "2.0", headers: null, body: null, requestContext: {} });
    expect([...nothing.query, ...nothing.body]).toEqual([]);
  });

  it("F-81 joins the values of a header that came more than once, whatever its case", () => {
    const { headers } = requestFromGateway({ multiValueHeaders: { Accept: ["a/b", "c/d"], ACCEPT: ["e/f"] } });
    expect(headers.accept).toBe("a/b, c/d, e/f");
  });

  it("F-81 reads a REST API behind a domain, where the stage may stand before the path", () => {
    const context = { stage: "prod", path: "/prod/v1/me" };
    expect(requestFromGateway({ path: "/prod/v1/me", requestContext: context }).path).toBe("/v1/me");
  });

  it("N-2 takes a function URL's path as it is", () => {
    const requestContext = { domainName: "xyz.lambda-url.eu-central-1.on.aws", stage: "$default" };
    const request = requestFromGateway({ version: "2.0", rawPath: "/v1/sessions/a%2Fb", requestContext });
    expect(request.path).toBe("/v1/sessions/a%2Fb");
  });

  it("N-2 reads an id that ends as a path does as that path, where the gateway decoded it", () => {
    const event = (service: "http-api-2.0" | "rest-api") => gatewayEvent(service, { url: "/v1/sessions/a%2Ftrail" });
    expect(requestFromGateway(event("http-api-2.0")).path).toBe("/v1/sessions/a/trail");
    expect(requestFromGateway(event("rest-api")).path).toBe("/v1/sessions/a%2Ftrail");
  });
});

describe("answers", () => {
  it("F-81 hands status, headers and body back", async () => {
    const handler = gatewayHandler(async ({ requestId }) => ({
      status: 202,
      headers: { "X-Request-Id": requestId },
      body: "{}",
    }));
    const event = gatewayEvent("rest-api", { url: "/healthz", headers: { "X-Request-Id": REQUEST_ID } });
    expect(await handler(event)).toEqual({
      statusCode: 202,
      headers: { "X-Request-Id": REQUEST_ID },
      body: "{}",
      isBase64Encoded: false,
    });
  });

  it("F-74 answers a problem instead of more than 6 MB, counted as it is sent", () => {
    const request = requestFromGateway({});
    const answer = (body: string) => gatewayResult({ status: 200, headers: {}, body }, request);
    expect(answer("x".repeat(6_291_000)).statusCode).toBe(200);
    const tooLarge = answer(`"`.repeat(3_200_000));
    expect(tooLarge.statusCode).toBe(500);
    expect(JSON.parse(tooLarge.body)).toMatchObject({ code: "answer-too-large", requestId: request.requestId });
    expect(answer("ü".repeat(3_200_000)).statusCode).toBe(500);
  });
});
