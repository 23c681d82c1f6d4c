import { describe, expect, it } from "vitest";
import { temporaryFolder, writeTree } from "../../test/harness/temporary.js";
import { readMcpConfig } from "./config.js";
import { InvalidMcpConfigError } from "./errors.js";
import { expandValues } from "./expand.js";
import type { McpOption } from "./types.js";

const read = (option: unknown) => readMcpConfig(option as McpOption);
const names = (option: unknown) => read(option).map(({ name }) => name);
const one = (server: unknown) => read({ mcpServers: { shop: server } })[0];
const problem = (server: unknown) => {
  const read = one(server);
  return read?.kind === "broken" ? read.problem : null;
};
const local = { command: "shop" };

describe("where the servers stand", () => {
  it("A-54 takes the first of mcpServers, servers and mcp that is there", () => {
    expect(names({ mcp: { c: local }, servers: { b: local }, mcpServers: { a: local } })).toEqual(["a"]);
    expect(names({ mcp: { c: local }, servers: { b: local } })).toEqual(["b"]);
    expect(names({ mcp: { c: local }, others: { d: local } })).toEqual(["c"]);
  });

  it("A-54 takes the object itself as the map without any of them, minus its siblings, in the order of the file", () => {
    const siblings = { builtins: {}, agents: {}, a2a: {}, mcpServer: {} };
    expect(names({ b: local, ...siblings, a: local })).toEqual(["b", "a"]);
    expect(names({ mcpServers: { agents: local } })).toEqual(["agents"]);
    expect(names({})).toEqual([]);
  });

  it("A-54 A-56 reads a file, and says which one is missing, no JSON or no map, without quoting it", () => {
    const folder = temporaryFolder();
    writeTree(folder.dir, {
      "mcp.json": '\uFEFF{ "servers": { "shop": { "url": "https://shop.test/mcp" } } }',
      "broken.json": '{ "token": "s3cr3t-value", }',
      "list.json": "[]",
      "text.json": '{ "mcpServers": "s3cr3t-value" }',
    });
    try {
      expect(names(`${folder.dir}/mcp.json`)).toEqual(["shop"]);
      for (const file of ["gone.json", "broken.json", "list.json", "text.json"]) {
        const path = `${folder.dir}/${file}`;
        expect(() => read(path), file).toThrow(InvalidMcpConfigError);
        expect(() => read(path)).toThrow(expect.objectContaining({ code: "invalid-mcp-config", source: path }));
        expect(() => read(path)).toThrow(expect.not.objectContaining({ message: expect.stringContaining("s3cr3t") }));
      }
    } finally {
      folder.remove();
    }
  });
});

describe("one server", () => {
  it("A-55 is remote by its url, local by its command, and has half a minute", () => {
    expect(one({ url: "https://shop.test/mcp", headers: { a: "b" } })).toEqual({
      name: "shop",
      kind: "remote",
      url: new URL("https://shop.test/mcp"),
      headers: { a: "b" },
      timeoutMs: 30_000,
      tools: {},
    });
    expect(one({ command: ["npx", "shop"], env: { A: "1" }, cwd: "servers", timeout: 5 })).toEqual({
      name: "shop",
      kind: "local",
      command: "npx",
      args: ["shop"],
      environment: { A: "1" },
      cwd: "servers",
      timeoutMs: 5,
      tools: {},
    });
    expect(one({ command: "npx", args: ["shop"], environment: { A: "1" }, env: { B: "2" } })).toMatchObject({
      command: "npx",
      args: ["shop"],
      environment: { A: "1" },
    });
  });

  it("A-55 follows its type where it has both, and cannot be used with both or neither without one", () => {
    const both = { command: "shop", url: "https://shop.test/mcp" };
    expect(one({ ...both, type: "local" })).toMatchObject({ kind: "local" });
    expect(one({ ...both, type: "remote" })).toMatchObject({ kind: "remote" });
    expect(problem(both)).toBe("has both `command` and `url`");
    expect(problem({})).toBe("has neither `command` nor `url`");
    expect(problem({ type: "local", url: both.url })).toBe("is local and has no `command`");
    expect(problem({ type: "remote", command: "shop" })).toBe("is remote and has no `url`");
  });

  it.each([
    [{ disabled: true, enabled: true }],
    [{ enabled: false }],
    [{ enabled: false, disabled: false }],
    [{ disabled: true, command: 3 }],
  ])("A-55 is disabled by %j", (flags) => {
    expect(one({ ...local, ...flags })).toEqual({ name: "shop", kind: "disabled" });
  });

  it("A-55 is enabled otherwise", () => {
    expect(one({ ...local, enabled: true, disabled: false })).toMatchObject({ kind: "local" });
  });

  it.each([
    ["a text", "must be described by an object"],
    [{ command: [] }, "`command`"],
    [{ command: "" }, "`command`"],
    [{ command: ["npx", 3] }, "`command"],
    [{ ...local, args: "x" }, "`args`"],
    [{ ...local, environment: { TOKEN: 5 } }, "`environment.TOKEN`"],
    [{ ...local, type: "stdio" }, '"local" or "remote"'],
    [{ ...local, timeout: 0 }, "`timeout`"],
    [{ ...local, timeout: 2 ** 31 }, "`timeout`"],
    [{ ...local, enabled: "no" }, "`enabled`"],
    [{ ...local, tools: { echo: "yes" } }, "`tools.echo`"],
    [{ url: "shop" }, "`url`"],
    [{ url: "file:///etc/passwd" }, "`url`"],
    [{ url: "https://shop.test", headers: { a: 1 } }, "`headers.a`"],
  ])("A-55 A-56 cannot be used as %j, and says where without the value", (server, where) => {
    expect(problem(server)).toContain(where);
    expect(problem(server)).not.toMatch(/passwd|yes/);
  });

  it("A-55 leaves alone what other programs keep in the file", () => {
    expect(one({ ...local, autoApprove: ["echo"] })).toMatchObject({ kind: "local" });
  });
});

describe("variables in values", () => {
  it("A-56 expands names from the environment, and keeps what must not be shown", () => {
    const { values, secrets } = expandValues(
      "shop",
      { Authorization: "Bearer ${TOKEN}", plain: "a-value", empty: "${EMPTY}", other: "$TOKEN ${not a name}" },
      { TOKEN: "s3cr3t", EMPTY: "" },
    );
    expect(values).toEqual({
      Authorization: "Bearer s3cr3t",
      plain: "a-value",
      empty: "",
      other: "$TOKEN ${not a name}",
    });
    expect(secrets).toEqual(expect.arrayContaining(["s3cr3t", "Bearer s3cr3t", "a-value"]));
  });

  it("A-56 names an unset variable alone", () => {
    const expand = () => expandValues("shop", { a: "${TOKEN}${toString}" }, { TOKEN: "s3cr3t" });
    expect(expand).toThrow(
      expect.objectContaining({ code: "mcp-server", message: expect.stringContaining("toString") }),
    );
    expect(expand).toThrow(expect.not.objectContaining({ message: expect.stringContaining("s3cr3t") }));
  });
});
