/** `### Contract`: the signature of the trigger that opened the turn (W-269, R-276). */
import type { Signature, SignatureEntry } from "../../spec/types.js";
import { foldLines } from "./transitions.js";

export interface ContractInput {
  signature: Signature;
  child: boolean;
  /** `archmax_set_variables` is offered here. */
  canSet: boolean;
}

/** The part, or null when the signature has no entries. */
export function renderContract({ signature, child, canSet }: ContractInput): string | null {
  const { requires, returns } = signature;
  if (requires.length + returns.length === 0) return null;
  const parts = ["### Contract"];
  if (requires.length > 0) {
    parts.push(`This work was started with these variables:\n\n${requires.map(entryLine).join("\n")}`);
  }
  if (returns.length > 0) {
    const how = canSet
      ? "It must set these variables with `archmax_set_variables` before it finishes"
      : "It owes these variables";
    parts.push(`${how}:\n\n${returns.map(entryLine).join("\n")}`);
    parts.push(
      child
        ? "Finishing with one of them unset adds a note to the caller that names it."
        : "Finishing with one of them unset, or set to a value that does not conform, rejects the session.",
    );
  }
  return parts.join("\n\n");
}

/** ``- contact (string, format email, maxLength 80): Where the answer goes.`` */
function entryLine({ name, type, description, ...rules }: SignatureEntry): string {
  const marks =
    type === undefined ? [] : [type, ...Object.entries(rules).map(([rule, value]) => `${rule} ${ruleText(value)}`)];
  const start = `- ${name}${marks.length > 0 ? ` (${marks.join(", ")})` : ""}`;
  return description?.trim() ? `${start}: ${foldLines(description)}` : start;
}

function ruleText(value: unknown): string {
  return Array.isArray(value) ? value.join(" | ") : foldLines(String(value));
}
