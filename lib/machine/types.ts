/** The compiled workflow: what the runtime consults instead of the document. Pure data and lookups by own properties (W-5). */
import type { Signature, StateSpec, StateType, TransitionSpec, WorkflowSpec } from "../spec/types.js";

export interface MachineState {
  slug: string;
  type: StateType;
  spec: StateSpec;
  transitions: readonly TransitionSpec[];
  /** No outgoing transitions. */
  terminal: boolean;
  /** Type grader or code. */
  automated: boolean;
}

export interface MachineTrigger {
  id: string;
  state: string;
  session?: string;
  /** A dotted path, or false for firings without a message. */
  message?: string | false;
  signature: Signature;
}

export interface Machine {
  workflow: string;
  spec: WorkflowSpec;
  specHash: string;
  /** The document that the hash is of, as it is stored under it (W-49, W-52); `spec` reads some of its values otherwise. */
  specJson: string;
  disabled: boolean;
  /** In document order. */
  states: ReadonlyMap<string, MachineState>;
  triggers: ReadonlyMap<string, MachineTrigger>;
  /** W-100. */
  defaultEntry: string;
  /** Neither an agent nor a grader state (W-82). */
  modelFree: boolean;
  /** Of a plain agent, which has no spec (H-127): no platform prompt, no state events, no `specHash`. */
  plain?: true;
}
