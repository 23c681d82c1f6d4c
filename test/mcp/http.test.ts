import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { type HttpServerOptions, type McpHttpServer, type SeenRequest, startMcpServer } from "./http-server.js";
import { created, loaded } from "./loaded.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});
const serve = async (options?: HttpServerOptions): Promise<McpHttpServer> => {
  const server = await startMcpServer(options);
  open.push(server);
  return server;
};
const connect = async (...args: Parameters<typeof loaded>) => {
  const servers = await loaded(...args);
  open.push(servers);
  return servers;
};

/** Answers the first requests of a kind so, and lets the others through. */
function firstAnswers(asks: string, ...answers: ((response: ServerResponse) => unknown)[]) {
  return (request: SeenRequest, response: ServerResponse): boolean => {
    if (request.asks !== asks) return false;
    const answer = answers.shift();
    if (!answer) return false;
    answer(response);
    return true;
  };
}
const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(code, headers).end("no");
const dropped = (response: ServerResponse) => response.destroy();
/** Lets every wait between attempts pass, slowly enough for what a busy machine has to do meanwhile. */
const passing = <T>(clock: { advance(ms: number): void }, work: Promise<T>): Promise<T> => {
  const timer = setInterval(() => clock.advance(100), 20);
  return work.finally(() => clearInterval(timer));
};

describe.each([
  ["a stream", {}],
  ["one JSON body", { json: true }],
])("answers as %s", (_form, form) => {
  it("A-57 A-63 lists and calls, keeping the session and the negotiated version, and ends the session on close", async () => {
    const server = await serve(form);
    const shop = await connect({ shop: { url: server.url } });

    expect(shop.status()).toEqual({ shop: "connected" });
    expect(await shop.call("shop_echo", { text: "hello" })).toEqual({ text: "hello", status: "success" });
    await shop.close();

    const [first, ...later] = server.requests;
    expect(first).toMatchObject({ method: "POST", asks: "initialize" });
    expect(first?.headers).not.toHaveProperty("mcp-session-id");
    const accepts = server.requests.filter(({ method }) => method === "POST").map(({ headers }) => headers.accept);
    expect(new Set(accepts)).toEqual(new Set(["application/json, text/event-stream"]));
    const sessions = new Set(later.map(({ headers }) => headers["mcp-session-id"]));
    expect(sessions.size).toBe(1);
    expect([...sessions][0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(later.map(({ headers }) => headers["mcp-protocol-version"]))).toEqual(new Set(["2025-11-25"]));
    expect(server.requests.map(({ method, asks }) => asks ?? method)).toEqual([
      "initialize",
      "notifications/initialized",
      "tools/list",
      "tools/call",
      "DELETE",
    ]);
  });

  it("A-63 F-71 initializes a lost session anew, once per call, and calls again", async () => {
    const called: string[] = [];
    const server = await serve({ ...form, onCall: (name) => called.push(name) });
    const shop = await connect({ shop: { url: server.url } });

    server.dropSessions();
    expect((await shop.call("shop_echo", { text: "again" })).text).toBe("again");
    expect(server.seen("initialize")).toHaveLength(2);
    expect(called).toEqual(["echo"]);

    server.dropSessions();
    const both = await Promise.all([shop.call("shop_echo", { text: "a" }), shop.call("shop_echo", { text: "b" })]);
    expect(both.map(({ text }) => text)).toEqual(["a", "b"]);
    expect(server.seen("initialize")).toHaveLength(3);
  });

  it("A-60 answers a connection that breaks in the middle of a call with an error, and goes on at the next", async () => {
    const server = await serve({ ...form, intercept: firstAnswers("tools/call", dropped) });
    const shop = await connect({ shop: { url: server.url } });

    const lost = await shop.call("shop_echo", { text: "x" });

    expect(lost.status).toBe("error");
    expect(lost.text).toContain('The MCP server "shop" did not answer: ');
    expect((await shop.call("shop_echo", { text: "y" })).text).toBe("y");
  });
});

it("F-71 gives a call up whose session is unknown twice, and tries again at the next call", async () => {
  const gone = status(404);
  const server = await serve({ intercept: firstAnswers("tools/call", gone, gone) });
  const shop = await connect({ shop: { url: server.url } });

  const first = await shop.call("shop_echo", { text: "x" });

  expect(first).toEqual({ text: expect.stringContaining('The MCP server "shop" answered 404'), status: "error" });
  expect(server.seen("initialize")).toHaveLength(2);
  expect((await shop.call("shop_echo", { text: "y" })).text).toBe("y");
});

it("A-63 takes a server without sessions: nothing is kept, nothing deleted", async () => {
  const server = await serve({ stateless: true });
  const shop = await connect({ shop: { url: server.url } });

  expect((await shop.call("shop_echo", { text: "x" })).text).toBe("x");
  await shop.close();

  expect(server.requests.some(({ headers }) => "mcp-session-id" in headers)).toBe(false);
  expect(server.seen("DELETE")).toEqual([]);
});

it("A-60 does not wait for the answer of a stream that ended without one", async () => {
  const cutShort = (response: ServerResponse) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).end(": nothing\n\n");
  const server = await serve({ intercept: firstAnswers("tools/call", cutShort) });
  const shop = await connect({ shop: { url: server.url } });

  expect(await shop.call("shop_echo", { text: "x" })).toEqual({
    text: 'The MCP server "shop" was lost before it answered; whether the call took effect is not known.',
    status: "error",
  });
  expect((await shop.call("shop_echo", { text: "y" })).text).toBe("y");
});

