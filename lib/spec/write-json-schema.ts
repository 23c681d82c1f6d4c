/** Prints docs/workflow.schema.json: `npx tsx lib/spec/write-json-schema.ts > docs/workflow.schema.json`. Not part of the library. */
import { workflowJsonSchema } from "./json-schema.js";

process.stdout.write(`${JSON.stringify(workflowJsonSchema(), null, 2)}\n`);
