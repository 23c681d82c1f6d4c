/** What `createAgent` gives: an agent under a workflow, or a plain one (H-44, H-45). */
import type { Runnable } from "@langchain/core/runnables";
import type { StreamEvent } from "@langchain/core/tracers/log_stream";
import type { StateSnapshot, StreamMode } from "@langchain/langgraph";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type { GivenTrajectory } from "../artifacts/index.js";
import type { FileInput, SessionResolution } from "../intake/index.js";
import type { RuntimeContract } from "../machine/index.js";
import type { Machine } from "../machine/types.js";
import type { McpStatus } from "../mcp/types.js";
import type { ArrivalInput, ArrivalSource, Receipt } from "../session/arrival.js";
import type { StoredMessage } from "../session/messages.js";
import type { Outcome } from "../session/outcome.js";
import type { DecisionPark, InputPark, SessionStatus, TrailStep } from "../session/state.js";
import type { WorkflowState } from "../session/state-schema.js";
import type { TurnGraph } from "../turn/graph.js";
import type { LegOptions } from "../turn/types.js";
import type { WorkReport } from "../turn/worker.js";
import type { LoopRunStatus } from "./loop-status.js";
import type { Sessions } from "./sessions.js";

/**
 * What `send` brings (H-57): to a new or finished session a turn, to a parked one a reply or a delivery (H-58).
 * `variables` arrive locked; `files` have the names of the variables that will hold their paths (H-72).
 */
export interface TurnInput {
  message?: string;
  trigger?: { id: string };
  variables?: Record<string, unknown>;
  files?: Record<string, FileInput>;
  /** The path that a firing's session is named by. The session's id is given here and wins, so it is only checked (H-57, H-60). */
  sessionPath?: string;
}

/**
 * A person's decision at a human state (H-62): `target` is one of its transitions. With `park`, or its number `seq`, a
 * decision for another park is refused.
 */
export interface DecisionInput {
  target: string;
  comment?: string;
  /** The park record the decision is for (H-62). */
  park?: string;
  seq?: number;
  /** Who decides, and through which surface. */
  decidedBy?: string;
}

/**
 * An event for a session parked by `archmax_wait` (H-64): any trigger id, variables that arrive locked, and a message
 * if there is one.
 */
export interface DeliveryInput {
  trigger: { id: string };
  variables?: Record<string, unknown>;
  message?: string;
}

/** Settings of the one input they are given with (H-57); the next one runs as configured. */
export interface TurnConfig extends Omit<LegOptions, "drive"> {
  /** The caller's idempotency key: the same key is the same input (S-3). */
  idempotencyKey?: string;
  /** The model id of this turn's agent calls, above what the workflow declares. Not with a `model` instance alone. */
  model?: string;
}

/**
 * A message of an invocation: LangChain's, `{ role, content }` with `user` or `assistant` (or `human`, `ai`), `[role,
 * text]`, or the user's text alone.
 */
export type InvokeMessage =
  | string
  | readonly [role: string, content: string]
  | { role: string; content: unknown }
  | { getType(): string; content: unknown };

export interface InvokeInput {
  /** What is new, the user's message last; on a session's first call earlier messages may stand before it (H-48). */
  messages: InvokeMessage | readonly InvokeMessage[];
  trigger?: { id: string };
  variables?: Record<string, unknown>;
}

/** Names a session as LangGraph does. */
export interface ThreadConfig {
  configurable: { thread_id: string; [key: string]: unknown };
}

/** Settings that calls may have in common. */
export interface CallConfig extends TurnConfig {
  configurable?: Record<string, unknown>;
  streamMode?: StreamMode | StreamMode[];
}

/** LangGraph's snapshot; `values` is null for a session that has not run. */
export type StateOf = Omit<StateSnapshot, "values"> & { values: WorkflowState | null };

/** Which events are told, by LangChain's names, tags and types. */
export type StreamFilter = Parameters<Runnable["streamEvents"]>[2];