describe("headers", () => {
  const guarded = (header: string, value: string): HttpServerOptions => ({
    intercept: ({ headers }, response) => {
      if (headers[header] === value) return false;
      response.writeHead(401).end(`no: ${headers[header]}`);
      return true;
    },
  });

  it("A-56 are sent with every request, their variables expanded", async () => {
    const server = await serve(guarded("authorization", "Bearer s3cr3t-token"));
    const shop = await connect(
      { shop: { url: server.url, headers: { Authorization: "Bearer ${SHOP_TOKEN}" } } },
      { env: { SHOP_TOKEN: "s3cr3t-token" } },
    );

    expect((await shop.call("shop_echo", { text: "x" })).text).toBe("x");
  });

  it("A-56 are nowhere in what is told of a refusal, even where the server quotes them", async () => {
    const server = await serve(guarded("x-key", "the right one"));
    const shop = await connect(
      { shop: { url: `${server.url}?token=in-the-address`, headers: { "X-Key": "${KEY}" } } },
      { env: { KEY: "s3cr3t-value" } },
    );

    expect(shop.status()).toEqual({ shop: "failed" });
    expect(shop.warnings).toEqual([expect.stringContaining('The MCP server "shop" could not be connected to: ')]);
    expect(shop.warnings[0]).toContain("no: [removed]");
    expect(JSON.stringify(shop.warnings)).not.toMatch(/s3cr3t|in-the-address/);
    // 401 is no server of the older kind.
    expect(server.seen("GET")).toEqual([]);
  });

  it("A-56 are nowhere in the error of a tool that quotes them", async () => {
    const server = await serve({ failure: "the key s3cr3t-value is spent" });
    const shop = await connect(
      { shop: { url: server.url, headers: { "X-Key": "${KEY}" } } },
      { env: { KEY: "s3cr3t-value" } },
    );

    expect(await shop.call("shop_fail")).toEqual({ text: "the key [removed] is spent", status: "error" });
  });

  it("A-56 fail the server that names an unset variable, and no other", async () => {
    const server = await serve();
    const shop = await connect({
      unset: { url: server.url, headers: { "X-Key": "${NOT_THERE}" } },
      bad: { url: server.url, headers: { "X-Key": "line\nbreak" } },
      shop: { url: server.url },
    });

    expect(shop.status()).toEqual({ unset: "failed", bad: "failed", shop: "connected" });
    expect(shop.warnings.sort()).toEqual([
      'The MCP server "bad" has a header that HTTP cannot carry: "X-Key".',
      'The MCP server "unset" needs the environment variable NOT_THERE, which is not set.',
    ]);
  });
});

