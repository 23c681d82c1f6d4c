/**
 * A session's state and the patches that make it. Every step of a turn writes one patch; the state is the fold of
 * all of them, so what a step stores is what the step added, and the patches in order are the session's journal.
 */
import type { ArrivalInput } from "./input.js";
import type { StoredMessage } from "./messages.js";

export type SessionStatus = "running" | "completed" | "failed" | "rejected" | "awaiting_decision" | "awaiting_input";

/** The words of a session's status (H-70). */
export const WORKFLOW_STATUSES = {
  running: "running",
  completed: "completed",
  failed: "failed",
  rejected: "rejected",
  awaitingDecision: "awaiting_decision",
  awaitingInput: "awaiting_input",
} as const satisfies Record<string, SessionStatus>;

export type Disposition = "turn" | "reply" | "decide" | "deliver";

export interface Variable {
  value: unknown;
  locked: boolean;
  lockedBy?: "host" | "agent";
}

export type TrailKind = "trigger" | "agent" | "human" | "grader" | "code" | "sub-workflow" | "reset" | "on_error";

/** One step of the audit trail. `ts` is epoch milliseconds; `by` says who decided. */
export interface TrailStep {
  to: string;
  kind: TrailKind;
  reason?: string;
  workflow?: string;
  status?: "ok" | "error";
  by?: string;
  ts: number;
}

export interface DecisionPark {
  channel: "decision";
  parkId: string;
  state: string;
  title?: string;
  instructions: string;
  transitions: { to: string; description?: string; type?: string }[];
  evidence: string[];
  approvers?: string[];
  /** ISO 8601, UTC. */
  parkedAt: string;
  seq: number;
  /** The child that this park is presented for. */
  delegation?: ParkDelegation;
}

export interface InputPark {
  channel: "input";
  parkId: string;
  state: string;
  title?: string;
  reason: string;
  parkedAt: string;
  /** ISO 8601, UTC; absent when the wait named no time. */
  resumeAt?: string;
  /** The child that this park is presented for. */
  delegation?: ParkDelegation;
}

/** What a parked session waits for (H-69): a person's decision at a human state, or an input after `archmax_wait`. */
export type Park = DecisionPark | InputPark;

/** Names the parked child on its caller's park, outcome and record. */
export interface ParkDelegation {
  /** The innermost parked session, its workflow, and its id below the root. */
  workflow: string;
  sessionId: string;
  dispatchId: string;
  /** The call and the calling state of the session whose park this is. */
  toolCallId: string;
  state: string;
}

/** Why a child that ran did not deliver. */
export type DelegationFailure = "raised" | "invalid-return" | "rejected" | "parked" | "completion" | "error";

export interface PendingDelegation {
  workflow: string;
  sessionId: string;
  dispatchId: string;
  callId: string;
  /** The calling state. */
  state: string;
  /** Resolved arguments. */
  args: Record<string, unknown>;
  /** The child's own record; of a nested park it names the innermost child itself. */
  park: Park;
  /** Length of the transcript when the call's batch was answered: which calls are later than which. */
  batchAt: number;
}

export interface FailedDelegation {
  workflow: string;
  kind: DelegationFailure;
  state: string;
  args: Record<string, unknown>;
  reason: string;
  batchAt: number;
}

/** What one call of the agent's came to. `at` is epoch milliseconds. */
export interface DelegatedCall {
  workflow: string;
  sessionId: string;
  dispatchId: string;
  /** The calling state. */
  state: string;
  args: Record<string, unknown>;
  at: number;
  result:
    | { kind: "ok" }
    | { kind: "failed"; failure: DelegationFailure; reason: string }
    | { kind: "parked"; park: Park };
}

/**
 * What model calls used, in tokens and USD. `inputTokens` is the whole input; the cache counts are parts of it.
 */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreationTokens: number;
  costUsd?: number;
}

/** What a leg has used of the limits that a host may set, children included. */
export interface Used {
  /** Input and output of all model calls. */
  tokens: number;
  /** Calls that models and scripts have made, refused ones included. */
  toolCalls: number;
}

/** Why a session is `failed`: a stable code, the reason, and the state where it happened (H-68, H-77). */
export type Exit = { code: string; reason: string; state: string };

export interface Todo {
  content: string;
  status: "pending" | "in_progress" | "completed";
}

/** An answer to one call of the open batch. `failure` is a terminal failure of the state it caused. */
export interface CallAnswer {
  callId: string;
  tool: string;
  text: string;
  status: "success" | "error";
  refusal?: string;
  blocked?: true;
  failure?: string;
  /** Of a delegation tool that was not refused: what became of its child. */
  delegated?: DelegatedCall;
  /** Trail steps of what a script's calls brought about. */
  trail?: TrailStep[];
  /** The highest delegation number that the call's script gave out. */
  dispatched?: number;
  /** Of an evaluation: whether the turn's REPL holds names after it (S-48). */
  defines?: boolean;
  /** The list as a script has left it. */
  todos?: Todo[];
  /** Path of the picture that the answer stands for. */
  picture?: string;
  /** What its child or its script has used, where a limit is set. */
  used?: Used;
}

