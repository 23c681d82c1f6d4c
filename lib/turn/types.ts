/** What a turn works with: the assembly of a workflow, and the context of one arrival's leg. */
import type { CompiledStateGraph } from "@langchain/langgraph";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { Extensions } from "../extensions/types.js";
import type { GovernanceTables, InheritedDenials } from "../kernel/types.js";
import type { Machine } from "../machine/types.js";
import type { PricingTable } from "../models/index.js";
import type { ChatModel, ModelSet } from "../models/types.js";
import type { Sandbox } from "../sandbox/types.js";
import type { Arrival } from "../session/arrival.js";
import type { EventDraft } from "../session/events.js";
import type { Step } from "../session/moves.js";
import type { Outcome } from "../session/outcome.js";
import type {
  Clock,
  Doorbell,
  EventBus,
  FileStore,
  Lease,
  Metrics,
  SessionStore,
  Settlement,
  Work,
} from "../session/ports.js";
import type { Retention } from "../session/protocol/index.js";
import type { CallTask, SessionPatch, SessionState } from "../session/state.js";
import type { RuntimeTool, ToolDefinition } from "../tools/types.js";
import type { Authoring, MountTable } from "../workspace/index.js";
import type { Workspace } from "../workspace/types.js";
import type { Emitter } from "./emitter.js";
import type { Meter } from "./meter.js";
import type { PictureLimits } from "./pictures.js";
import type { TurnRepl } from "./scripts/turn-repl.js";
import type { SessionWriter } from "./session-writer.js";

/** One workflow, composed: everything about it that no session changes. */
export interface Assembly {
  machine: Machine;
  tables: GovernanceTables;
  /** Names of every tool that exists, controls included, in registration order. */
  registered: readonly string[];
  definitions: ReadonlyMap<string, ToolDefinition>;
  /** Tools that run as tasks: file tools and the host's. */
  tools: ReadonlyMap<string, RuntimeTool>;
  models: ModelSet;
  sandbox: Sandbox;
  authoring: Authoring;
  mounts: MountTable;
  /** The same bytes in every call of the workflow. */
  staticPrompt: string;
  /** The static prompt of another state of the workflow's spec: that of a turn under way (S-52). */
  staticPromptOf(machine: Machine): Promise<string>;
  /** Slug to one-line description. */
  skillDescriptions: ReadonlyMap<string, string>;
  /** Slug to the path of its `SKILL.md`. */
  skillFiles: ReadonlyMap<string, string>;
  pricing: PricingTable;
  promptCache: { enabled: boolean; ttl: "5m" | "1h" };
  /** Set where the model is shown pictures that it reads. */
  pictures?: PictureLimits | null;
  /** What the host has set around its calls (chapter A). */
  extensions: Extensions;
  defaultTrigger: string;
  /** Seeded whenever a turn opens (H-33). */
  variables: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds stated to the model instead of the real time (H-41). */
  pinnedClockMs: number | null;
  timeZone: string;
}

/** The stores and ports of a host; shared by all workflows. */
export interface Host {
  store: SessionStore;
  files: FileStore;
  doorbell: Doorbell;
  bus?: EventBus;
  metrics?: Metrics;
  clock: Clock;
  emitter: Emitter;
  /** Names this worker in leases. */
  owner: string;
  leaseMs: number;
  /** S-81; without it sessions are kept for ever. */
  retention?: Retention;
  /** S-53: what one step may take, an invocation's limit minus its reserve; without it a step has its own bounds only. */
  invocationLimitMs?: number;
  /** Aborts when the host closes: turns under way stop as at the end of an invocation, for another one to go on (S-54). */
  closing: AbortSignal;
  /** From 0 up to 1, to part retries of many sessions. */
  jitter(): number;
  graph?: GraphOptions;
  /**
   * The assembly that runs a workflow's sessions: top-level ones, or children under the denials of the workflows that
   * called them, outermost first. @throws where the workflow cannot be loaded or composed
   */
  assemblyFor(workflow: string, inherited?: readonly InheritedDenials[]): Promise<Assembly>;
  /** The machine of a workflow as its text stands now, without composing it. @throws where it cannot be loaded */
  machineOf(workflow: string): Promise<Machine>;
}

/** Which calls led to a session, and the right to write it. */
export interface Lineage {
  /** The root's session id. */
  root: string;
  /** Its place below the root, `1~2`; null for the root itself. */
  dispatchId: string | null;
  /** Slugs from the root's workflow down to this session's own. */
  chain: readonly string[];
  /** This session's lease: its children are claimed with it (S-28). */
  lease: Lease;
}

/** In place of a tool's handler, or of a child's run: what a test case declares (C-18…C-22). */
export type MockAnswer = { text: string } | { error: string } | { message?: string; returns: Record<string, unknown> };
/** Asked after governance, with the arguments as the tool would get them; null leaves the call to the tool. */
export type Mocks = (call: { tool: string; args: Record<string, unknown> }) => MockAnswer | null;

