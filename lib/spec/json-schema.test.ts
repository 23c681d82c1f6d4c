import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { workflowJsonSchema } from "./index.js";
import { KEY_MEANINGS } from "./key-meanings.js";

describe("workflowJsonSchema", () => {
  const schema = workflowJsonSchema() as { properties: Record<string, unknown>; additionalProperties: unknown };

  it("W-22 W-23 is derived from the loader's schemas: eleven root keys, closed", () => {
    expect(Object.keys(schema.properties)).toHaveLength(11);
    expect(schema.additionalProperties).toBe(false);
    expect(schema).toMatchObject({ $schema: "https://json-schema.org/draft/2020-12/schema", required: ["states"] });
  });

  it("W-59 describes states closed, with eighteen keys, or empty", () => {
    const states = schema.properties.states as {
      additionalProperties: { anyOf: { properties?: object; type?: string }[] };
    };
    const [state, empty] = states.additionalProperties.anyOf;
    expect(Object.keys(state!.properties!)).toHaveLength(18);
    expect(state).toMatchObject({ additionalProperties: false });
    expect(empty).toEqual({ type: "null" });
  });

  it("says of every key what it is for, and of no other", () => {
    const keys = keysOf(schema, "");

    expect(keys.filter((key) => !Object.hasOwn(KEY_MEANINGS, key))).toEqual([]);
    expect(Object.keys(KEY_MEANINGS).filter((key) => !keys.includes(key))).toEqual([]);
    expect(schema.properties.disabled).toMatchObject({ description: KEY_MEANINGS.disabled });
  });

  it("equals the committed docs/workflow.schema.json; write-json-schema.ts prints it", () => {
    const committed = readFileSync(new URL("../../docs/workflow.schema.json", import.meta.url), "utf8");
    expect(committed).toBe(`${JSON.stringify(schema, null, 2)}\n`);
  });
});

interface Part {
  properties?: Record<string, Part>;
  items?: Part;
  additionalProperties?: unknown;
  anyOf?: Part[];
}

function keysOf(part: object, path: string): string[] {
  const { properties = {}, items, additionalProperties, anyOf = [] } = part as Part;
  const own = Object.entries(properties).flatMap(([key, value]) => {
    const at = path === "" ? key : `${path}.${key}`;
    return [at, ...keysOf(value, at)];
  });
  const named = additionalProperties && typeof additionalProperties === "object" ? additionalProperties : {};
  return [
    ...own,
    ...(items ? keysOf(items, `${path}[]`) : []),
    ...(Object.keys(named).length > 0 ? keysOf(named, `${path}.*`) : []),
    ...anyOf.flatMap((each) => keysOf(each, path)),
  ];
}
