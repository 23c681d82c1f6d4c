/** Shape of a trigger's `requires` and `returns` (W-116…W-126). */
import * as z from "zod";
import { isMapping, own } from "./own.js";
import { alwaysCheck, issueText, says, saysOfMapping, text, variableName } from "./shape.js";
import {
  BOUND_PAIRS,
  boundsContradict,
  compilePattern,
  RULE_TYPES,
  ruleAppliesTo,
  ruleValueProblem,
  SIGNATURE_CONTENTS,
  SIGNATURE_RULES,
} from "./signature-rules.js";
import { SIGNATURE_FORMATS, SIGNATURE_TYPES, type SignatureType } from "./types.js";

const RESERVED_RETURNS = ["trigger", "title", "note"];

export type SignatureList = "requires" | "returns";

/** Rules are `unknown` to zod: what they may hold depends on `type`, see `checkRules`. The metadata is for editors. */
function rule(jsonSchema: Record<string, unknown>) {
  return z.unknown().optional().meta(jsonSchema);
}

export const signatureEntrySchema = z
  .strictObject(
    {
      name: variableName(issueText("signature/entry-shape", "must be there: an entry has a `name`")),
      type: z
        .enum(SIGNATURE_TYPES, says("signature/bad-type", `must be one of ${SIGNATURE_TYPES.join(", ")}`))
        .optional(),
      description: text().optional(),
      format: rule({ enum: [...SIGNATURE_FORMATS] }),
      pattern: rule({ type: "string" }),
      minLength: rule({ type: "integer", minimum: 0 }),
      maxLength: rule({ type: "integer", minimum: 0 }),
      enum: rule({ type: "array", items: { type: "string" }, minItems: 1, uniqueItems: true }),
      content: rule({ enum: Object.keys(SIGNATURE_CONTENTS) }),
      minimum: rule({ type: ["number", "string"] }),
      maximum: rule({ type: ["number", "string"] }),
      minItems: rule({ type: "integer", minimum: 0 }),
      maxItems: rule({ type: "integer", minimum: 0 }),
      accept: rule({ type: "array", items: { type: "string", pattern: "^\\." }, minItems: 1 }),
      maxSize: rule({ type: ["integer", "string"], minimum: 0 }),
    },
    saysOfMapping("signature/entry-shape", "must be a variable name or a mapping with `name`"),
  )
  .check(alwaysCheck(checkRules));

export function signatureListSchema(list: SignatureList) {
  const entry = z.union(
    [variableName(), signatureEntrySchema],
    says("signature/entry-shape", "must be a variable name or a mapping with `name`"),
  );
  return z.array(entry, says("signature/not-a-list", "must be a list of variable names and entries")).check(
    alwaysCheck((items, report) => {
      if (!Array.isArray(items)) return;
      const seen = new Set<string>();
      items.forEach((item: unknown, index) => {
        const name = typeof item === "string" ? item : isMapping(item) ? own(item, "name") : undefined;
        if (typeof name !== "string") return;
        const path = typeof item === "string" ? [index] : [index, "name"];
        if (seen.has(name)) report(path, issueText("signature/duplicate-name", `repeats "${name}" in one list`));
        seen.add(name);
        if (list === "returns" && RESERVED_RETURNS.includes(name)) {
          report(
            path,
            issueText("signature/reserved-return", `must not be "${name}": the runtime sets that name itself`),
          );
        }
      });
    }),
  );
}

function checkRules(entry: Record<string, unknown>, report: (path: string[], issue: string) => void): void {
  const authoredType = own(entry, "type");
  const type = SIGNATURE_TYPES.find((known) => known === authoredType);
  // A misspelt type has its own finding; which rules fit it is unknown.
  if (authoredType !== undefined && type === undefined) return;
  const broken = new Set<string>();
  for (const name of SIGNATURE_RULES) {
    const value = own(entry, name);
    if (value === undefined) continue;
    const issue = ruleIssue(name, type, value);
    if (issue === undefined) continue;
    broken.add(name);
    report([name], issue);
  }
  for (const [lower, upper] of BOUND_PAIRS) {
    if (type === undefined || broken.has(lower) || broken.has(upper)) continue;
    if (!boundsContradict(type, own(entry, lower), own(entry, upper))) continue;
    report([lower], issueText("signature/rule-value", `must not be above \`${upper}\``));
  }
}

function ruleIssue(name: (typeof SIGNATURE_RULES)[number], type: SignatureType | undefined, value: unknown) {
  if (type === undefined || !ruleAppliesTo(name, type)) {
    const expected = `is a rule for ${RULE_TYPES[name].join(", ")} entries only; ${type ? `this one is ${type}` : "this one has no type"}`;
    return issueText("signature/rule-not-for-type", expected);
  }
  const problem = ruleValueProblem(name, type, value);
  if (problem !== undefined) return issueText("signature/rule-value", `must be ${problem}`);
  if (name === "pattern" && compilePattern(value as string) === undefined) {
    return issueText(
      "signature/bad-pattern",
      "must be an RE2 expression; look-around and back-references are not in it",
    );
  }
  return undefined;
}