/** A call that runs as a task: its name and arguments where they differ from what the message holds. */
export interface CallTask {
  callId: string;
  tool?: string;
  args?: Record<string, unknown>;
  /** Of a delegation tool: its number among the session's, given out with the message (S-43). */
  dispatch?: number;
}

/** A message's tool calls between the commit that stored them and the last of their answers. */
export interface Batch {
  /** Call ids in message order. */
  calls: string[];
  /** Answers known so far: those decided with the message, then each tool task's own. */
  answers: CallAnswer[];
  /** Of calls that an invocation may leave unfinished (S-55): how they are sent out again. */
  tasks?: CallTask[];
  /** What the batch's control calls bring about once its last answer is in. */
  effect?: SessionPatch;
  /** Ids of calls that moved, reset or waited: answered `state-failed` when a sibling fails the state. */
  movers?: string[];
  /** Events to emit when the effect lands. */
  events?: Record<string, unknown>[];
}

/** The run that a completion gate judges: from a fresh turn, over parks, until the session finishes. */
export interface Run {
  /** Index of its first message. */
  start: number;
  /** Completion checks that failed so far. */
  failed?: number;
  /** Why the last of them failed. */
  reason?: string;
  /** The agent has finished, and the next check is owed. */
  due?: true;
}

/** Scalar and small structured fields; a patch's `set` replaces each whole, `null` clears it. */
export interface SessionFields {
  status: SessionStatus;
  position: string;
  entryState: string;
  trigger: string;
  turnTrigger: string;
  /** Counts turns that opened; part of journal keys and lifecycle event ids. */
  turnOrdinal: number;
  specHash: string;
  rejected: string;
  /** The rejection is for returns that do not conform. */
  shortfall: boolean;
  exit: Exit;
  endedAs: SessionStatus;
  limit: string;
  park: Park;
  parkPhase: "closing" | "suspended";
  decisionCount: number;
  parkOrdinal: number;
  parkCounts: Record<string, number>;
  stateTurns: { state: string; count: number };
  stepsUsed: number;
  /** Model calls of this leg whose answers are no messages of the transcript: graders', silent and abandoned ones (A-8). */
  unheardCalls: number;
  /** Tokens that the session had used when this leg began, where somebody asks for figures. */
  legTokens: number;
  todos: Todo[];
  /** Terminal failure of the state found by a tool task, to be routed by the next node. */
  failure: string;
  /** The arrival in force (S-31): a re-run that finds it here does not apply it again. */
  arrivalId: string;
  disposition: Disposition;
  /** Index of the first message of this leg: where `reply` starts. */
  legStart: number;
  /** Index of the first trail step of this leg. */
  legTrail: number;
  /** Counts visits; `ranVisit` is the last visit an automated state has run in. */
  visit: number;
  ranVisit: number;
  /** The state the session stood in when the turn opened there without a trigger's entry (W-264 part 3). */
  openedIn: string;
  /** A reply-only call is owed to a person's message at a park. */
  replyOwed: boolean;
  /** How this park came about, `route` by a runtime note: which notice the reply-only call states. */
  handoffBy: "work" | "route";
  /** Parked children in the order in which they are presented (R-192…R-196). */
  pendingDelegations: PendingDelegation[];
  failedDelegations: FailedDelegation[];
  /** Delegation numbers given out so far. */
  dispatchCount: number;
  /** What the first pending child is to be run on with. */
  childInput: ArrivalInput;
  /** What requests carry in place of the messages before index `upTo`. */
  compaction: { upTo: number; summary: string };
  /** The turn whose REPL may hold names (S-48). */
  repl: number;
  /** Absent while the run is all in the present leg, and no check of it was due. */
  run: Run;
  /** By the leg so far, where a limit is set. */
  used: Used;
}

export interface SessionState {
  fields: Partial<SessionFields>;
  messages: readonly StoredMessage[];
  variables: Readonly<Record<string, Variable>>;
  trail: readonly TrailStep[];
  usage: Usage;
  batch: Batch | null;
}

export interface SessionPatch {
  set?: { [K in keyof SessionFields]?: SessionFields[K] | null };
  variables?: Record<string, Variable>;
  messages?: StoredMessage[];
  trail?: TrailStep[];
  usage?: Usage;
  /** Is added to what the leg has used. */
  used?: Used;
  /** Opens a batch. */
  batch?: Batch;
  /** Answers calls of the open batch; the last one closes it. */
  answers?: CallAnswer[];
}
