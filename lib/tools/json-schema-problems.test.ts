import { describe, expect, it } from "vitest";
import { ToolDescriptionError } from "./errors.js";
import { remoteTool } from "./remote-tool.js";

const anObject = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

async function parsed(inputSchema: unknown, args: Record<string, unknown>) {
  const tool = await remoteTool({ name: "n", description: "", inputSchema, source: "mcp", run: async () => "" });
  return tool.parse(args);
}

describe("the arguments of a call", () => {
  it.each([
    ["refers to itself", anObject({ a: { $ref: "#/properties/a" } })],
    [
      "refers in a circle",
      anObject({ a: { $ref: "#/$defs/a" } }, { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }),
    ],
    ["refers to nothing", anObject({ a: { $ref: "#/$defs/none" } })],
    ["has a `required` that is no list", anObject({}, { required: 5 })],
  ])("A-60 R-59 are refused, and nothing is thrown, where the schema %s", async (_what, schema) => {
    expect(await parsed(schema, { a: "x" })).toEqual({
      ok: false,
      problems: [expect.stringMatching(/^The arguments cannot be checked against the tool's input schema: [^\n]+\.$/)],
    });
  });

  it("A-60 F-70 are refused in time where a pattern of the schema would take for ever", async () => {
    const schema = anObject({ a: { type: "string", pattern: "^(a+)+$" } });

    expect(await parsed(schema, { a: "aaa" })).toMatchObject({ ok: true });
    expect(await parsed(schema, { a: "b" })).toEqual({ ok: false, problems: ["`a`: String does not match pattern."] });
    expect(await parsed(schema, { a: `${"a".repeat(60)}!` })).toEqual({
      ok: false,
      problems: ["The arguments cannot be checked against the tool's input schema: it takes too long."],
    });
    expect(await parsed(schema, { a: "aaa" })).toMatchObject({ ok: true });
  });

  it("A-60 are checked by the rest of a schema with patterns that JavaScript does not know", async () => {
    const schema = anObject(
      { a: { type: "string", pattern: "\\A[a\\_]+\\z" }, pattern: { enum: [{ pattern: "(" }] } },
      { patternProperties: { "(": { type: "null" }, "^x": { type: "number" } } },
    );

    expect(await parsed(schema, { a: "x", pattern: { pattern: "(" }, x1: 1 })).toMatchObject({ ok: true });
    expect(await parsed(schema, { a: 5 })).toMatchObject({ ok: false });
    expect(await parsed(schema, { pattern: {} })).toMatchObject({ ok: false });
    expect(await parsed(schema, { x1: "one" })).toMatchObject({ ok: false });
  });
});

it.each([
  ["one id twice", anObject({ a: { $id: "x" }, b: { $id: "x" } })],
  ["an id that is no address", anObject({ a: { $id: "http://[" } })],
])("F-70 A-57 is refused as a description where the schema has %s", async (_what, schema) => {
  await expect(parsed(schema, {})).rejects.toBeInstanceOf(ToolDescriptionError);
});
