import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryFolder, writeTree } from "../../test/harness/temporary.js";
import { agentOptions, deploymentOf, parseConfig } from "./index.js";

const bare = temporaryFolder();
const root = temporaryFolder();
beforeAll(() => writeTree(root.dir, { "mcp.json": "{}" }));
afterAll(() => {
  bare.remove();
  root.remove();
});

it("A-54 takes the root's mcp.json when it is there, and what the configuration says before it", () => {
  expect(agentOptions({}, bare.dir)).not.toHaveProperty("mcp");
  expect(agentOptions({}, root.dir).mcp).toBe(`${root.dir}/mcp.json`);
  expect(agentOptions({ mcp: "servers/shop.json" }, root.dir).mcp).toBe(`${root.dir}/servers/shop.json`);
  expect(agentOptions({ mcp: {} }, root.dir).mcp).toEqual({});
});

it("A-54 C-73 refuses what is neither a file of the root nor an object", () => {
  for (const mcp of ["mcp.json", { shop: { command: "x" } }]) expect(parseConfig({ mcp })).toEqual({ mcp });
  for (const mcp of ["../mcp.json", "/etc/mcp.json", ".env", 3, ["mcp.json"]]) {
    expect(() => parseConfig({ mcp })).toThrow(/"mcp" must be a file inside the root, or an object/);
  }
});

it("A-64 has another file than mcp.json travel with a deployment", () => {
  expect(deploymentOf({ mcp: "mcp.json" })).not.toHaveProperty("files");
  expect(deploymentOf({ mcp: {} })).not.toHaveProperty("files");
  expect(deploymentOf({ mcp: "servers.json" }).files).toEqual(["servers.json"]);
  expect(deploymentOf({ mcp: "servers.json", files: ["kb/"] }).files).toEqual(["kb/", "servers.json"]);
});
