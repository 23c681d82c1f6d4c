/** The schema of workflow.yaml that editors of a new workspace read (C-74). */
import { workflowJsonSchema } from "../../../spec/index.js";

export const SCHEMA_FILE = ".parkway/workflow.schema.json";

export function schemaJson(): string {
  return `${JSON.stringify(workflowJsonSchema(), null, 2)}\n`;
}
