/** The JSON Schema of `workflow.yaml` for editors, from the schemas the loader itself uses. */
import * as z from "zod";
import { KEY_MEANINGS } from "./key-meanings.js";
import { rootSchema } from "./schema-root.js";
import { stateSchema } from "./schema-state.js";
import { triggerSchema } from "./schema-trigger.js";

/** A JSON Schema (2020-12) of `workflow.yaml`, for editors: the shape only; rules between keys are the loader's. */
export function workflowJsonSchema(): Record<string, unknown> {
  const states = z.record(
    z.string(),
    stateSchema.extend({ triggers: z.record(z.string(), triggerSchema.nullable()).optional() }).nullable(),
  );
  const workflow = rootSchema.extend({ states }).meta({ title: "workflow.yaml" });
  const schema = z.toJSONSchema(workflow, { target: "draft-2020-12", io: "input", unrepresentable: "any" });
  describe(schema as Schema, "");
  return schema;
}

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
}

/** Adds each key's meaning, which editors show beside it. */
function describe(schema: Schema, path: string): void {
  for (const [key, value] of Object.entries(schema.properties ?? {})) {
    const at = path === "" ? key : `${path}.${key}`;
    const meaning = KEY_MEANINGS[at];
    if (meaning !== undefined) value.description = meaning;
    describe(value, at);
  }
  if (schema.items) describe(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === "object") describe(schema.additionalProperties, `${path}.*`);
  for (const part of schema.anyOf ?? []) describe(part, path);
}