export interface InvokeConfig extends TurnConfig {
  configurable: {
    /** The session. */
    thread_id: string;
    [key: string]: unknown;
  };
}

/** The session after the turn (H-47). */
export interface InvokeResult {
  messages: readonly StoredMessage[];
  status: SessionStatus;
  /** Where it is; of a plain agent always the same. */
  workflowState?: string;
  pendingDecision?: DecisionPark;
  pendingInput?: InputPark;
}

/** What one `run` of a loop came to. */
export interface LoopRun {
  /** The outcome's `reply`. */
  text: string;
  status: LoopRunStatus;
  /** Why it is not done; set and not empty whenever it is not. */
  stoppedBy?: string;
  /** Attempts at work that a completion gate accepts, over the parks of the run, the one under way included; 1 without a gate. */
  attempts: number;
  /** Model calls of this run alone, children's not counted. */
  turns: number;
  result: Outcome;
}

/** What a loop's `run` may be given beside the message, as `send` takes it. */
export interface LoopRunOptions
  extends Pick<TurnConfig, "model" | "signal">,
    Pick<TurnInput, "variables" | "trigger"> {}

/**
 * A view of one session's runs in this process: it takes no configuration, and the durable record is the
 * session.
 */
export interface Loop {
  /** `idle` before the first run and after a done one; `error` after one that threw. */
  readonly status: "idle" | "running" | Exclude<LoopRunStatus, "done">;
  /** Model calls made through this loop, of all its runs. */
  readonly turns: number;
  /** Of the last run. */
  readonly attempts: number;
  /** Of the last run that did not throw. */
  readonly lastOutcome: Outcome | undefined;
  /**
   * Sends a message to the session, as `send` does.
   *
   * @throws {LoopRunningError} while a run is under way; otherwise what `send` throws
   */
  run(message: string, options?: LoopRunOptions): Promise<LoopRun>;
}

/** Turns of a workflow's sessions (H-55). */
export interface AgentWorkflow {
  name: string;
  machine: Machine;
  /** The trigger and where it enters; the default trigger unless one is named. @throws {UnknownTriggerError} */
  resolveTrigger(trigger?: string): { id: string; state: string };
  send(
    sessionId: string,
    input: TurnInput | { decision: DecisionInput } | { delivery: DeliveryInput },
    config?: TurnConfig,
  ): Promise<Outcome>;
  decide(sessionId: string, decision: DecisionInput, config?: TurnConfig): Promise<Outcome>;
  reply(sessionId: string, message: string, config?: TurnConfig): Promise<Outcome>;
  deliver(sessionId: string, delivery: DeliveryInput, config?: TurnConfig): Promise<Outcome>;
  /** A view of the session's runs, which counts and names them and takes no configuration. @throws {SessionStoreIdError} */
  loop(sessionId: string): Loop;
  resolveSession(firing: {
    trigger?: string;
    variables?: Record<string, unknown>;
    sessionId?: string;
    sessionPath?: string;
  }): Promise<SessionResolution>;
}

/** What may be asked of an agent (H-46): `subWorkflows` is false for a plain one. */
export interface AgentCapabilities {
  /** A middleware named `ToolMockMiddleware` is wired. */
  toolMocks: boolean;
  subWorkflows: boolean;
}

