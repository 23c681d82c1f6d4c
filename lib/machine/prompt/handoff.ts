import type { MachineState } from "../types.js";

/** The message of a human park that no model writes: title, else slug, and instructions (W-82, R-100). */
export function composeHandoffText(state: MachineState): string {
  const heading = state.spec.title?.trim() || state.slug;
  const instructions = state.spec.instructions?.trim() ?? "";
  return instructions === "" ? heading : `${heading}\n\n${instructions}`;
}
