/** A firing as the input of an arrival. */
import type { ArrivalInput } from "../session/arrival.js";
import type { Firing } from "./types.js";

/** Without the files, which are references in an input (S-10). */
export function firingInput({
  message,
  trigger,
  variables,
  model,
}: Pick<Firing, "message" | "trigger" | "variables" | "model">): Extract<ArrivalInput, { kind: "turn" }> {
  return {
    kind: "turn",
    ...(message !== undefined ? { message } : {}),
    ...(trigger !== undefined ? { trigger } : {}),
    ...(variables !== undefined ? { variables } : {}),
    ...(model !== undefined ? { model } : {}),
  };
}
