import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { manualClock } from "../../test/harness/clock.js";
import type { HttpHandler, HttpRequest } from "../http/index.js";
import { isOwnHost, openGateway } from "./gateway.js";

/** A gateway whose route `v1` answers with what it saw. */
async function aGateway(v1?: HttpHandler) {
  const seen: HttpRequest[] = [];
  const failures: unknown[] = [];
  const echo: HttpHandler = async (request) => {
    seen.push(request);
    return { status: 200, headers: { "Content-Type": "text/plain" }, body: "grüße" };
  };
  const gateway = await openGateway({
    routes: { v1: v1 ?? echo },
    port: 0,
    clock: manualClock(),
    failed: (error) => failures.push(error),
  });
  onTestFinished(() => gateway.close());
  return { gateway, seen, failures, url: `http://127.0.0.1:${gateway.port}` };
}

/** With headers that fetch would not let through. */
function raw(port: number, { headers = {}, host = "127.0.0.1" }: { headers?: Record<string, string>; host?: string }) {
  return new Promise<number>((resolve, reject) => {
    httpRequest({ host, port, path: "/v1/x", headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

describe("the gateway on one machine", () => {
  it("F-79 hands over the exact bytes, whatever their type says", async () => {
    const { url, seen } = await aGateway();
    const bodies: [type: string, body: Uint8Array<ArrayBuffer>][] = [
      ["application/json; charset=utf-8", new TextEncoder().encode('{"a": "ü", "n": 1.0}\n')],
      ["application/json", new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])],
      ["application/json", new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d])],
      ["application/x-www-form-urlencoded", new TextEncoder().encode("payload=%7B%7D&x=+")],
      ["application/octet-stream", new Uint8Array([0, 1, 2, 255])],
    ];

    for (const [type, body] of bodies) {
      const response = await fetch(`${url}/v1/x`, { method: "POST", body, headers: { "content-type": type } });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe("grüße");
    }

    expect(seen.map(({ body }) => [...body])).toEqual(bodies.map(([, body]) => [...body]));
  });

  it("N-2 hands over method, path as it was sent, query and headers", async () => {
    const { url, seen } = await aGateway();

    await fetch(`${url}/v1/sessions/a%2Fb%20c?limit=2&q=a%26b&q=c`, { method: "DELETE", headers: { "X-Mark": "M" } });

    expect(seen).toMatchObject([{ method: "DELETE", path: "/v1/sessions/a%2Fb%20c", sourceIp: "127.0.0.1" }]);
    expect([...(seen[0]?.query ?? [])]).toEqual([
      ["limit", "2"],
      ["q", "a&b"],
      ["q", "c"],
    ]);
    expect(seen[0]?.headers["x-mark"]).toBe("M");
    expect(seen[0]?.body).toHaveLength(0);
  });

  it("answers to this machine's own names only", async () => {
    const { gateway, seen } = await aGateway();
    const { port } = gateway;

    const foreign = ["evil.example", `evil.example:${port}`, `127.0.0.1.evil.example:${port}`, `localhost:${port + 1}`];
    for (const host of foreign) expect(await raw(port, { headers: { host } })).toBe(421);
    expect(seen).toEqual([]);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      expect(await raw(port, { headers: { host } })).toBe(200);
    }
    expect(isOwnHost(undefined, port)).toBe(false);
    expect(isOwnHost("localhost", 80)).toBe(true);
  });

  it("takes no request of another site's page", async () => {
    const { gateway, seen } = await aGateway();
    const { port } = gateway;

    for (const origin of [
      "https://evil.example",
      "null",
      `https://localhost:${port}`,
      `http://localhost:${port + 1}`,
    ]) {
      expect(await raw(port, { headers: { origin } })).toBe(403);
    }
    expect(seen).toEqual([]);
    expect(await raw(port, { headers: { origin: `http://localhost:${port}` } })).toBe(200);
  });

  it("listens on the loopback address only", async () => {
    const { gateway } = await aGateway();

    // Another address of the same machine's loopback network.
    await expect(raw(gateway.port, { host: "127.0.0.2" })).rejects.toThrow("ECONNREFUSED");
  });

  it("what no function sees is answered as the gateway does", async () => {
    const { url, gateway, failures } = await aGateway(async () => {
      throw new Error("broken");
    });
    const large = new Uint8Array(30 * 1024 * 1024);

    expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
    expect((await fetch(`${url}/v1/x`, { method: "POST", body: large })).status).toBe(413);
    expect((await fetch(`${url}/v1/x`)).status).toBe(500);
    expect(failures).toEqual([new Error("broken")]);
    await expect(
      openGateway({ routes: {}, port: gateway.port, clock: manualClock(), failed: () => {} }),
    ).rejects.toThrow("another with --port");
  });

  it("tells a handler that the caller hung up, or that the gateway closes", async () => {
    const waiting: AbortSignal[] = [];
    const arrived = Promise.withResolvers<void>();
    const { gateway, url } = await aGateway((_request, context) => {
      const signal = context?.signal as AbortSignal;
      waiting.push(signal);
      if (waiting.length === 2) arrived.resolve();
      return new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve({ status: 202, headers: {}, body: "{}" })),
      );
    });

    const answered = fetch(`${url}/v1/a`);
    const socket = connect(gateway.port, "127.0.0.1");
    socket.write(`GET /v1/b HTTP/1.1\r\nHost: localhost:${gateway.port}\r\n\r\n`);
    await arrived.promise;
    const hungUp = waiting.map((signal) => new Promise((resolve) => signal.addEventListener("abort", resolve)));
    socket.destroy();
    await Promise.race(hungUp);
    expect(waiting.map(({ aborted }) => aborted).sort()).toEqual([false, true]);
    await gateway.close();

    expect((await answered).status).toBe(202);
  });
});
