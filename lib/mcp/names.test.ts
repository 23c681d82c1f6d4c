import { describe, expect, it } from "vitest";
import { chosenBy, exposedName, isToolOf, offeredTools } from "./names.js";
import type { McpToolDefinition } from "./types.js";

const tool = (name: string): McpToolDefinition => ({ name, inputSchema: { type: "object" } });
const server = (name: string, tools: string[], filter: Record<string, boolean> = {}) => ({
  name,
  filter,
  tools: tools.map(tool),
});
const offer = (servers: ReturnType<typeof server>[], taken: string[] = []) => {
  const { offered, warnings } = offeredTools(servers, new Set(taken));
  return { names: offered.map(({ name }) => name), warnings };
};

it("A-58 joins server and tool, each without the characters that no model takes", () => {
  expect(exposedName("my shop", "orders/find.all")).toBe("my_shop_orders_find_all");
  expect(exposedName("größe", "a-b_C9")).toBe("gr__e_a-b_C9");
  expect(exposedName("s", "𝒳")).toBe("s__");
});

describe("clashes", () => {
  it("A-58 gives a name to the first in file order, and warns of the others", () => {
    const { names, warnings } = offer([server("a_b", ["c", "c!", "c?"]), server("a", ["b_c", "d"])]);
    expect(names).toEqual(["a_b_c", "a_b_c_", "a_d"]);
    expect(warnings).toEqual([
      expect.stringContaining('"c?" of the MCP server "a_b" is left out'),
      expect.stringContaining('"b_c" of the MCP server "a" is left out'),
    ]);
  });

  it("A-58 leaves a name to the host's tool, and to the runtime", () => {
    const { names, warnings } = offer(
      [server("shop", ["find"]), server("archmax", ["x"]), server("read", ["file"])],
      ["shop_find"],
    );
    expect(names).toEqual([]);
    expect(warnings).toEqual([
      expect.stringContaining("is a tool of the host"),
      expect.stringContaining("belongs to the runtime"),
      expect.stringContaining("belongs to the runtime"),
    ]);
  });
});

it("A-58 warns of a name that providers do not take, and leaves it to them", () => {
  const { names, warnings } = offer([server("s", ["x".repeat(62), "y".repeat(63)])]);
  expect(names).toHaveLength(2);
  expect(warnings).toEqual([`"s_${"y".repeat(63)}" has 65 characters, and model providers accept 64.`]);
});

describe("the filter", () => {
  it.each([
    [{}, ["a", "b", "c"]],
    [{ a: true }, ["a"]],
    [{ a: true, b: false }, ["a"]],
    [{ b: false }, ["a", "c"]],
  ] as [Record<string, boolean>, string[]][])("A-59 of %j offers %j", (filter, offered) => {
    expect(["a", "b", "c"].filter((name) => chosenBy(filter, name))).toEqual(offered);
    expect(offer([server("s", ["a", "b", "c"], filter)]).names).toEqual(offered.map((name) => `s_${name}`));
  });

  it("A-59 knows tools by their original names, and warns once of those there are not", () => {
    const { names, warnings } = offer([server("s", ["a/b", "toString"], { "a/b": true, a_b: true, gone: false })]);
    expect(names).toEqual(["s_a_b"]);
    expect(warnings).toEqual(['The MCP server "s" has no "a_b", "gone", which its `tools` name.']);
  });
});

it("A-61 tells a server's tools by their prefix", () => {
  const servers = [{ name: "my shop" }];
  expect(["my_shop_find", "my_shop_", "my_shop", "other_find"].map((name) => isToolOf(servers, name))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
