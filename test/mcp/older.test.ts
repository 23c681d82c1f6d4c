import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { afterEach, expect, it } from "vitest";
import { created, loaded } from "./loaded.js";
import { createToolServer } from "./tool-set.js";

const open: { close(): Promise<unknown> | undefined }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** A server of the transport before streamable HTTP: GET opens a stream, which names where messages are posted to. */
async function anOlderServer({ answersPost = 405 } = {}) {
  const seen: string[] = [];
  const streams = new Set<ServerResponse>();
  let post: (message: JSONRPCMessage) => void = () => {};
  const http = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request) body += chunk;
      seen.push(`${request.method} ${request.url}`);
      if (request.method === "GET" && request.url === "/sse") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const transport: Transport = {
          start: async () => {
            response.write("event: endpoint\ndata: /messages\n\n");
          },
          send: async (message) => {
            response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
          },
          close: async () => {},
        };
        post = (message) => transport.onmessage?.(message);
        streams.add(response);
        await createToolServer().connect(transport);
      } else if (request.method === "POST" && request.url === "/messages") {
        response.writeHead(202).end();
        post(JSON.parse(body) as JSONRPCMessage);
      } else response.writeHead(answersPost).end("no");
    })();
  });
  await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
  open.push({
    close: async () => {
      http.closeAllConnections();
      http.close();
    },
  });
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`,
    seen,
    cut: () => {
      for (const stream of streams) stream.destroy();
      streams.clear();
    },
  };
}

it.each([400, 404, 405])("A-63 tries the older transport when initializing by POST gets %d", async (answersPost) => {
  const server = await anOlderServer({ answersPost });
  const shop = await loaded({ shop: { url: server.url, headers: { "X-Key": "k" } } });
  open.push(shop);

  expect(shop.status()).toEqual({ shop: "connected" });
  expect(await shop.call("shop_echo", { text: "x" })).toEqual({ text: "x", status: "success" });
  expect(server.seen.slice(0, 2)).toEqual(["POST /sse", "GET /sse"]);
});

it("A-60 A-63 connects anew by both ways at the call after its stream ended", async () => {
  const server = await anOlderServer();
  const shop = await loaded({ shop: { url: server.url } });
  open.push(shop);

  server.cut();
  await expect.poll(() => shop.status()).toEqual({ shop: "failed" });

  expect((await shop.call("shop_echo", { text: "x" })).text).toBe("x");
  expect(server.seen.filter((line) => line.endsWith("/sse"))).toEqual([
    "POST /sse",
    "GET /sse",
    "POST /sse",
    "GET /sse",
  ]);
});

it.each([
  [401, ["POST /sse"]],
  [403, ["POST /sse"]],
  [501, ["POST /sse"]],
])("A-63 does not try it after %d", async (answersPost, requests) => {
  const server = await anOlderServer({ answersPost });
  const shop = await loaded({ shop: { url: server.url } });
  open.push(shop);

  expect(shop.status()).toEqual({ shop: "failed" });
  expect(server.seen).toEqual(requests);
});

it("A-63 tries it once", async () => {
  const seen: string[] = [];
  const http = createServer((request, response) => {
    seen.push(`${request.method}`);
    response.writeHead(404).end();
  });
  await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
  open.push({ close: async () => http.close() });
  const shop = created({ shop: { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` } });

  await shop.load();

  expect(seen).toEqual(["POST", "GET"]);
  expect(shop.warnings).toEqual([expect.stringContaining('The MCP server "shop" could not be connected to')]);
});
