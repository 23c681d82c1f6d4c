/** What LangGraph's own agents show of a thread, read from the session store (H-44). Only turns write it. */
import { type IntakeHost, parsedSessionId } from "../intake/index.js";
import { shownVariables } from "../session/outcome.js";
import type { SessionState } from "../session/state.js";
import { type WorkflowState, workflowStateSchema } from "../session/state-schema.js";
import { SESSION_CHANNEL } from "../session/thread/layout.js";
import { CheckpointerReadOnlyError } from "../turn/errors.js";
import { compileTurnGraph, type TurnGraph } from "../turn/graph.js";
import { ThreadImage } from "../turn/thread/image.js";
import { ThreadSaver } from "../turn/thread/saver.js";
import type { GraphOptions } from "../turn/types.js";
import { MissingThreadIdError, StateUpdateRefusedError } from "./errors.js";
import type { AgentMembers, StateOf, ThreadConfig } from "./types.js";

export type Thread = Pick<
  AgentMembers,
  "graph" | "checkpointer" | "store" | "getState" | "getStateHistory" | "updateState"
>;

export function createThread(intake: IntakeHost, options: GraphOptions): Thread {
  const refuse = async (): Promise<never> => {
    throw new CheckpointerReadOnlyError();
  };
  const checkpointer = new ThreadSaver({
    keepsLatestOnly: true,
    image: async (id) => new ThreadImage(id, (await intake.store.read(id, intake.clock.now()))?.thread ?? []),
    threads: () => [],
    checkpointPut: refuse,
    writesPut: refuse,
    removeThread: refuse,
  });
  let compiled: TurnGraph | undefined;
  const graph = () => {
    compiled ??= compileTurnGraph(checkpointer, options);
    return compiled;
  };
  const named = ({ configurable, ...rest }: ThreadConfig) => {
    if (typeof configurable?.thread_id !== "string") throw new MissingThreadIdError();
    return { ...rest, configurable: { ...configurable, thread_id: parsedSessionId(intake, configurable.thread_id) } };
  };
  return {
    get graph() {
      return graph();
    },
    checkpointer,
    store: options.store,
    getState: async (config) => shown(await graph().getState(named(config))),
    async *getStateHistory(config, listing) {
      for await (const snapshot of graph().getStateHistory(named(config), listing)) yield shown(snapshot);
    },
    async updateState(config) {
      throw new StateUpdateRefusedError(named(config).configurable.thread_id);
    },
  };
}

/** The snapshot with the session's state as R-5 names it, in place of the one channel that holds it. */
function shown(snapshot: Awaited<ReturnType<TurnGraph["getState"]>>): StateOf {
  const state = (snapshot.values as Record<string, SessionState | undefined>)[SESSION_CHANNEL];
  return { ...snapshot, values: state ? checkpointedState(state) : null };
}

/** By the names of R-5, variables with value and lock alone; what else is kept is the runtime's own. */
function checkpointedState(state: SessionState): WorkflowState {
  const { fields, messages, trail, usage } = state;
  const held: Record<string, unknown> = { ...fields, messages, variables: shownVariables(state), trail, usage };
  const named = Object.entries(held).filter(([name]) => Object.hasOwn(workflowStateSchema.shape, name));
  return Object.fromEntries(named) as WorkflowState;
}
