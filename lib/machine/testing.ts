/** Builders for this folder's tests. */
import type { StateSpec, WorkflowSpec } from "../spec/types.js";
import { compileMachine } from "./compile.js";
import type { Machine } from "./types.js";

export function aMachine(states: Record<string, StateSpec>, root: Omit<WorkflowSpec, "states"> = {}): Machine {
  return compileMachine({ spec: { ...root, states }, stateOrder: Object.keys(states), specHash: "hash" }, "refunds");
}
