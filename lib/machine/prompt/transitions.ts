/** The lines of the ways out (W-266…W-268), shared by the state block and a grader's task (W-70). */
import type { TransitionSpec } from "../../spec/types.js";
import { stateOf } from "../compile.js";
import type { Machine, MachineState } from "../types.js";

/** One line for each transition of the state in document order, each undescribed one followed by the quoted work there. */
export function renderTransitions(machine: Machine, state: MachineState): string {
  return state.transitions.map((transition) => transitionLine(machine, transition)).join("\n");
}

function transitionLine(machine: Machine, transition: TransitionSpec): string {
  const target = stateOf(machine, transition.to);
  const marks = markers(transition, target);
  const start = `- \`${transition.to}\`${marks.length > 0 ? ` (${marks.join(", ")})` : ""}`;
  const description = transition.description?.trim() ?? "";
  if (description !== "") return `${start}: ${foldLines(description)}`;
  const work = target?.spec.instructions?.trim() ?? "";
  return work === "" ? start : `${start}: the work there is:\n${quote(work)}`;
}

function markers({ type }: TransitionSpec, target: MachineState | null): string[] {
  const kinds = { agent: [], human: ["human decision node"], grader: ["grader"], code: ["code"] };
  return [
    ...(type === undefined || type === "none" ? [] : [type]),
    ...kinds[target?.type ?? "agent"],
    ...(target?.terminal ? ["terminal"] : []),
  ];
}

function quote(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => `  > ${line}`)
    .join("\n");
}

/** Trimmed, with inner line breaks folded to spaces. */
export function foldLines(text: string): string {
  return text.trim().replace(/[^\S\r\n]*[\r\n]+\s*/g, " ");
}
