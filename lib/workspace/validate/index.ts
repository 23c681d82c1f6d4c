/** Static validation of one workflow: everything that can be found wrong without running it. */
export type { ValidateWorkflowOptions } from "./options.js";
export { validateWorkflow, type WorkflowValidation } from "./validate.js";
