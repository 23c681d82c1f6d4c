/** An agent's spec with its types checked where it is written. */
import type { AgentSpec } from "./types.js";

/**
 * Gives an agent spec its types in an editor; returns its argument itself.
 *
 * @example
 * const refund = defineAgent({ guardrails: [({ name }) => (name === "pay" ? "not today" : undefined)] });
 * await createAgent({ workflow: "refund", agents: { refund } });
 */
export function defineAgent(spec: AgentSpec): AgentSpec {
  return spec;
}

export { defineAgent as harness };
