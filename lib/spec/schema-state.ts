/** Shape of one state, its transitions and its budget (W-59…W-73, W-84, W-169). Triggers are read one by one. */
import * as z from "zod";
import { stateMountsSchema, stateSkillsSchema, stateToolsSchema } from "./schema-governance.js";
import { issueText, positiveInteger, says, text, variableName } from "./shape.js";

export const transitionSchema = z.strictObject({
  to: text(),
  description: z.string().optional(),
  type: z.enum(["approve", "reject", "refine", "none"]).optional(),
});

export const budgetSchema = z.strictObject({
  maxTurns: positiveInteger().optional(),
  timeoutMs: positiveInteger().optional(),
  maxParks: positiveInteger().optional(),
});

export function modelId() {
  return z
    .string(
      says(
        "model/not-an-id",
        "must be a model id as text; endpoint, credentials and sampling are the host's to configure",
      ),
    )
    .regex(/\S/, says("schema/blank", "must be text that is not blank"));
}

export function metadata() {
  const rule = "must be a mapping";
  return z.record(z.string(), z.unknown(), says("metadata/not-a-mapping", rule));
}

const SCRIPT_RULE = "must lie under scripts/, end in .js or .mjs, and have no empty, `.` or `..` segment";

/** Blank text is left to the rule that asks for a script (W-62). */
function isScriptPath(script: string): boolean {
  if (script.trim() === "") return true;
  const segments = script.split("/");
  const plain = segments.every((segment) => segment !== "" && segment !== "." && segment !== "..");
  return plain && segments.length > 1 && segments[0] === "scripts" && /[^/]\.m?js$/.test(script);
}

const RESERVED_LOCKS = ["trigger", "title"];

function lockName() {
  return variableName().superRefine((name, context) => {
    if (!RESERVED_LOCKS.includes(name)) return;
    const message = issueText("locks/reserved", `must not be "${name}": the runtime keeps that variable itself`);
    context.addIssue({ code: "custom", message });
  });
}

export const stateSchema = z.strictObject({
  type: z
    .enum(["agent", "human", "grader", "code"], says("state/unknown-type", "must be agent, human, grader or code"))
    .optional(),
  title: text().optional(),
  summary: z.string().optional(),
  instructions: z.string().optional(),
  script: z.string().refine(isScriptPath, says("code/script-path", SCRIPT_RULE)).optional(),
  triggers: z.unknown().optional(),
  transitions: z.array(transitionSchema).optional(),
  tools: stateToolsSchema.optional(),
  skills: stateSkillsSchema.optional(),
  mounts: stateMountsSchema.optional(),
  requires: z.array(variableName()).optional(),
  locks: z.array(lockName()).optional(),
  model: modelId().optional(),
  budget: budgetSchema.optional(),
  on_error: text().optional(),
  evidence: z.array(text()).optional(),
  approvers: z.array(text()).optional(),
  metadata: metadata().optional(),
});
