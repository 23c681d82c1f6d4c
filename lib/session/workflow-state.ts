/** The checkpointed state of a session as it is shown, and its schema (H-130). */
import { z } from "zod";
import type { StoredMessage } from "./messages.js";
import { shownVariables } from "./outcome.js";
import type { SessionState } from "./state.js";

const usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheCreationTokens: z.number(),
  costUsd: z.number().optional(),
});

const delegation = z.object({
  workflow: z.string(),
  sessionId: z.string(),
  dispatchId: z.string(),
  toolCallId: z.string(),
  state: z.string(),
});

const everyPark = {
  parkId: z.string(),
  state: z.string(),
  title: z.string().optional(),
  parkedAt: z.iso.datetime(),
  delegation: delegation.optional(),
};

const park = z.discriminatedUnion("channel", [
  z.object({
    channel: z.literal("decision"),
    ...everyPark,
    instructions: z.string(),
    transitions: z.array(z.object({ to: z.string(), description: z.string().optional(), type: z.string().optional() })),
    evidence: z.array(z.string()),
    approvers: z.array(z.string()).optional(),
    seq: z.number().int(),
  }),
  z.object({
    channel: z.literal("input"),
    ...everyPark,
    reason: z.string(),
    resumeAt: z.iso.datetime().optional(),
  }),
]);

const status = z.enum(["running", "completed", "failed", "rejected", "awaiting_decision", "awaiting_input"]);

/**
 * What a session's checkpoint holds, by the names of R-5; variables with value and lock alone. A field that is not set is
 * left out. Further fields are the runtime's own and are not shown.
 */
export const workflowStateSchema = z.object({
  position: z.string().optional(),
  entryState: z.string().optional(),
  status: status.optional(),
  trigger: z.string().optional(),
  turnTrigger: z.string().optional(),
  specHash: z.string().optional(),
  messages: z.array(z.custom<StoredMessage>(isMessage)),
  variables: z.record(z.string(), z.object({ value: z.unknown(), locked: z.boolean() })),
  trail: z.array(
    z.object({
      to: z.string(),
      kind: z.enum(["trigger", "agent", "human", "grader", "code", "sub-workflow", "reset", "on_error"]),
      reason: z.string().optional(),
      workflow: z.string().optional(),
      status: z.enum(["ok", "error"]).optional(),
      by: z.string().optional(),
      ts: z.number(),
    }),
  ),
  usage,
  rejected: z.string().optional(),
  exit: z.object({ code: z.string(), reason: z.string(), state: z.string() }).optional(),
  endedAs: status.optional(),
  park: park.optional(),
  parkPhase: z.enum(["closing", "suspended"]).optional(),
  decisionCount: z.number().int().optional(),
  parkOrdinal: z.number().int().optional(),
  parkCounts: z.record(z.string(), z.number().int()).optional(),
  stateTurns: z.object({ state: z.string(), count: z.number().int() }).optional(),
  stepsUsed: z.number().int().optional(),
  pendingDelegations: z.array(z.record(z.string(), z.unknown())).optional(),
  failedDelegations: z.array(z.record(z.string(), z.unknown())).optional(),
  dispatchCount: z.number().int().optional(),
  todos: z.array(z.object({ content: z.string(), status: z.enum(["pending", "in_progress", "completed"]) })).optional(),
});

export type WorkflowState = z.infer<typeof workflowStateSchema>;

/** The state in the schema's form. */
export function checkpointedState(state: SessionState): WorkflowState {
  const { fields, messages, trail, usage: used } = state;
  return workflowStateSchema.parse({ ...fields, messages, variables: shownVariables(state), trail, usage: used });
}

function isMessage(value: unknown): boolean {
  return typeof value === "object" && value !== null && "role" in value && "content" in value;
}