describe("retries", () => {
  it.each([429, 500, 502, 503, 504])("A-46 A-47 connects and lists over two answers of %d", async (code) => {
    const server = await serve({ intercept: firstAnswers("initialize", status(code), status(code)) });
    const shop = created({ shop: { url: server.url } });
    open.push(shop);

    await passing(shop.clock, shop.load());

    expect(shop.status()).toEqual({ shop: "connected" });
    expect(server.seen("initialize")).toHaveLength(3);
  });

  it("A-46 A-47 repeats over a broken connection, and gives up after three attempts", async () => {
    const server = await serve({ intercept: firstAnswers("tools/list", dropped, dropped, dropped, dropped) });
    const shop = created({ shop: { url: server.url } });
    open.push(shop);

    await passing(shop.clock, shop.load());

    expect(server.seen("tools/list")).toHaveLength(3);
    expect(shop.status()).toEqual({ shop: "failed" });
  });

  it("A-46 S-41 H-131 sends a call again that may have been carried out only where the host said it may be repeated", async () => {
    const called: string[] = [];
    const broken = (response: ServerResponse) => {
      called.push("lost");
      response.writeHead(502).end();
    };
    const server = await serve({ intercept: firstAnswers("tools/call", broken, broken) });
    const shop = await connect({ shop: { url: server.url } });
    const lookup = created({ shop: { url: server.url } }, { repeatable: (tool) => tool === "shop_echo" });
    open.push(lookup);
    const tools = new Map((await lookup.load()).map((tool) => [tool.name, tool]));

    const once = await shop.call("shop_echo", { text: "x" });
    expect(once).toEqual({ text: expect.stringContaining("answered 502"), status: "error" });
    expect(called).toHaveLength(1);

    const call = tools.get("shop_echo")?.run({ text: "y" }, { signal: new AbortController().signal } as never);
    expect(await passing(lookup.clock, call ?? Promise.reject())).toBe("y");
    expect(called).toHaveLength(2);
  });

  it.each([429, 503])(
    "A-46 A-49 sends any call again that was refused with %d, after the wait it asks for",
    async (code) => {
      const server = await serve({ intercept: firstAnswers("tools/call", status(code, { "retry-after": "7" })) });
      const shop = await connect({ shop: { url: server.url } });

      const call = shop.call("shop_echo", { text: "x" });
      await expect.poll(() => server.seen("tools/call").length).toBe(1);
      let text: string | null = null;
      void call.then((answer) => {
        text = answer.text;
      });
      let waited = 0;
      await expect
        .poll(() => {
          if (text === null) {
            shop.clock.advance(500);
            waited += 500;
          }
          return text;
        })
        .toBe("x");
      expect(waited).toBeGreaterThanOrEqual(7_000);
      expect(server.seen("tools/call")).toHaveLength(2);
    },
  );

  it("A-46 does not wait longer than the call has time", async () => {
    const server = await serve({ intercept: firstAnswers("tools/call", status(503, { "retry-after": "31" })) });
    const shop = await connect({ shop: { url: server.url } });

    expect(await shop.call("shop_echo", { text: "x" })).toEqual({
      text: 'The MCP server "shop" answered 503; the next attempt is due in 31 s.',
      status: "error",
    });
  });

  it("A-46 A-48 are as the host says", async () => {
    const server = await serve({ intercept: firstAnswers("initialize", status(500), status(500)) });
    const asked: unknown[] = [];
    const shop = created(
      { shop: { url: server.url } },
      {
        retry: {
          retries: 1,
          onError: ({ status, attempt, retryable }) => {
            asked.push({ status, attempt, retryable });
            return "retry";
          },
        },
      },
    );
    open.push(shop);

    await passing(shop.clock, shop.load());

    expect(asked).toEqual([
      { status: 500, attempt: 0, retryable: true },
      { status: 500, attempt: 1, retryable: true },
    ]);
    expect(shop.status()).toEqual({ shop: "failed" });
  });
});

describe("failures", () => {
  const garbage = (response: ServerResponse) =>
    response.writeHead(200, { "content-type": "application/json" }).end("<html>");
  const page = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/html" }).end("<html>");
  const noAnswer = (response: ServerResponse) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end('{"jsonrpc":"2.0","id":0,"result":{"tools":3}}');

  it.each([
    ["initialize", "garbage", garbage],
    ["initialize", "a page", page],
    ["tools/list", "garbage", garbage],
    ["tools/list", "a page", page],
    ["tools/list", "something else", noAnswer],
  ])(
    "A-57 F-71 of one server that answers %s with %s are a warning, and the others work",
    async (asks, _what, answer) => {
      const [odd, fine] = [await serve({ intercept: firstAnswers(asks, answer, answer, answer) }), await serve()];
      const shop = created({ odd: { url: odd.url }, shop: { url: fine.url } });
      open.push(shop);

      const tools = await passing(shop.clock, shop.load());

      expect(shop.status()).toEqual({ odd: "failed", shop: "connected" });
      expect(shop.warnings).toEqual([expect.stringMatching(/^The MCP server "odd" /)]);
      expect(tools.every(({ name }) => name.startsWith("shop_"))).toBe(true);
    },
  );

  it("A-57 F-71 of a server that is not there are a warning", async () => {
    const server = await serve();
    await server.close();
    const shop = created({ shop: { url: server.url } });

    expect(await passing(shop.clock, shop.load())).toEqual([]);
    expect(shop.warnings).toEqual([expect.stringContaining("ECONNREFUSED")]);
  });

  it("A-57 gives initializing and listing a fresh timeout each", async () => {
    const held: ServerResponse[] = [];
    const server = await serve({
      intercept: ({ asks }, response) => {
        if (asks !== "initialize" && asks !== "tools/list") return false;
        held.push(response);
        if (asks === "tools/list") return true;
        return new Promise((passOn) => {
          release = () => passOn(false);
        });
      },
    });
    let release: () => void = () => {};
    const shop = created({ shop: { url: server.url, timeout: 1_000 } });
    open.push(shop);
    const loading = shop.load();

    await expect.poll(() => held.length).toBe(1);
    shop.clock.advance(900);
    release();
    await expect.poll(() => held.length).toBe(2);
    shop.clock.advance(900);
    await new Promise(setImmediate);
    expect(shop.warnings).toEqual([]);
    shop.clock.advance(100);

    expect(await loading).toEqual([]);
    expect(shop.warnings).toEqual(['The MCP server "shop" did not answer within 1000 ms (listing its tools).']);
    expect(shop.status()).toEqual({ shop: "failed" });
    // The session that was begun is given back.
    expect(server.seen("DELETE")).toHaveLength(1);
  });

  it("A-55 A-60 gives a call its timeout, and lets go of its request", async () => {
    let isClosed = false;
    const server = await serve({
      intercept: ({ asks, body }, response) => {
        if (asks !== "tools/call" || !body.includes('"hang"')) return false;
        response.on("close", () => {
          isClosed = true;
        });
        return true;
      },
    });
    const shop = await connect({ shop: { url: server.url, timeout: 1_000 } });

    const call = shop.call("shop_hang");
    await expect.poll(() => server.seen("tools/call").length).toBe(1);
    shop.clock.advance(1_000);

    expect(await call).toEqual({
      text: 'The MCP server "shop" did not answer within 1000 ms (calling hang).',
      status: "error",
    });
    await expect.poll(() => isClosed).toBe(true);
    expect((await shop.call("shop_echo", { text: "x" })).text).toBe("x");
  });

  it("A-64 ends a call with its turn, and tells the server", async () => {
    const server = await serve();
    const shop = await connect({ shop: { url: server.url } });
    const turn = new AbortController();

    const call = shop.call("shop_hang", {}, turn.signal);
    await expect.poll(() => server.seen("tools/call").length).toBe(1);
    turn.abort(new Error("the turn is over"));

    expect(await call).toEqual({ text: "the turn is over", status: "error" });
    await expect.poll(() => server.seen("notifications/cancelled").length).toBe(1);
  });
});

