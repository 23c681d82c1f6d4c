/** The checkpointed state of a session as a schema, for whoever reads what a store holds. */
import * as z from "zod";
import { RUNTIME_NOTE_KINDS } from "../messages/index.js";
import type { StoredMessage } from "./messages.js";
import type { Park, SessionFields, TrailStep, Usage, Variable } from "./state.js";
import { WORKFLOW_STATUSES } from "./state.js";

const count = z.int().nonnegative();
const json = z.record(z.string(), z.unknown());

const message = z.looseObject({
  id: z.string(),
  role: z.enum(["user", "assistant", "tool"]),
  content: z.string(),
  tool_calls: z.array(z.looseObject({ id: z.string(), name: z.string(), args: json })).optional(),
  tool_call_id: z.string().optional(),
  name: z.string().optional(),
  status: z.enum(["success", "error"]).optional(),
  additional_kwargs: z
    .looseObject({
      archmax: z
        .looseObject({
          note: z.enum(RUNTIME_NOTE_KINDS).optional(),
          refusal: z.string().optional(),
          picture: z.string().optional(),
        })
        .optional(),
      governance_blocked: z.literal(true).optional(),
    })
    .optional(),
});

const variable = z.looseObject({
  value: z.unknown(),
  locked: z.boolean(),
  lockedBy: z.enum(["host", "agent"]).optional(),
});

const trailStep = z.looseObject({
  to: z.string(),
  kind: z.enum(["trigger", "agent", "human", "grader", "code", "sub-workflow", "reset", "on_error"]),
  reason: z.string().optional(),
  workflow: z.string().optional(),
  status: z.enum(["ok", "error"]).optional(),
  by: z.string().optional(),
  ts: z.number(),
});

const usage = z.looseObject({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheCreationTokens: count,
  costUsd: z.number().optional(),
});

const parkedChild = z.looseObject({
  workflow: z.string(),
  sessionId: z.string(),
  dispatchId: z.string(),
  toolCallId: z.string(),
  state: z.string(),
});

const parkFields = { parkId: z.string(), state: z.string(), title: z.string().optional(), parkedAt: z.iso.datetime() };

const park = z.discriminatedUnion("channel", [
  z.looseObject({
    channel: z.literal("decision"),
    ...parkFields,
    instructions: z.string(),
    transitions: z.array(
      z.looseObject({ to: z.string(), description: z.string().optional(), type: z.string().optional() }),
    ),
    evidence: z.array(z.string()),
    approvers: z.array(z.string()).optional(),
    seq: count,
    delegation: parkedChild.optional(),
  }),
  z.looseObject({
    channel: z.literal("input"),
    ...parkFields,
    reason: z.string(),
    resumeAt: z.iso.datetime().optional(),
    delegation: parkedChild.optional(),
  }),
]);

/**
 * The zod schema of a session's state (H-130), the record of R-5 made flat: the transcript, the variables, the trail and
 * the usage beside the fields. A field that was never set is absent; others that a later version keeps are let through.
 */
export const workflowStateSchema = z.looseObject({
  messages: z.array(message) satisfies z.ZodType<StoredMessage[]>,
  variables: z.record(z.string(), variable) satisfies z.ZodType<Record<string, Variable>>,
  trail: z.array(trailStep) satisfies z.ZodType<TrailStep[]>,
  usage: usage satisfies z.ZodType<Usage>,
  position: z.string().optional(),
  entryState: z.string().optional(),
  status: z.enum(Object.values(WORKFLOW_STATUSES)).optional(),
  trigger: z.string().optional(),
  turnTrigger: z.string().optional(),
  specHash: z.string().optional(),
  rejected: z.string().optional(),
  exit: z.looseObject({ code: z.string(), reason: z.string(), state: z.string() }).optional(),
  endedAs: z.enum(Object.values(WORKFLOW_STATUSES)).optional(),
  park: (park satisfies z.ZodType<Park>).optional(),
  parkPhase: z.enum(["closing", "suspended"]).optional(),
  decisionCount: count.optional(),
  parkOrdinal: count.optional(),
  parkCounts: z.record(z.string(), count).optional(),
  stateTurns: z.looseObject({ state: z.string(), count }).optional(),
  stepsUsed: count.optional(),
  pendingDelegations: z
    .array(
      z.looseObject({
        workflow: z.string(),
        sessionId: z.string(),
        dispatchId: z.string(),
        callId: z.string(),
        state: z.string(),
        args: json,
        park,
        batchAt: count,
      }),
    )
    .optional(),
  failedDelegations: z
    .array(
      z.looseObject({
        workflow: z.string(),
        kind: z.enum(["raised", "invalid-return", "rejected", "parked", "completion", "error"]),
        state: z.string(),
        args: json,
        reason: z.string(),
        batchAt: count,
      }),
    )
    .optional(),
  dispatchCount: count.optional(),
  todos: z
    .array(z.looseObject({ content: z.string(), status: z.enum(["pending", "in_progress", "completed"]) }))
    .optional(),
}) satisfies z.ZodType<Partial<SessionFields>>;

/** The checkpointed state of a session, as `workflowStateSchema` gives it. */
export type WorkflowState = z.infer<typeof workflowStateSchema>;
