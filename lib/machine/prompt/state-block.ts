/** The volatile block of an agent state (W-264…W-271, W-279, R-272…R-276). */
import { stateOf } from "../compile.js";
import type { Machine, MachineState } from "../types.js";
import { renderContract } from "./contract.js";
import { byName, mountLine, type StateMount } from "./mount.js";
import { foldLines, renderTransitions } from "./transitions.js";

export interface StateBlockInput {
  machine: Machine;
  /** The active state's slug; it must be one of the machine's. */
  state: string;
  /** The line of `clockLine`. */
  clock: string;
  /** The trigger that opened the turn. */
  trigger: string;
  /** A delegated child's session. */
  child: boolean;
  /** The tools this state offers. No part names a control that is not among them. */
  offered: readonly string[];
  /** The state the session stood in as the turn opened there without a trigger's entry. */
  openedIn?: string | null;
  /** The state the session began in. */
  entryState?: string | null;
  /** Enabled skills in set order. `path` is that of the `SKILL.md`; `skills/<slug>/SKILL.md` unless given. */
  skills: readonly { slug: string; description: string; path?: string }[];
  /** Governed mounts that are reachable here. */
  mounts: readonly StateMount[];
  /** Names of the variables that are set. */
  variables: readonly string[];
  /** Lines of the kernel's `argumentLimits`. */
  argumentLimits: readonly string[];
}

export function renderStateBlock(input: StateBlockInput): string {
  const state = stateOf(input.machine, input.state);
  if (state === null) throw new Error(`"${input.state}" is not a state of workflow ${input.machine.workflow}.`);
  if (input.machine.plain) {
    return [input.clock, listPart("### Skills here", input.skills.map(skillLine))].filter(Boolean).join("\n\n");
  }
  return [
    input.clock,
    `## You are in state ${state.slug}`,
    "This overrides any movement recorded earlier in the conversation.",
    resetReminder(input, state),
    state.spec.instructions?.trim() || null,
    listPart("### Skills here", input.skills.map(skillLine)),
    listPart("### Mounts here", [...input.mounts].sort(byName).map(mountLine)),
    variablesPart(input),
    listPart("### Argument limits", input.argumentLimits),
    contractPart(input),
    waysOut(input, state),
  ]
    .filter((part) => part !== null)
    .join("\n\n");
}

/** W-264 part 3. */
function resetReminder({ openedIn, entryState, offered }: StateBlockInput, state: MachineState): string | null {
  const stoodHere = state.terminal && openedIn === state.slug && entryState !== state.slug;
  if (!stoodHere || !offered.includes("archmax_reset")) return null;
  return (
    "The session already stood here, at an end, when this turn opened. If a new request has come that the work of this " +
    "state does not answer, call `archmax_reset` first, so that the request goes through the workflow from its beginning."
  );
}

function skillLine({ slug, description, path }: StateBlockInput["skills"][number]): string {
  return `- \`${slug}\`: ${foldLines(description)} (\`${path ?? `skills/${slug}/SKILL.md`}\`)`;
}

function variablesPart({ variables, offered }: StateBlockInput): string {
  if (variables.length === 0) return "### Variables\n\nNo variable is set.";
  const names = [...variables].sort().map((name) => `\`${name}\``);
  const reading = offered.includes("archmax_get_variables") ? " `archmax_get_variables` shows their values." : "";
  return `### Variables\n\nSet: ${names.join(", ")}.${reading}`;
}

function contractPart({ machine, trigger, child, offered }: StateBlockInput): string | null {
  const signature = machine.triggers.get(trigger)?.signature;
  if (signature === undefined) return null;
  return renderContract({ signature, child, canSet: offered.includes("archmax_set_variables") });
}

function waysOut({ machine, offered }: StateBlockInput, state: MachineState): string {
  if (state.terminal) return "### Ways out\n\nThis state is terminal: the work ends here.";
  const leave = offered.includes("archmax_advance")
    ? "Leave through one of these with `archmax_advance` once the work is finished."
    : "These lead out of this state.";
  const automated = state.transitions.some(({ to }) => stateOf(machine, to)?.automated)
    ? " A grader or code target runs by itself and may send the work straight back with a note."
    : "";
  return `### Ways out\n\n${leave}${automated}\n\n${renderTransitions(machine, state)}`;
}

function listPart(heading: string, lines: readonly string[]): string | null {
  return lines.length === 0 ? null : `${heading}\n\n${lines.join("\n")}`;
}
