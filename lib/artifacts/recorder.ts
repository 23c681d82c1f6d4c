/** A trajectory folded from the event stream, for a host that writes one without reading the store (H-111). */
import type { EngineEvent, EventHandler } from "../session/events.js";
import type { Trajectory, TrajectoryItem, TrajectorySegment } from "./types.js";

/** Listens to an agent and tells each session's trajectory as far as it was heard (H-111). */
export interface TrajectoryRecorder {
  /** To be given as `onEvent`. */
  handler: EventHandler;
  /** What has been heard of the session so far; without segments when that is nothing. */
  trajectory(sessionId: string, of: { workflow: string; prompt?: string }): Trajectory;
}

/**
 * Folds an agent's events into trajectories, so that a host need not read its graph or store to get one (H-111).
 *
 * @param options.onEvent - gets every event too
 *
 * @example
 * const recorder = createTrajectoryRecorder();
 * const agent = await createAgent({ workflow: "desk", onEvent: recorder.handler });
 */
export function createTrajectoryRecorder({ onEvent }: { onEvent?: EventHandler } = {}): TrajectoryRecorder {
  const runs = new Map<string, Run>();
  return {
    handler(event) {
      if (event.sessionId !== undefined) {
        const run = runs.get(event.sessionId) ?? { segments: [], calls: new Map(), finalAnswer: "" };
        runs.set(event.sessionId, run);
        record(run, event);
      }
      onEvent?.(event);
    },
    trajectory(sessionId, { workflow, prompt }) {
      const { segments, finalAnswer } = runs.get(sessionId) ?? { segments: [], finalAnswer: "" };
      const said = prompt === undefined ? {} : { prompt };
      return structuredClone({ sessionId, workflow, ...said, finalAnswer, segments });
    },
  };
}

interface Run {
  segments: TrajectorySegment[];
  /** Calls without a result yet, by call id. */
  calls: Map<string, Extract<TrajectoryItem, { kind: "tool_call" }>>;
  finalAnswer: string;
}

function record(run: Run, event: EngineEvent): void {
  switch (event.type) {
    case "state-enter":
      enter(run, event.state);
      return;
    case "agent-text":
      segmentOf(run, event.state).items.push({ kind: "message", role: "assistant", content: event.text });
      if (!event.partial) run.finalAnswer = event.text;
      return;
    case "park-message":
      // The answer to a reply is told as the agent's text already.
      if (event.direction === "inbound") {
        segmentOf(run, event.state).items.push({ kind: "message", role: "user", content: event.text });
      }
      return;
    case "tool-called":
    case "tool-blocked": {
      // What a script does is no part of the conversation: its call or its state stands for it.
      if (event.origin === "script") return;
      const item = { kind: "tool_call" as const, name: event.tool, args: event.args, result: null as string | null };
      segmentOf(run, event.state).items.push(item);
      if (event.type === "tool-blocked") item.result = event.reason;
      else run.calls.set(event.callId, item);
      return;
    }
    case "tool-result": {
      const call = run.calls.get(event.callId);
      if (call) call.result = event.output;
      run.calls.delete(event.callId);
    }
  }
}

function enter(run: Run, state: string): TrajectorySegment {
  const last = run.segments.at(-1);
  if (last) last.exitedState = state;
  const segment: TrajectorySegment = { state, ...(last ? { enteredState: last.state } : {}), items: [] };
  run.segments.push(segment);
  return segment;
}

/** The visit under way; the recorder may have been put in place in the middle of one. */
function segmentOf(run: Run, state: string): TrajectorySegment {
  const last = run.segments.at(-1);
  if (last?.state === state) return last;
  const earlier = run.segments.findLast((segment) => segment.state === state);
  return earlier ?? enter(run, state);
}
