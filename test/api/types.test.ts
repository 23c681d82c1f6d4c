/** The public types as a host's program uses them: what does not compile here breaks hosts. */

import type {
  Agent,
  AgentToolDescriptor,
  CreateAgentParams,
  DecideOutcome,
  DeliverOutcome,
  GovernanceRule,
  GovernedAgent,
  MachineSpec,
  Outcome,
  PathAccess,
  PricingTable,
  RunMetadata,
  SerializedGraph,
  SessionExit,
  SessionSummary,
  ToolContext,
  ToolPaths,
  TrailStep,
  Trajectory,
  TriggerDelivery,
  UsageSummary,
  WorkflowEventHandler,
  WorkflowLifecycleEvent,
  WorkflowState,
} from "parkway";
import {
  type createAgent,
  createUsageTracker,
  createWorkflowEventEmitter,
  toolsFromMap,
  type validateWorkflow,
  workflowStateSchema,
} from "parkway";
import { isRuntimeNote, lastAgentText, messagesSince, type RuntimeNoteKind, runtimeNoteKind } from "parkway/messages";
import { type CodeStateInput, defineCodeState, type SessionHistory } from "parkway/sandbox";
import { parseMachineSpec, type Signature, signatureForTrigger } from "parkway/spec";
import { describe, expectTypeOf, it } from "vitest";

describe("H-130 the types of the root", () => {
  it("H-68 H-130 an outcome is told apart by its kind, and decide and deliver settle to one", () => {
    expectTypeOf<DecideOutcome>().toEqualTypeOf<Outcome>();
    expectTypeOf<DeliverOutcome>().toEqualTypeOf<Outcome>();
    expectTypeOf<Outcome["kind"]>().toEqualTypeOf<"completed" | "parked" | "failed" | "rejected">();
    expectTypeOf<Outcome["auditTrail"]>().toEqualTypeOf<readonly TrailStep[]>();
    expectTypeOf<NonNullable<Outcome["usage"]>>().toEqualTypeOf<UsageSummary>();
    expectTypeOf<SessionSummary["classification"]>().toEqualTypeOf<"open" | "finished">();
    expectTypeOf<SessionExit>().toEqualTypeOf<{ code: string; reason: string; state: string }>();
  });

  it("H-130 an agent is assembled from options and works on sessions", () => {
    type Assembled = Awaited<ReturnType<typeof createAgent>>;
    expectTypeOf<Assembled>().toExtend<Agent>();
    expectTypeOf<CreateAgentParams>().toHaveProperty("policyRules");
    expectTypeOf<NonNullable<CreateAgentParams["policyRules"]>[number]>().toEqualTypeOf<GovernanceRule>();
    expectTypeOf<NonNullable<CreateAgentParams["pricing"]>>().toEqualTypeOf<PricingTable>();
    expectTypeOf<NonNullable<CreateAgentParams["onEvent"]>>().toEqualTypeOf<WorkflowEventHandler>();
    expectTypeOf<GovernedAgent["workflow"]["deliver"]>().parameter(1).toEqualTypeOf<TriggerDelivery>();
    expectTypeOf<GovernedAgent["workflow"]["decide"]>().returns.resolves.toEqualTypeOf<Outcome>();
    expectTypeOf<Awaited<ReturnType<typeof validateWorkflow>>>().toHaveProperty("diagnostics");
  });

  it("H-80 H-130 events are told apart by their type", () => {
    type ToolCalled = Extract<WorkflowLifecycleEvent, { type: "tool-called" }>;
    expectTypeOf<ToolCalled["callId"]>().toEqualTypeOf<string>();
    expectTypeOf<WorkflowEventHandler>().parameter(0).toEqualTypeOf<WorkflowLifecycleEvent>();
    expectTypeOf(createUsageTracker).returns.toHaveProperty("handler");
    expectTypeOf(createUsageTracker().handler).toEqualTypeOf<WorkflowEventHandler>();
    expectTypeOf(createWorkflowEventEmitter).returns.toHaveProperty("emit");
  });

  it("H-101…H-103 H-130 a host tool is written as a descriptor", () => {
    const paths: ToolPaths = { from: "read", to: "write" };
    const descriptor: AgentToolDescriptor = {
      description: "Converts a file.",
      inputSchema: { type: "object" },
      paths,
      handler: async (_input, context) => {
        expectTypeOf(context).toEqualTypeOf<ToolContext>();
        expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
        return context.sessionId;
      },
    };
    expectTypeOf<PathAccess>().toEqualTypeOf<"read" | "list" | "search" | "write" | "remove" | "execute">();
    expectTypeOf(toolsFromMap({ convert: descriptor })).toExtend<CreateAgentParams["tools"]>();
  });

  it("H-107…H-112 H-130 artifacts and the checkpointed state have types", () => {
    expectTypeOf<SerializedGraph>().toHaveProperty("mermaid");
    expectTypeOf<Trajectory>().toHaveProperty("segments");
    expectTypeOf<RunMetadata>().toHaveProperty("runtimeContract");
    expectTypeOf(workflowStateSchema.parse).returns.toEqualTypeOf<WorkflowState>();
  });
});

describe("the types of the light entries", () => {
  it("H-118 parkway/spec narrows to the spec or to its issues", () => {
    const parsed = parseMachineSpec({});
    if (parsed.ok) expectTypeOf(parsed.spec).toEqualTypeOf<MachineSpec>();
    else expectTypeOf(parsed.issues[0]!.path).toEqualTypeOf<string>();
    expectTypeOf(signatureForTrigger).returns.toEqualTypeOf<Signature | undefined>();
  });

  it("H-122 parkway/messages keeps the type of what it is given", () => {
    expectTypeOf(messagesSince([{ role: "user" as const }], 0)).toEqualTypeOf<{ role: "user" }[]>();
    expectTypeOf(lastAgentText).returns.toEqualTypeOf<string>();
    expectTypeOf(runtimeNoteKind).returns.toEqualTypeOf<RuntimeNoteKind | null>();
    expectTypeOf(isRuntimeNote).returns.toEqualTypeOf<boolean>();
  });

  it("H-2 parkway/sandbox types a code state's input", () => {
    const state = defineCodeState<{ amount: number }>(({ variables }) => variables.amount);
    expectTypeOf(state).parameter(0).toEqualTypeOf<CodeStateInput<{ amount: number }>>();
    expectTypeOf<SessionHistory["trail"]>().toHaveProperty("length");
  });
});
