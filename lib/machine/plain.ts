/** The machine of a plain agent: one state, nowhere to go, and everything granted (H-127). */
import { MANUAL_TRIGGER } from "../spec/index.js";
import { compileMachine } from "./compile.js";
import type { Machine } from "./types.js";

/** Stands where a session's record names its workflow. No slug, so no workflow, delegation or request can have it. */
export const PLAIN_WORKFLOW = "(plain)";

/** The one state. */
export const PLAIN_STATE = "agent";

/** What there is to grant; governed mounts are as open as their table says, since no state could open them. */
export interface PlainGrants {
  tools: readonly string[];
  skills: readonly string[];
  mounts: readonly string[];
}

export function plainMachine({ tools, skills, mounts }: PlainGrants): Machine {
  const spec = {
    tools: { allow_always: [...tools] },
    skills: { allow_always: [...skills] },
    mounts: { allow_always: mounts.map((mount) => ({ mount, access: "read_write" as const })) },
    states: { [PLAIN_STATE]: { triggers: { [MANUAL_TRIGGER]: {} } } },
  };
  return { ...compileMachine({ spec, stateOrder: [PLAIN_STATE], specHash: "" }, PLAIN_WORKFLOW), plain: true };
}
