/**
 * A node of the graph as it is run where nobody watches: its function, then its writes.
 *
 * LangGraph wraps a node in a sequence, and the node's function, its writes and its routing in a runnable each. Every one of
 * them makes a run tree, a configuration and a callback manager of its own, five times a step, which is a good part of a
 * turn's time. Where a handler, a tracer or a stream of events looks on, the wrapped node runs.
 */
import { Runnable, type RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { type Command, END } from "@langchain/langgraph";
import { TASKS } from "@langchain/langgraph-checkpoint";
import { unlessStopped } from "./unless-stopped.js";

export type NodeFunction = (input: unknown, config: RunnableConfig) => Promise<Command>;

/** What a compiled graph asks for whenever a node is due. */
interface GraphNode {
  getNode(): Runnable | undefined;
}

export function lighten(name: string, node: GraphNode, run: NodeFunction): void {
  const wrapped = node.getNode.bind(node);
  const light = new LightNode(name, wrapped, run);
  node.getNode = () => light;
}

class LightNode extends Runnable<unknown, unknown> {
  lc_namespace = ["parkway"];
  private readonly wrapped: () => Runnable | undefined;
  private readonly run: NodeFunction;

  constructor(name: string, wrapped: () => Runnable | undefined, run: NodeFunction) {
    super();
    this.name = name;
    this.wrapped = wrapped;
    this.run = run;
  }

  async invoke(input: unknown, config: RunnableConfig = {}): Promise<unknown> {
    if (isWatched(config)) return this.wrapped()?.invoke(input, config);
    const command = await untilAborted(config, () =>
      AsyncLocalStorageProviderSingleton.runWithConfig(config, () => this.run(input, config)),
    );
    sendOf(config)(this.writesOf(command));
    return command;
  }

  /** The channels' names are those of LangGraph's own wrapping, so a thread goes on either way. */
  private writesOf({ update, goto }: Command): Write[] {
    const next = (Array.isArray(goto) ? goto : [goto]).filter((target) => target !== END);
    return [
      ...Object.entries(update ?? {}),
      ...next.map(
        (target): Write => (typeof target === "string" ? [`branch:to:${target}`, this.name] : [TASKS, target]),
      ),
    ];
  }
}

type Write = [channel: string, value: unknown];

function isWatched({ callbacks }: RunnableConfig): boolean {
  const handlers = Array.isArray(callbacks) ? callbacks : (callbacks?.handlers ?? []);
  return handlers.length > 0;
}

/** Of calls that run at once, the others stop with the one whose failure ends the step. */
async function untilAborted<T>({ signal }: RunnableConfig, work: () => Promise<T>): Promise<T> {
  return signal ? unlessStopped({ signal }, work) : work();
}

function sendOf({ configurable }: RunnableConfig): (writes: Write[]) => void {
  return configurable?.__pregel_send;
}