/** What every agent has. All of it may be taken off the object. */
export interface AgentMembers {
  /**
   * One turn, exactly as `send` does it: accepted once, seen through (H-47). It opens a turn and resumes nothing.
   *
   * @throws {SessionNotResumableError} for a session that is parked @throws {InvalidMessagesError}
   * @throws {MissingThreadIdError} @throws what the turn threw (H-67)
   */
  invoke(input: InvokeInput, config: InvokeConfig): Promise<InvokeResult>;
  capabilities: AgentCapabilities;
  /** H-54; a plain agent's is the default one. */
  runtimeContract: RuntimeContract;
  /**
   * The same turn, as LangGraph's chunks of `streamMode` (`updates` unless given): what the graph of a turn does, step by
   * step (H-49). The events of the session go to `onEvent` as ever. Rejects as `invoke` does, in the stream.
   */
  stream(
    input: InvokeInput,
    config: InvokeConfig & { streamMode?: StreamMode | StreamMode[] },
  ): Promise<ReadableStream<unknown>>;
  /** The same turn, as LangGraph's events of `version` (`v2` unless given), which `filter` may narrow (H-49). */
  streamEvents(
    input: InvokeInput,
    config: InvokeConfig & { version?: "v1" | "v2" },
    filter?: StreamFilter,
  ): ReadableStream<StreamEvent>;
  /** The same agent for calls that have these settings unless they give their own; `workflow` and `sessions` are the same objects. */
  withConfig(config: CallConfig): Agent;
  /** The graph that turns run, to be drawn and read. It runs nothing by itself: a turn needs its session's lease. */
  readonly graph: TurnGraph;
  /** Reads the sessions' checkpoints. What would write throws `CheckpointerReadOnlyError`. */
  checkpointer: BaseCheckpointSaver;
  /** LangGraph's long-term store, as it was given (H-22). */
  store: BaseStore | undefined;
  /** The session's checkpointed state as LangGraph's snapshot. @throws {MissingThreadIdError} */
  getState(config: ThreadConfig): Promise<StateOf>;
  /** The snapshots that are kept: the newest. @throws {MissingThreadIdError} */
  getStateHistory(config: ThreadConfig, options?: { limit?: number }): AsyncGenerator<StateOf>;
  /** @throws {StateUpdateRefusedError} always: only inputs change a session */
  updateState(config: ThreadConfig, values?: unknown): Promise<never>;
  /**
   * Accepts an input without waiting for it: once this returns, the input is processed exactly once, whatever crashes
   * (S-1). The same key again answers with the first arrival's receipt.
   */
  accept(sessionId: string, input: ArrivalInput, options?: { source?: ArrivalSource; key?: string }): Promise<Receipt>;
  /** Works on a session until nothing is left to do there (S-22, S-25). */
  work(sessionId: string, options?: LegOptions): Promise<WorkReport>;
  receipt(arrivalId: string): Promise<Receipt | null>;
  sessions: Sessions;
  /** One sweep: what is due now is woken (S-59). */
  wake(): Promise<{ due: number; woken: number }>;
  /**
   * Writes the run's artifacts under `<sessionId>/artifacts/` and answers that directory; null, with a `warning`, when
   * that failed (H-107). Without a trajectory it is read from the checkpoint, with the whole session in it.
   */
  emitRunArtifacts(
    sessionId: string,
    trajectory?: GivenTrajectory,
    options?: { trail?: readonly TrailStep[] },
  ): Promise<string | null>;
  /** H-53. */
  getSpecSnapshot(hash: string): Promise<unknown>;
  /** MCP servers by name, as they are now; a lost one is `failed` until a call reaches it again. */
  mcp: { status(): Record<string, McpStatus> };
  /**
   * Frees what memory holds for the session, and deletes nothing: the next turn loads it from the store (H-52, R-308).
   * Any number of times, at any time; a turn that is under way goes on. MCP connections are the agent's, no session's own.
   *
   * @throws {SessionStoreIdError}
   */
  dispose(sessionId: string): Promise<void>;
  /**
   * Stops what is under way, which goes on when its session is worked on again, ends worker threads and MCP servers, and
   * closes the embedded store.
   */
  close(): Promise<void>;
}

/** An agent that follows a workflow. */
export interface GovernedAgent extends AgentMembers {
  workflow: AgentWorkflow;
  withConfig(config: CallConfig): GovernedAgent;
}

/** An agent without a workflow: the same engine, with every tool and no state to be in (H-127). */
export interface PlainAgent extends AgentMembers {
  workflow: undefined;
  withConfig(config: CallConfig): PlainAgent;
}

/** What `createAgent` gives: an agent that follows a workflow, or a plain one, whose `workflow` is undefined (H-45). */
export type Agent = GovernedAgent | PlainAgent;
