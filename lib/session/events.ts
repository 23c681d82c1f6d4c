/** The live event stream of a turn (R-289…R-299). Every `state` field is a slug. */
import type { Usage } from "./state.js";

type Payloads = {
  "state-enter": { state: string };
  "state-leave": { state: string; next: string };
  advance: { from: string; to: string; reason?: string; callId?: string };
  "workflow-reset": { entry: string };
  "code-start": { state: string; script: string };
  "code-output": { state: string; line: string };
  "code-result": { state: string; status: "ok" | "error"; durationMs: number; reason?: string };
  "grader-start": { state: string };
  "grader-result": { state: string; status: "ok" | "error"; durationMs: number; reason?: string };
  parked: { state: string; awaiting: "decision" | "input"; reason?: string; resumeAt?: string; callId?: string };
  decided: { state: string; to: string; decidedBy?: string };
  delivered: { state: string; trigger: string; to: string };
  "park-message": { state: string; direction: "inbound" | "outbound"; text: string };
  raised: { state: string; code: string; reason: string; callId?: string };
  "state-error-routed": { state: string; to: string; reason: string };
  "tool-called": { state: string; tool: string; callId: string; args: unknown; origin?: "script" };
  "tool-result": {
    state: string;
    tool: string;
    callId: string;
    status: "success" | "error";
    durationMs: number;
    output: string;
    truncated: boolean;
    origin?: "script";
  };
  "tool-blocked": {
    state: string;
    tool: string;
    callId: string;
    args: unknown;
    reason: string;
    rule: string;
    origin?: "script";
  };
  "agent-text-delta": { state: string; text: string; messageId: string };
  "agent-text": { state: string; text: string; messageId?: string; partial?: true };
  "model-usage": { state: string; model?: string } & Usage;
  "variables-set": { state?: string; names: string[]; locked: boolean; callId?: string };
  "title-set": { title: string; state?: string; callId?: string };
  "sub-workflow-start": {
    state: string;
    workflow: string;
    dispatchId: string;
    toolCallId?: string;
    depth: number;
    chain?: string[];
  };
  "sub-workflow-result": {
    state: string;
    workflow: string;
    dispatchId: string;
    toolCallId?: string;
    status: "ok" | "error" | "parked";
    durationMs: number;
    reason?: string;
    returns?: string[];
  };
  "completion-failed": { state: string; attempt: number; maxAttempts: number; reason: string };
  "completion-passed": { state: string; attempt: number };
  warning: { scope: string; message: string };
  "skills-loaded": { names: string[] };
  /** The graph as `graph.json` holds it (H-108). */
  "graph-topology": { topology: unknown };
  "prompt-shaping": { cache: string; withheld: string[] };
};

export type EventType = keyof Payloads;

/** An event before the stream stamps it. */
export type EventDraft = { [T in EventType]: { type: T } & Payloads[T] }[EventType];

/** One event of the stream that `onEvent` gets (H-80): the fields of its `type`, and these of every event. */
export type EngineEvent = EventDraft & {
  level: "info" | "warn" | "error";
  /** Epoch milliseconds. */
  ts: number;
  /** Strictly increasing for one subscriber. */
  seq: number;
  /** Absent on assembly events. */
  sessionId?: string;
  subWorkflowDispatchId?: string;
};

/** Takes the events of a stream synchronously and in order; a handler that throws fails no turn (H-38). */
export type EventHandler = (event: EngineEvent) => void;
