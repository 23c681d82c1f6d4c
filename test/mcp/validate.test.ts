import { afterEach, describe, expect, it } from "vitest";
import { listMcpTools } from "../../lib/agent.js";
import { aRoot, runCli } from "../cli/stage.js";
import { type McpHttpServer, startMcpServer } from "./http-server.js";
import { aProcess } from "./loaded.js";
import { TOOLS } from "./tool-set.js";

const servers: McpHttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
const serve = async () => {
  const server = await startMcpServer();
  servers.push(server);
  return server;
};

const workflow = (...granted: string[]) => `
title: Desk
instructions: Help.
states:
  help:
    instructions: Help.
    triggers: { manual: { description: Helps. } }
    tools: { allow: [${granted.join(", ")}], forbid: [] }
`;
async function validated(granted: string[], mcp: object, argv: string[] = [], config?: string) {
  const root = aRoot([], {
    "workflows/desk/workflow.yaml": workflow(...granted),
    "mcp.json": JSON.stringify(mcp),
    ...(config ? { "parkway.config.mjs": config } : {}),
  });
  const { exit, out, err } = await runCli(["validate", "--json", ...argv], { root });
  const result = JSON.parse(out) as { diagnostics: { code: string; field: string; message: string }[]; mcp?: object };
  return { exit, err, result, codes: result.diagnostics.map(({ code, field }) => `${code} ${field}`) };
}

describe("parkway validate", () => {
  it("A-61 warns of a granted name that no server can offer, without connecting", async () => {
    const { url, requests } = await serve();
    const { exit, codes } = await validated(["shop_echo", "shop_any", "off_echo", "some_data", "some_echo", "lookup"], {
      shop: { url },
      off: { url, disabled: true },
      some: { url, tools: { data: true } },
    });

    expect(codes).toEqual([
      "tools/unknown-mcp-tool states.help.tools.allow.2",
      "tools/unknown-mcp-tool states.help.tools.allow.4",
    ]);
    expect(exit).toBe(0);
    expect(requests).toEqual([]);
  });

  it("A-61 connects with --mcp, and knows then", async () => {
    const server = await serve();
    const { codes, result, err } = await validated(
      ["shop_echo", "shop_any", "gone_any"],
      { shop: { url: server.url }, gone: { command: "/nowhere/at-all" } },
      ["--mcp"],
    );

    expect(codes).toEqual(["tools/unknown-mcp-tool states.help.tools.allow.1"]);
    expect(result.diagnostics[0]?.message).toContain('"shop_any"');
    expect(result.mcp).toMatchObject({ shop: { status: "connected" }, gone: { status: "failed" } });
    expect(err).toContain('The MCP server "gone" could not be connected to: it could not be started (ENOENT).');
    expect(server.seen("DELETE")).toHaveLength(1);
  });

  it("A-61 W-218 does not take a server's tool for an unknown tool of the host's, nor the host's for a server's", async () => {
    const config = `export default { tools: [{ name: "shop_own" }] };`;
    const off = { shop: { url: "https://shop.test", disabled: true }, other: { url: "https://other.test" } };
    const { codes } = await validated(["shop_own", "shop_echo", "other_any", "lookup"], off, [], config);

    expect(codes).toEqual([
      "tools/unknown-mcp-tool states.help.tools.allow.1",
      "tools/unknown-host-tool states.help.tools.allow.3",
    ]);
  });

  it("A-56 A-61 says what is wrong with mcp.json", async () => {
    const root = aRoot([], { "workflows/desk/workflow.yaml": workflow("ls"), "mcp.json": "{" });
    const { exit, err } = await runCli(["validate"], { root });

    expect(exit).not.toBe(0);
    expect(err).toContain("mcp.json cannot be used: it is no JSON");
  });
});

describe("listMcpTools", () => {
  it("A-66 lists the original definitions unfiltered, with each server's status, and disconnects", async () => {
    const server = await serve();
    const listed = await listMcpTools(
      {
        mcpServers: {
          shop: { url: server.url, tools: { echo: true }, headers: { "X-Key": "${SHOP_KEY}" } },
          local: aProcess("", { tools: { echo: false } }),
          off: { url: server.url, disabled: true },
          broken: {},
          gone: { command: "/nowhere/at-all" },
        },
      },
      { env: { SHOP_KEY: "k" } },
    );

    expect(listed.shop).toEqual({ status: "connected", tools: TOOLS });
    expect(listed.local).toEqual({ status: "connected", tools: TOOLS });
    expect(listed.off).toEqual({ status: "disabled", tools: [] });
    expect(listed.broken).toEqual({ status: "failed", tools: [], reason: "has neither `command` nor `url`" });
    expect(listed.gone).toMatchObject({ status: "failed", tools: [], reason: expect.stringContaining("ENOENT") });
    expect(server.requests[0]?.headers["x-key"]).toBe("k");
    expect(server.seen("DELETE")).toHaveLength(1);
  });

  it("A-66 reads a file, and stops with the signal", async () => {
    const silent = await startMcpServer({ intercept: () => true });
    servers.push(silent);
    const root = aRoot([], { "mcp.json": JSON.stringify({ silent: { url: silent.url } }) });
    const cancel = new AbortController();

    const listing = listMcpTools(`${root}/mcp.json`, { signal: cancel.signal });
    await expect.poll(() => silent.requests.length).toBe(1);
    cancel.abort(new Error("never mind"));

    await expect(listing).rejects.toThrow("never mind");
  });
});
