/** Builders for this folder's tests. */
import { compileMachine, type Machine } from "../machine/index.js";
import type { StateSpec, WorkflowSpec } from "../spec/types.js";
import { judgeCall } from "./judge.js";
import type { GovernanceTables, MountInfo, ProposedCall, Verdict } from "./types.js";

export function aMachine(
  states: Record<string, StateSpec>,
  root: Omit<WorkflowSpec, "states"> = {},
  workflow = "refunds",
): Machine {
  return compileMachine({ spec: { ...root, states }, stateOrder: Object.keys(states), specHash: "hash" }, workflow);
}

export function tables(over: Partial<GovernanceTables> = {}): GovernanceTables {
  return {
    mounts: [],
    skills: [],
    toolPaths: {},
    essentialTools: [],
    hostTools: [],
    inherited: [],
    policyRules: [],
    ...over,
  };
}

export function aMount(name: string, over: Partial<MountInfo> = {}): MountInfo {
  return { name, kind: "directory", readOnly: true, governed: false, searchable: true, ...over };
}

export function aCall(
  tool: string,
  args: Record<string, unknown> = {},
  over: Partial<ProposedCall> = {},
): ProposedCall {
  return { state: "work", tool, args, origin: "agent", replyOnly: false, variables: {}, ...over };
}

/** The verdict in a machine whose one agent state `work` is given. */
export function judge(
  call: ProposedCall,
  {
    state = {},
    root = {},
    over = {},
  }: { state?: StateSpec; root?: Omit<WorkflowSpec, "states">; over?: Partial<GovernanceTables> } = {},
): Verdict {
  return judgeCall(aMachine({ work: state, other: {} }, root), tables(over), call);
}

export function ruleOf(verdict: Verdict): string {
  return `${verdict.decision} ${verdict.ruleId}`;
}
