import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { workflowJsonSchema } from "./index.js";

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

  it("equals the committed docs/workflow.schema.json; write-json-schema.ts prints it", () => {
    const committed = readFileSync(new URL("../../docs/workflow.schema.json", import.meta.url), "utf8");
    expect(committed).toBe(`${JSON.stringify(schema, null, 2)}\n`);
  });
});
