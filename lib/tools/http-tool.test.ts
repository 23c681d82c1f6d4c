import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostTool } from "./host-tool.js";
import { type HttpToolOptions, httpTool } from "./http-tool.js";
import type { ToolContext } from "./types.js";

interface Seen {
  method?: string;
  url?: string;
  headers: Record<string, unknown>;
  body: string;
}
let base = "";
const seen: Seen[] = [];
const http = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  seen.push({ method: request.method, url: request.url, headers: request.headers, body });
  if (request.url?.startsWith("/hang")) return;
  if (request.url?.startsWith("/away")) return void response.writeHead(302, { location: "/elsewhere" }).end("moved");
  if (request.url?.startsWith("/no")) return void response.writeHead(403).end(`not with ${request.headers["x-key"]}`);
  if (request.url?.startsWith("/echo")) {
    const { "x-key": key, accept } = request.headers;
    return void response.writeHead(200, { "x-key": String(key) }).end(JSON.stringify({ key, accept }));
  }
  response.writeHead(200, { "content-type": "application/json", "x-answer": "yes" }).end('{ "ok": true }');
});
beforeAll(async () => {
  await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
  base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  process.env.HTTP_TOOL_KEY = "s3cr3t-key";
});
afterAll(() => {
  delete process.env.HTTP_TOOL_KEY;
  http.closeAllConnections();
  http.close();
});

const schema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
async function call(
  options: Partial<HttpToolOptions>,
  args: Record<string, unknown> = { id: "7" },
  signal?: AbortSignal,
) {
  const { url = "/orders/{id}", ...rest } = options;
  const given = { name: "order", description: "An order.", method: "GET", inputSchema: schema, ...rest } as const;
  const tool = await hostTool(httpTool({ ...given, url: `${base}${url}` }));
  const context = { sessionId: "s", workspace: {}, idempotencyKey: "k", attempt: 1, caller: "model" };
  const text = await tool.run(args, { ...context, signal: signal ?? new AbortController().signal } as ToolContext);
  return { tool, text, request: seen.at(-1) };
}

describe("the request", () => {
  it("A-82 fills the address and the query, encoded, and sends expanded headers", async () => {
    const { text, request } = await call(
      { query: ["tag", "page", "none"], headers: { "X-Key": "${HTTP_TOOL_KEY}", accept: "application/json" } },
      { id: "a/b?c", tag: ["x y", "z"], page: 2, other: "left out" },
    );

    expect(text).toBe('{ "ok": true }');
    expect(request).toMatchObject({ method: "GET", url: "/orders/a%2Fb%3Fc?tag=x+y&tag=z&page=2", body: "" });
    expect(request?.headers).toMatchObject({ "x-key": "s3cr3t-key", accept: "application/json" });
  });

  it("A-82 sends what is left as JSON, or what `body` names", async () => {
    const args = { id: "7", note: "fast", tag: "x" };
    const rest = await call({ method: "POST", query: ["tag"] }, args);
    expect(JSON.parse(rest.request?.body ?? "")).toEqual({ note: "fast" });
    expect(rest.request?.headers["content-type"]).toBe("application/json");

    const named = await call({ method: "DELETE", body: ["id", "none"] }, args);
    expect(JSON.parse(named.request?.body ?? "")).toEqual({ id: "7" });
  });

  it.each(["..", ".", ""])("A-82 lets no argument %j leave its place in the address", async (id) => {
    const before = seen.length;
    await expect(call({}, { id })).rejects.toThrow("`id` must be a text that can stand in an address.");
    expect(seen.length).toBe(before);
  });

  it("A-82 is a host tool: its input is checked, and nothing is assumed of its effect", async () => {
    const { tool } = await call({});
    expect(tool.parse({})).toMatchObject({ ok: false });
    expect(tool.effect).toBe("effect");
    expect((await call({ readOnly: true })).tool.effect).toBe("read-only");
  });

  it("A-82 refuses an address that is none", () => {
    const options = { name: "x", description: "x", method: "GET", inputSchema: schema } as const;
    for (const url of ["/orders", "file:///etc/passwd", "{id}"]) {
      expect(() => httpTool({ ...options, url }), url).toThrow(TypeError);
    }
  });
});

describe("the answer", () => {
  it("A-82 is its text, its JSON, or all of it", async () => {
    expect((await call({ resultMode: "json" })).text).toBe('{"ok":true}');
    const full = JSON.parse((await call({ resultMode: "full" })).text);
    expect(full).toMatchObject({ status: 200, headers: { "x-answer": "yes" }, body: '{ "ok": true }' });
  });

  it("A-82 other than 2xx is an error with status and body, without the header's value", async () => {
    const failed = call({ url: "/no/{id}", headers: { "X-Key": "${HTTP_TOOL_KEY}" } });
    await expect(failed).rejects.toThrow(new Error("HTTP 403: not with [removed]"));
  });

  it.each(["text", "json", "full"] as const)(
    "A-82 F-101 that echoes a variable's value does not hold it either, as %s, and keeps what is no secret",
    async (resultMode) => {
      const headers = { "X-Key": "Bearer ${HTTP_TOOL_KEY}", accept: "application/json" };
      const { text } = await call({ url: "/echo/{id}", headers, resultMode });

      expect(text).not.toContain("s3cr3t-key");
      expect(text).toContain("Bearer [removed]");
      expect(text).toContain("application/json");
    },
  );

  it("A-82 that leads elsewhere is not followed", async () => {
    await expect(call({ url: "/away/{id}" })).rejects.toThrow("HTTP 302: moved");
    expect(seen.at(-1)?.url).toBe("/away/7");
  });

  it("A-82 is waited for as long as the timeout says, or the turn goes on", async () => {
    await expect(call({ url: "/hang/{id}", timeout: 50 })).rejects.toThrow("There was no answer within 50 ms.");
    const turn = new AbortController();
    const hanging = call({ url: "/hang/{id}" }, { id: "8" }, turn.signal);
    await expect.poll(() => seen.at(-1)?.url).toBe("/hang/8");
    turn.abort(new Error("over"));
    await expect(hanging).rejects.toThrow("over");
  });

  it("A-82 names a variable that is not set, and a host that is not there, and no value", async () => {
    await expect(call({ headers: { "X-Key": "${HTTP_TOOL_NONE}" } })).rejects.toThrow(
      "The environment variable HTTP_TOOL_NONE is not set.",
    );
    await expect(call({ headers: { "X-Key": "line\nbreak" } })).rejects.toThrow(
      new Error("The header X-Key has a value that HTTP cannot carry."),
    );
    const tool = await hostTool(
      httpTool({
        name: "x",
        description: "x",
        method: "GET",
        inputSchema: schema,
        url: "http://127.0.0.1:1/{id}?key=s3cr3t",
      }),
    );
    const run = tool.run({ id: "7" }, { signal: new AbortController().signal } as ToolContext);
    await expect(run).rejects.toThrow(/^The request failed: \w+\.$/);
  });
});
