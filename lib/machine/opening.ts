/** Where a turn opens (R-30, R-31, W-100, W-101, W-108). */
import { entryStateFor, stateOf } from "./compile.js";
import type { Machine } from "./types.js";

export interface OpeningInput {
  /** The retained position; absent on a session that never ran. */
  position?: string | null;
  /** The status the last turn ended with. */
  endedAs?: string | null;
  trigger: string;
}

export type Opening =
  /** `fromEntry`: the trigger's entry (or the default one) chose the state, not the retained position. */
  { state: string; fromEntry: boolean } | { unknownTrigger: string; declared: string[] };

/** The state a turn opens in, or the refusal of a first turn under a trigger that no state declares. */
export function openingState(machine: Machine, input: OpeningInput): Opening {
  const { position, endedAs, trigger } = input;
  const entry = entryStateFor(machine, trigger);
  if (position === undefined || position === null) {
    return entry === null
      ? { unknownTrigger: trigger, declared: [...machine.triggers.keys()] }
      : { state: entry, fromEntry: true };
  }
  const state = stateOf(machine, position);
  const finished = state?.type === "code" && state.terminal && endedAs === "completed";
  if (state && !finished) return { state: position, fromEntry: false };
  return { state: entry ?? machine.defaultEntry, fromEntry: true };
}