describe("after a freeze", () => {
  const HOUR = 3_600_000;

  it("A-64 asks with a ping, which may be repeated, before a call that may not", async () => {
    const called: string[] = [];
    const server = await serve({
      onCall: (name) => called.push(name),
      intercept: firstAnswers("ping", dropped),
    });
    const shop = await connect({ shop: { url: server.url } });

    shop.clock.advance(HOUR);
    const call = shop.call("shop_echo", { text: "x" });
    expect(await passing(shop.clock, call)).toEqual({ text: "x", status: "success" });

    expect(server.seen("ping")).toHaveLength(2);
    expect(called).toEqual(["echo"]);
    expect((await shop.call("shop_echo", { text: "y" })).text).toBe("y");
    expect(server.seen("ping")).toHaveLength(2);
  });

  it("A-64 F-71 initializes anew where the session is gone, and says so where the server is", async () => {
    const server = await serve();
    const shop = await connect({ shop: { url: server.url } });

    server.dropSessions();
    shop.clock.advance(HOUR);
    expect((await shop.call("shop_echo", { text: "x" })).text).toBe("x");
    expect(server.seen("tools/call")).toHaveLength(1);

    await server.close();
    shop.clock.advance(HOUR);
    const call = shop.call("shop_echo", { text: "y" });
    expect(await passing(shop.clock, call)).toEqual({
      text: expect.stringMatching(/^The MCP server "shop" could not be connected to: .*ECONNREFUSED/),
      status: "error",
    });
  });

  it("A-64 takes any answer for a sign of life", async () => {
    const unknown = (response: ServerResponse) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end('{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no ping"}}');
    const server = await serve({ intercept: firstAnswers("ping", unknown) });
    const shop = await connect({ shop: { url: server.url } });

    shop.clock.advance(HOUR);

    expect((await shop.call("shop_echo", { text: "x" })).text).toBe("x");
    expect(server.seen("initialize")).toHaveLength(1);
  });
});

describe("paging", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `t${index}`, inputSchema: { type: "object" as const } }));

  it("A-57 follows every page", async () => {
    const server = await serve({ tools: many(7), pageSize: 3 });
    const shop = await connect({ shop: { url: server.url } });

    expect([...shop.tools.keys()]).toEqual(many(7).map(({ name }) => `shop_${name}`));
    expect(server.seen("tools/list")).toHaveLength(3);
  });

  it("A-57 reads a hundred pages at most, and warns of the rest", async () => {
    const server = await serve({ tools: many(102), pageSize: 1, json: true });
    const shop = await connect({ shop: { url: server.url } });

    expect(server.seen("tools/list")).toHaveLength(100);
    expect(shop.tools.size).toBe(100);
    expect(shop.warnings).toEqual([expect.stringContaining("lists more tools than are read")]);
  });
});
