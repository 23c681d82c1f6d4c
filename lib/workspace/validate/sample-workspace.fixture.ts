/** For tests: a small valid workspace in memory, and findings in short form. */
import { createMemoryBackend } from "../memory-backend.js";
import type { ValidateWorkflowOptions } from "./options.js";
import { validateWorkflow } from "./validate.js";

export type SampleFiles = Record<string, string>;

export const SPEC = "workflows/w/workflow.yaml";

/** A document with a start, an end and the given further root and state lines. */
export function spec({
  root = "",
  start = "",
  states = "",
  tools = "tools: { allow_always: [read_file] }",
} = {}): string {
  return [
    "title: Sample",
    "instructions: Do the work.",
    tools,
    ...(/^skills:/m.test(root) ? [] : ["skills: { allow_always: [] }"]),
    ...(root === "" ? [] : [root]),
    "states:",
    "  start:",
    "    triggers: { manual: }",
    "    instructions: Begin.",
    "    transitions: [{ to: done, description: It is finished. }]",
    ...(start === "" ? [] : [indent(start, 4)]),
    ...(states === "" ? [] : [indent(states, 2)]),
    "  done:",
    "",
  ].join("\n");
}

export const SCRIPT = "export default async function ({ tools }) {}\n";

export function skill(name: string): string {
  return `---\nname: ${name}\ndescription: What ${name} is for.\n---\n\nText.\n`;
}

/** The findings of workflow `w` as `code field`, in order. */
export async function findings(files: SampleFiles, options: Partial<ValidateWorkflowOptions> = {}): Promise<string[]> {
  const { diagnostics } = await validateSample(files, options);
  return diagnostics.map(({ code, field }) => (field === undefined ? code : `${code} ${field}`));
}

export function validateSample(files: SampleFiles, options: Partial<ValidateWorkflowOptions> = {}) {
  return validateWorkflow({ workflow: "w", backend: createMemoryBackend(files), ...options });
}

function indent(text: string, by: number): string {
  return text
    .split("\n")
    .map((line) => " ".repeat(by) + line)
    .join("\n");
}
