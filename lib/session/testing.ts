/** Builders for tests of this folder and of those above it. */
import { compileMachine } from "../machine/index.js";
import type { Machine } from "../machine/types.js";
import { parseSpec } from "../spec/index.js";
import { emptyState } from "./fold.js";
import type { SessionFields, SessionState } from "./state.js";

/** The machine of a workflow's text, which must be valid. */
export function machineOf(text: string, workflow = "case"): Machine {
  const parsed = parseSpec(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics, null, 2));
  return compileMachine(parsed, workflow);
}

export function aState(
  fields: Partial<SessionFields> = {},
  rest: Partial<Omit<SessionState, "fields">> = {},
): SessionState {
  return { ...emptyState(), ...rest, fields };
}
