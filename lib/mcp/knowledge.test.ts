import { expect, it } from "vitest";
import { readMcpConfig } from "./config.js";
import { knowledgeOf } from "./knowledge.js";
import type { ListedMcpServer } from "./list.js";

const url = "https://shop.test/mcp";
const settings = readMcpConfig({
  mcpServers: {
    shop: { url },
    some: { url, tools: { "find/one": true, other: false } },
    most: { url, tools: { remove: false } },
    off: { url, disabled: true },
    broken: {},
    some_more: { url },
  },
});
const listed = (...names: string[]): ListedMcpServer => ({
  status: "connected",
  tools: names.map((name) => ({ name, inputSchema: { type: "object" } })),
});

it.each([
  ["lookup", "none"],
  ["shop", "none"],
  ["shop_anything", "unsure"],
  ["some_find_one", "unsure"],
  ["some_other", "missing"],
  ["some_third", "missing"],
  ["some_more_third", "unsure"],
  ["most_remove", "missing"],
  ["most_any", "unsure"],
  ["off_any", "missing"],
  ["broken_any", "missing"],
])("A-61 knows without asking of %s: %s", (tool, expected) => {
  expect(knowledgeOf(settings, null)(tool)).toBe(expected);
});

it.each([
  ["lookup", "none"],
  ["shop_find", "offered"],
  ["shop_gone", "missing"],
  ["some_find_one", "offered"],
  ["some_other", "missing"],
  ["most_any", "unsure"],
  ["off_any", "missing"],
])("A-61 knows after asking of %s: %s", (tool, expected) => {
  const answers = {
    shop: listed("find"),
    some: listed("find/one", "other"),
    most: { status: "failed" as const, tools: [], reason: "is down" },
    some_more: listed(),
  };
  expect(knowledgeOf(settings, answers)(tool)).toBe(expected);
});
