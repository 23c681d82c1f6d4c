/** The tools that call other workflows, as they are offered (R-172, R-173, W-241…W-243). */
import { signatureJsonSchema, workflowToolName } from "../spec/index.js";
import type { Signature, SignatureEntry } from "../spec/types.js";
import type { ToolDefinition } from "./types.js";

/**
 * The definition of a workflow's tool. The target's instructions never appear.
 *
 * @param manual - what the target's trigger `manual` takes and gives back; null for a target that cannot be called, whose
 *   tool takes any object (H-26)
 */
export function delegationDefinition(
  workflow: string,
  { title, manual }: { title?: string; manual: Signature | null },
): ToolDefinition {
  const name = workflowToolName(workflow);
  if (manual === null) {
    const description = `Has the workflow ${workflow} do a piece of work. It cannot be called at present.`;
    return { name, description, parameters: { type: "object", properties: {}, additionalProperties: true } };
  }
  const about = [
    manual.description ?? "",
    `Has the workflow ${title?.trim() || workflow} do a piece of work, in a session of its own that knows nothing but the arguments.`,
    `Parameters: ${named(manual.requires)}.`,
    manual.returns.length > 0
      ? `Answers { message, returns } with the returns ${named(manual.returns)}.`
      : "Answers with its closing message.",
  ];
  return {
    name,
    description: about.filter((part) => part !== "").join("\n"),
    parameters: { ...signatureJsonSchema(manual.requires), additionalProperties: true },
  };
}

function named(entries: readonly SignatureEntry[]): string {
  const shown = entries.map(({ name, type, description }) => {
    const kind = type === undefined ? "" : ` (${type})`;
    return `\`${name}\`${kind}${description ? `: ${description.replace(/\s+/g, " ")}` : ""}`;
  });
  return shown.length > 0 ? shown.join("; ") : "none";
}
