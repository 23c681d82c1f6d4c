/** The JSON Schema of `workflow.yaml` for editors, from the schemas the loader itself uses. */
import * as z from "zod";
import { rootSchema } from "./schema-root.js";
import { stateSchema } from "./schema-state.js";
import { triggerSchema } from "./schema-trigger.js";

/** A JSON Schema (2020-12): the shape only; rules between keys are the loader's. */
export function workflowJsonSchema(): Record<string, unknown> {
  const states = z.record(
    z.string(),
    stateSchema.extend({ triggers: z.record(z.string(), triggerSchema.nullable()).optional() }).nullable(),
  );
  const workflow = rootSchema.extend({ states }).meta({ title: "workflow.yaml" });
  return z.toJSONSchema(workflow, { target: "draft-2020-12", io: "input", unrepresentable: "any" });
}