/** Runs a leg's graph to its end in another way than `graph.invoke`: what streams it hands out on the way (H-49). */
export type DriveGraph = (
  graph: DrivenGraph,
  input: Parameters<DrivenGraph["invoke"]>[0],
  config: NonNullable<Parameters<DrivenGraph["invoke"]>[1]>,
) => Promise<unknown>;

type DrivenGraph = Pick<CompiledStateGraph<object, object, string>, "invoke" | "stream" | "streamEvents">;

/** What LangGraph is given beside the graph, untouched (H-22). */
export interface GraphOptions {
  store?: BaseStore;
  name?: string;
  description?: string;
}

export interface LegOptions {
  /**
   * Of whoever waits for the leg: what its tools and models find in their `config.configurable` beside the session's id, as
   * LangGraph hands it on. Not stored, so an invocation that goes on with the turn does not have it (H-57).
   */
  configurable?: Readonly<Record<string, unknown>>;
  /** R-47; 400 unless given. */
  recursionLimit?: number;
  signal?: AbortSignal;
  /** Epoch milliseconds: a step that may not start after it is left to the next invocation (S-50). */
  drainAt?: number;
  /** Epoch milliseconds: running calls are aborted at the latest then (S-54). */
  abortAt?: number;
  mocks?: Mocks;
  /** Stated to every model of the leg, children's too, in place of the assembly's clock: epoch milliseconds, null the real time (C-12). */
  pinnedClockMs?: number | null;
  /** H-49. A child is never driven so. */
  drive?: DriveGraph;
}

/** The context of one leg, handed to every node. */
export interface Turn {
  sessionId: string;
  arrival: Arrival;
  assembly: Assembly;
  /** The spec in force for this leg: the current one, or the turn's snapshot (S-52). */
  machine: Machine;
  host: Host;
  writer: SessionWriter;
  /** The session's files as its owner reads and writes them (S-27, S-94). */
  files: FileStore;
  workspace: Workspace;
  signal: AbortSignal;
  lineage: Lineage;
  options: LegOptions;
  recursionLimit: number;
  /** The root's, for all that runs below it. */
  meter: Meter;
  /** The fence in base 36: makes a repeated message's id a new one (S-36). */
  attemptMark: string;
  /** What the `open` node has to commit, judged before the graph starts (S-37). */
  opening: Step;
  /** Emitted once the step has committed, in order. */
  afterCommit: EventDraft[];
  emit(draft: EventDraft): void;
  /** Null where nobody asks for figures. */
  metrics: {
    /** Takes every event of the turn, when it is told. */
    observe(draft: EventDraft): void;
    /** The leg has settled, and that is committed. */
    settled(end: Extract<LegEnd, { kind: "settle" }>): void;
  } | null;
  /** Emits what waits in `afterCommit`. */
  tell(): void;
  /** Called at every step boundary. */
  onStep(): void;
  /**
   * A child goes on in a later invocation, from this time on (epoch milliseconds): 0 for at once, later where its model has
   * to wait. The turn stops at the next step boundary.
   */
  childGoesOnAt?: number;
  /** Whether the invocation ends at the next step boundary (S-50). */
  isEnding(): boolean;
  /** The next delegation number of the session: one that no call on record has, whoever calls. */
  nextDispatch(): number;
  /** The children that run for the session's calls. */
  children: Children;
  /** Runs a leg: the same for a child as for a root, whatever the step that needs it (S-28). */
  runLeg: RunLeg;
  /** Of the leg. */
  repl: TurnRepl;
  /** The model of a call made in a state (H-15). @throws {ModelOverrideUnsupportedError} */
  modelFor(role: "agent" | "grader", state: string): Promise<ChatModel>;
}

/** What a node did: its patches, and the calls it sends out as tasks of the next step. */
export interface NodeResult {
  patches: SessionPatch[];
  tasks?: ToolTask[];
}

export type TurnNode = (turn: Turn, state: SessionState) => Promise<NodeResult>;

/** What is sent to a call's task. */
export type ToolTask = CallTask;

export interface Children {
  /** Aborts with the turn, and when the leg ends. */
  signal: AbortSignal;
  /** At most 4 at once, the others in order. @throws the signal's reason when it aborts first */
  through<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Stops those that run, and waits until they rest: none outlives its caller's leg. */
  stop(): Promise<void>;
}

export type RunLeg = (turn: Turn, work: Work, options: LegOptions) => Promise<LegEnd>;

/** What became of the arrival; `settlement` is what is to be written for it. */
export type LegEnd =
  | { kind: "settle"; settlement: Settlement; outcome?: Outcome; error?: Error }
  | { kind: "hold"; parkId: string }
  /** The work goes on in another invocation; with `until`, epoch milliseconds, not before then. */
  | { kind: "release"; failed?: string; until?: number }
  /**
   * The stores failed, or a newer version is needed: the attempt is made again later, not before `until`, and does not count
   * (S-80, S-94). `unstarted`: journal keys taken back.
   */
  | { kind: "delay"; unstarted: string[]; until?: number };

/** Lets a few through at once; the rest wait in order. */
export interface Gate {
  /** @throws the signal's reason when it aborts first */
  through<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
}
