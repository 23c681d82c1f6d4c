/** One LangGraph graph for every workflow: the nodes are the kinds of step, the route between them is `nextStep`. */

import type { RunnableConfig } from "@langchain/core/runnables";
import { Annotation, Command, END, Send, START, StateGraph } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { applyPatches, withoutIdleClears } from "../session/fold.js";
import { count } from "../session/metrics.js";
import type { SessionState } from "../session/state.js";
import { SESSION_CHANNEL } from "../session/thread/layout.js";
import { sessionChannel } from "./channel.js";
import { GraphNotRunnableError } from "./errors.js";
import { lighten, type NodeFunction } from "./light-node.js";
import { type NextStep, nextStep } from "./next-step.js";
import { automatedNode } from "./nodes/automated.js";
import { delegatedNode } from "./nodes/delegated.js";
import { handoffNode } from "./nodes/handoff.js";
import { modelNode } from "./nodes/model.js";
import { openNode } from "./nodes/open.js";
import { presentNode } from "./nodes/present.js";
import { settleNode } from "./nodes/settle.js";
import { toolNode } from "./nodes/tool.js";
import { verifyNode } from "./nodes/verify.js";
import type { GraphOptions, NodeResult, ToolTask, Turn, TurnNode } from "./types.js";

interface GraphState {
  [SESSION_CHANNEL]: SessionState;
}

const NODES: Record<Exclude<NextStep, "end" | "tools">, TurnNode> = {
  model: modelNode,
  automated: automatedNode,
  handoff: handoffNode,
  present: presentNode,
  delegated: delegatedNode,
  verify: verifyNode,
  settle: settleNode,
};

const State = Annotation.Root({ [SESSION_CHANNEL]: sessionChannel as never });

/** Everything a node may go on to. */
const ENDS = [...Object.keys(NODES), "tool", END];

/** What each node of the graph does. */
const RUN: Record<string, NodeFunction> = {
  open: stepNode("open", openNode),
  tool: toolStep,
  ...Object.fromEntries(Object.entries(NODES).map(([name, node]) => [name, stepNode(name, node)])),
};

/** The compiled graph over one session's saver. The turn travels in `configurable.turn`. */
export function compileTurnGraph(checkpointer: BaseCheckpointSaver, options: GraphOptions = {}) {
  const graph = new StateGraph(State);
  for (const [name, run] of Object.entries(RUN)) graph.addNode(name, run, { ends: ENDS });
  const compiled = graph.addEdge(START, "open" as never).compile({ checkpointer, ...options });
  for (const [name, run] of Object.entries(RUN)) lighten(name, compiled.nodes[name as never], run);
  return compiled;
}

export type TurnGraph = ReturnType<typeof compileTurnGraph>;

/** A node that first looks whether it is what is due; if something else is, it hands over without a step of its own. */
function stepNode(name: string, node: TurnNode) {
  return async (input: unknown, config: RunnableConfig): Promise<Command> => {
    const turn = turnOf(config);
    const state = (input as GraphState)[SESSION_CHANNEL];
    turn.writer.assertOwned();
    if (name !== "open") {
      const due = nextStep(turn.machine, state, turn.recursionLimit);
      if (due !== name) return goto(turn, { patches: [] }, state);
    }
    turn.signal.throwIfAborted();
    const { patches, tasks } = await timed(turn, () => node(turn, state));
    return goto(turn, { patches: withoutIdleClears(state, patches), tasks }, applyPatches(state, patches));
  };
}

/** A tool task writes its answer; what comes next is looked up when the whole batch is in. */
async function toolStep(task: unknown, config: RunnableConfig): Promise<Command> {
  const turn = turnOf(config);
  const patches = await timed(turn, () => toolNode(turn, task as ToolTask));
  return new Command({ update: { [SESSION_CHANNEL]: patches }, goto: "model" });
}

function goto(turn: Turn, result: NodeResult, after: SessionState): Command {
  const update = { [SESSION_CHANNEL]: result.patches };
  if (result.tasks && result.tasks.length > 0) {
    turn.writer.stepEnd = "commit";
    return new Command({ update, goto: result.tasks.map((task) => new Send("tool", task)) });
  }
  const next = nextStep(turn.machine, after, turn.recursionLimit);
  if (next === "end") {
    turn.writer.stepEnd = "settle";
    return new Command({ update, goto: END });
  }
  if (result.patches.length > 0) turn.writer.stepEnd = "commit";
  if (next === "tools") return new Command({ update, goto: openTasks(after).map((task) => new Send("tool", task)) });
  return new Command({ update, goto: next });
}

/** S-55: calls that an invocation left unfinished are sent out again. */
function openTasks({ batch }: SessionState): ToolTask[] {
  const answered = new Set(batch?.answers.map((answer) => answer.callId));
  const tasks = (batch?.tasks ?? []).filter((task) => !answered.has(task.callId));
  if (tasks.length === 0) throw new Error("A batch of calls is open and no task answers it.");
  return tasks;
}

async function timed<Result>({ host, arrival }: Turn, step: () => Promise<Result>): Promise<Result> {
  const startedAt = host.clock.now();
  try {
    return await step();
  } finally {
    count(host.metrics, "stepTime", arrival.workflow, host.clock.now() - startedAt);
  }
}

function turnOf(config: RunnableConfig): Turn {
  const turn: unknown = config.configurable?.turn;
  if (turn === undefined) throw new GraphNotRunnableError();
  return turn as Turn;
}
