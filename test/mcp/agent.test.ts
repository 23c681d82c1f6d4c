import { afterEach, describe, expect, it } from "vitest";
import type { Outcome } from "../../lib/session/outcome.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { createWorker } from "../../lib/worker.js";
import { advance, benches, calls, offered, ofType, plainBenches, results, says } from "../turn/support.js";
import { type HttpServerOptions, type McpHttpServer, startMcpServer } from "./http-server.js";
import { aProcess, isRunning } from "./loaded.js";

const open = benches();
const openPlain = plainBenches();
const servers: McpHttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
const serve = async (options?: HttpServerOptions) => {
  const server = await startMcpServer(options);
  servers.push(server);
  return server;
};

const SPEC = `
states:
  look:
    instructions: Look.
    triggers: { manual: }
    tools: { allow: [shop_echo, shop_fail, shop_data, shop_parts, shop_hang, shop_process, shop_spawn] }
    transitions: [{ to: rest, description: on }]
  rest: { instructions: Rest. }
`;

describe("a governed agent", () => {
  it("A-57 A-60 A-61 H-106 calls what its state grants, as any tool of the host's", async () => {
    const server = await serve();
    const bench = await open({
      spec: SPEC,
      mcp: { mcpServers: { shop: { url: server.url } } },
      replies: [
        calls(["shop_echo", { text: "hello" }, "c1"], ["shop_data", {}, "c2"], ["shop_parts", {}, "c3"]),
        calls(["shop_fail", {}, "c4"], ["shop_echo", { text: 5 }, "c5"], ["shop_client", {}, "c6"]),
        advance("rest"),
        calls(["shop_echo", { text: "no" }, "c7"]),
        says("end"),
      ],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(outcome).toMatchObject({ kind: "completed", state: "rest" });
    expect(bench.agent.mcp.status()).toEqual({ shop: "connected" });
    expect(results(outcome).filter(({ tool }) => tool?.startsWith("shop_"))).toEqual([
      { tool: "shop_echo", text: "hello", status: "success" },
      { tool: "shop_data", text: '{"count":3}', status: "success" },
      {
        tool: "shop_parts",
        text: expect.stringMatching(/^first\n\[image, image\/png, \d+ bytes\]\n/),
        status: "success",
      },
      { tool: "shop_fail", text: "the warehouse is closed", status: "error", refusal: "tool-threw" },
      { tool: "shop_echo", text: expect.stringContaining("`text`"), status: "error", refusal: "invalid-arguments" },
      { tool: "shop_client", text: expect.any(String), status: "error", refusal: expect.any(String) },
      { tool: "shop_echo", text: expect.any(String), status: "error", refusal: expect.any(String) },
    ]);
    // What the state does not grant, or does not fit, reaches no server; what fits goes by its own name.
    expect(server.seen("tools/call").map(({ body }) => (JSON.parse(body) as { params: unknown }).params)).toEqual([
      { name: "echo", arguments: { text: "hello" } },
      { name: "data", arguments: {} },
      { name: "parts", arguments: {} },
      { name: "fail", arguments: {} },
    ]);
    expect(offered(bench.requests[0]).filter((name) => name.startsWith("shop_"))).toEqual([
      "shop_echo",
      "shop_fail",
      "shop_data",
      "shop_parts",
      "shop_process",
      "shop_spawn",
      "shop_hang",
    ]);
    expect(bench.requests[0]?.body.tools?.find((tool) => tool.function.name === "shop_echo")).toMatchObject({
      function: { description: "Says it again.", parameters: { required: ["text"] } },
    });
    expect(offered(bench.requests.at(-1)).some((name) => name.startsWith("shop_"))).toBe(false);
  });

  it("H-106 tells of the calls in events as of any other", async () => {
    const server = await serve();
    const bench = await open({
      spec: SPEC,
      mcp: { shop: { url: server.url } },
      replies: [calls(["shop_echo", { text: "hello" }, "c1"], ["shop_client", {}, "c2"]), says("end")],
    });

    await bench.agent.workflow.send("s1", { message: "go" });

    expect(ofType(bench.events, "tool-called")).toMatchObject([
      { state: "look", tool: "shop_echo", callId: "c1", args: { text: "hello" } },
    ]);
    expect(ofType(bench.events, "tool-result")).toMatchObject([{ callId: "c1", status: "success", output: "hello" }]);
    expect(ofType(bench.events, "tool-blocked")).toMatchObject([{ tool: "shop_client", callId: "c2" }]);
  });

  it("H-106 H-103 judges the arguments that toolPaths declares as paths", async () => {
    const server = await serve();
    const bench = await open({
      spec: SPEC.replace("shop_echo,", '{ tool: shop_echo, paths: "reports/**" },'),
      mcp: { shop: { url: server.url } },
      toolPaths: { shop_echo: { text: "read" } },
      replies: [
        calls(["shop_echo", { text: "reports/a" }, "c1"], ["shop_echo", { text: "secrets/a" }, "c2"]),
        says("end"),
      ],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(results(outcome).map(({ status }) => status)).toEqual(["success", "error"]);
    expect(server.seen("tools/call")).toHaveLength(1);
  });

  it("A-61 offers scripts what their state grants", async () => {
    const server = await serve();
    const bench = await open({
      spec: `
states:
  check:
    type: code
    script: scripts/check.js
    triggers: { manual: }
    tools: { allow: [shop_echo] }
    transitions: [{ to: rest }]
  rest: { instructions: Rest. }
`,
      files: {
        "workflows/case/scripts/check.js": `export default async function ({ tools }) {
          console.log(await tools.shop_echo({ text: "from a script" }));
          try { await tools.shop_data({}); } catch { console.log("refused"); }
          await tools.archmax_advance({ to: "rest", reason: "done" });
        }`,
      },
      mcp: { shop: { url: server.url } },
      replies: [says("end")],
    });

    await bench.agent.workflow.send("s1", { message: "go" });

    expect(ofType(bench.events, "code-output").map(({ line }) => line)).toEqual(["from a script", "refused"]);
  });

  it("H-43 H-106 shares its connections with the children of its workflows", async () => {
    const server = await serve();
    const bench = await open({
      spec: `
states:
  desk:
    instructions: Have it done.
    triggers: { manual: }
    tools: { allow: [archmax_workflow_help, shop_echo] }
`,
      files: {
        "workflows/help/workflow.yaml": `
title: Help
states:
  work:
    instructions: Help.
    triggers: { manual: { description: Helps. } }
    tools: { allow: [shop_echo] }
`,
      },
      mcp: { shop: { url: server.url } },
      replies: [
        calls(["shop_echo", { text: "root" }]),
        calls(["archmax_workflow_help", { message: "help" }]),
        calls(["shop_echo", { text: "child" }]),
        says("helped"),
        says("end"),
      ],
    });

    expect(await bench.agent.workflow.send("s1", { message: "go" })).toMatchObject({ kind: "completed" });

    expect(server.seen("tools/call")).toHaveLength(2);
    expect(server.seen("initialize")).toHaveLength(1);
  });

  it("A-64 R-308 keeps the connection when a session is disposed of: it is no session's own", async () => {
    const bench = await open({
      spec: SPEC,
      mcp: { shop: aProcess() },
      replies: [calls(["shop_process", {}]), says("end"), calls(["shop_process", {}]), says("end")],
    });
    const pidOf = async (message: string) => {
      const outcome = await bench.agent.workflow.send("s1", { message });
      return (JSON.parse(results(outcome).at(-1)?.text ?? "") as { pid: number }).pid;
    };

    const pid = await pidOf("go");
    await bench.agent.dispose("s1");

    expect(await pidOf("again")).toBe(pid);
    expect(await isRunning(pid)).toBe(true);
    await bench.agent.close();
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it("A-60 S-41 H-131 says that a call's outcome is unknown when its process ended, whatever the server hints", async () => {
    const server = await serve();
    const bench = await open({
      spec: SPEC,
      mcp: { shop: { url: server.url } },
      replies: [calls(["shop_hang", {}, "c1"]), says("end")],
    });
    await bench.agent.accept("s1", { kind: "turn", message: "go" });
    const cut = bench.agent.work("s1");
    await expect.poll(() => server.seen("tools/call").length).toBe(1);
    await bench.agent.close();
    await cut;

    const next = await bench.again();
    const { settled } = await next.work("s1");

    expect(server.seen("tools/call")).toHaveLength(1);
    expect(results(settled.at(-1)?.outcome as Outcome)).toMatchObject([
      { tool: "shop_hang", status: "error", refusal: "interrupted" },
    ]);
  });
});

it("H-106 H-127 offers a plain agent every tool of its servers", async () => {
  const server = await serve();
  const bench = await openPlain({
    mcp: { shop: { url: server.url } },
    replies: [calls(["shop_echo", { text: "hello" }]), says("end")],
  });

  await bench.agent.invoke({ messages: [{ role: "user", content: "go" }] }, { configurable: { thread_id: "s1" } });

  expect(ofType(bench.events, "tool-result")).toMatchObject([{ tool: "shop_echo", output: "hello" }]);
  expect(offered(bench.requests[0])).toContain("shop_strange_name_1");
  expect(server.seen("tools/call")).toHaveLength(1);
});

describe("assembly", () => {
  it("A-57 F-71 goes on without a server that is down, and warns once", async () => {
    const server = await serve();
    const bench = await open({
      spec: SPEC,
      mcp: { shop: { url: server.url }, gone: { command: "/nowhere/at-all" }, off: { command: "x", disabled: true } },
      replies: [calls(["shop_echo", { text: "hello" }]), says("end")],
    });

    expect(bench.agent.mcp.status()).toEqual({ shop: "connected", gone: "failed", off: "disabled" });
    expect(await bench.agent.workflow.send("s1", { message: "go" })).toMatchObject({ kind: "completed" });
    expect(ofType(bench.events, "warning").filter(({ scope }) => scope === "mcp")).toMatchObject([
      { message: 'The MCP server "gone" could not be connected to: it could not be started (ENOENT).' },
    ]);
  });

  it("A-46 repeats requests to servers as the agent's retry option says", async () => {
    const server = await serve({
      intercept: (_request, response) => {
        response.writeHead(503).end();
        return true;
      },
    });
    const bench = await open({ spec: SPEC, mcp: { shop: { url: server.url } }, retry: { retries: 0 } });

    const { status } = bench.agent.mcp;
    expect(status()).toEqual({ shop: "failed" });
    expect(server.requests).toHaveLength(1);
  });

  it("F-71 tries a server that was down again after a minute, and offers its tools from the next turn on", async () => {
    let isDown = true;
    const server = await serve({
      intercept: (_request, response) => {
        if (isDown) response.writeHead(403).end();
        return isDown;
      },
    });
    const bench = await open({
      spec: SPEC,
      mcp: { shop: { url: server.url } },
      answer: () => says("end"),
    });
    const turn = async () => {
      await bench.agent.workflow.send("s1", { message: "go" });
      return offered(bench.requests.at(-1)).includes("shop_echo");
    };
    const initialized = () => server.seen("initialize").length;

    bench.clock.advance(59_000);
    expect(await turn()).toBe(false);
    expect(initialized()).toBe(1);

    bench.clock.advance(1_000);
    expect(await turn()).toBe(false);
    await expect.poll(initialized).toBe(2);
    isDown = false;
    expect(await turn()).toBe(false);

    bench.clock.advance(60_000);
    await turn();
    await expect.poll(() => bench.agent.mcp.status()).toEqual({ shop: "connected" });
    await expect.poll(turn).toBe(true);
    expect(initialized()).toBe(3);
    expect(ofType(bench.events, "warning").filter(({ scope }) => scope === "mcp")).toHaveLength(1);
  });

  it("A-54 A-57 has no servers without the option", async () => {
    const bench = await open({ spec: SPEC });

    expect(bench.agent.mcp.status()).toEqual({});
  });

  it("A-56 keeps the values of headers and environments out of events, records and files", async () => {
    const refusing = await serve({
      intercept: ({ headers }, response) => {
        response.writeHead(403).end(`not with ${headers.authorization} and ${headers["x-plain"]}`);
        return true;
      },
    });
    const server = await serve({
      intercept: ({ asks, headers }, response) => {
        if (asks !== "tools/call") return false;
        response.writeHead(400).end(`bad ${headers.authorization}`);
        return true;
      },
    });
    const headers = { Authorization: "Bearer ${ARCHMAX_API_KEY}", "X-Plain": "plain-s3cr3t" };
    const bench = await open({
      spec: SPEC,
      mcp: {
        shop: { url: server.url, headers },
        no: { url: refusing.url, headers },
        ends: aProcess("ends", { environment: { TOKEN: "other-s3cr3t" } }),
      },
      replies: [calls(["shop_echo", { text: "hello" }]), says("end")],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "go" });
    const directory = await bench.agent.emitRunArtifacts("s1");

    expect(results(outcome)).toMatchObject([{ text: expect.stringContaining("answered 400"), status: "error" }]);
    expect(directory).not.toBeNull();
    const artifacts = await bench.stores.files.list("s1");
    const texts = await Promise.all(
      artifacts.map(async ({ path }) => new TextDecoder().decode((await bench.stores.files.read("s1", path))?.bytes)),
    );
    const everything = JSON.stringify([bench.events, outcome, texts]);
    expect(everything).toContain("not with");
    expect(everything).not.toMatch(/test-key|s3cr3t/);
  });

  it("A-56 H-10 refuses a configuration that is none, after everything else", async () => {
    const folder = "/nowhere/mcp.json";
    await expect(open({ spec: SPEC, mcp: folder })).rejects.toMatchObject({
      name: "InvalidMcpConfigError",
      code: "invalid-mcp-config",
    });
    await expect(open({ spec: "states: {}", mcp: folder })).rejects.not.toMatchObject({
      name: "InvalidMcpConfigError",
    });
    await expect(open({ spec: SPEC, mcp: folder, trigger: { id: "none" } })).rejects.toMatchObject({
      name: "UnknownTriggerError",
    });
  });

  it("A-56 refuses it when a worker is made, before any session", async () => {
    const bench = await open({ spec: SPEC });
    const { stores, rootDir } = bench;
    await expect(
      createWorker({ stores, workspace: { rootDir }, env: {}, mcp: "/nowhere/mcp.json" }),
    ).rejects.toMatchObject({ name: "InvalidMcpConfigError" });
  });

  it("H-10 connects to nothing when something before it is refused", async () => {
    const server = await serve();
    await expect(open({ spec: "states: {}", mcp: { shop: { url: server.url } } })).rejects.toThrow();
    expect(server.requests).toEqual([]);
  });

  it("A-58 leaves a name to the host's tool", async () => {
    const server = await serve();
    const bench = await open({
      spec: SPEC,
      mcp: { shop: { url: server.url } },
      tools: toolsFromMap({
        shop_echo: { description: "e", inputSchema: { type: "object" }, handler: () => "the host's" },
      }),
      replies: [calls(["shop_echo", { text: "hello" }]), says("end")],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(results(outcome)[0]).toMatchObject({ text: "the host's" });
    expect(ofType(bench.events, "warning")).toMatchObject([
      { scope: "mcp", message: expect.stringContaining('"shop_echo" is a tool of the host') },
    ]);
  });

  it("H-131 H-104 takes what is said of a server's tools, and refuses what is said of none, leaving no connection", async () => {
    const server = await serve();
    const mcp = { shop: { url: server.url }, gone: { command: "/nowhere/at-all" } };
    const said = {
      toolEffects: { shop_echo: { readOnly: true }, gone_any: { idempotent: true } },
      toolPaths: { shop_echo: { text: "read" }, gone_any: { file: "read" } },
      essentialTools: ["shop_data", "gone_any"],
    } as const;
    const bench = await open({ spec: SPEC, mcp, ...said, replies: [says("end")] });
    await bench.agent.workflow.send("s1", { message: "go" });
    expect(offered(bench.requests[0])).toContain("shop_data");
    await bench.close();

    for (const [more, name] of [
      [{ toolEffects: { shop_none: { readOnly: true } } }, "TypeError"],
      [{ toolPaths: { shop_none: { text: "read" } } }, "ToolPathsError"],
      [{ essentialTools: ["shop_none"] }, "TypeError"],
    ] as const) {
      const before = server.seen("DELETE").length;
      await expect(open({ spec: SPEC, mcp, ...more })).rejects.toMatchObject({ name });
      expect(server.seen("DELETE").length).toBe(before + 1);
    }
    const requests = server.requests.length;
    await expect(open({ spec: SPEC, mcp, toolEffects: { other_none: {} } })).rejects.toThrow(TypeError);
    expect(server.requests.length).toBe(requests);
  });

  it("A-57 is cancelled with all that it began", async () => {
    const silent = await serve({ intercept: () => true });
    const cancel = new AbortController();
    const assembling = open({
      spec: SPEC,
      mcp: { silent: { url: silent.url }, shop: aProcess() },
      host: { signal: cancel.signal },
    });
    await expect.poll(() => silent.requests.length).toBe(1);

    cancel.abort(new Error("never mind"));

    await expect(assembling).rejects.toThrow("never mind");
  });
});
