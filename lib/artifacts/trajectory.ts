/** What was said and done, state by state, read from a session's journal (H-107, R-304). */
import { applyPatch, emptyState } from "../session/fold.js";
import { isRuntimeNote, type StoredMessage } from "../session/messages.js";
import type { SessionPatch } from "../session/state.js";
import type { Trajectory, TrajectoryItem, TrajectorySegment } from "./types.js";

/** @param patches - the committed ones, in order */
export function trajectoryOf(
  session: { sessionId: string; workflow: string },
  patches: readonly SessionPatch[],
): Trajectory {
  const builder = createTrajectoryBuilder();
  let state = emptyState();
  for (const patch of patches) {
    const before = state;
    state = applyPatch(before, patch);
    const added = state.messages.slice(before.messages.length);
    const from = before.fields.position;
    const to = state.fields.position;
    const moved = to !== undefined && (to !== from || state.fields.visit !== before.fields.visit);
    // What the agent did, it did where it stood; what it is told with a move is for the state it comes to.
    for (const message of added.filter((candidate) => !isToldTo(candidate))) builder.add(message);
    if (moved) builder.enter(to);
    for (const message of added.filter(isToldTo)) builder.add(message);
  }
  return { ...session, ...builder.result() };
}

/** Collects visits and what happened in them. */
function createTrajectoryBuilder() {
  const segments: TrajectorySegment[] = [];
  const open = new Map<string, Extract<TrajectoryItem, { kind: "tool_call" }>>();
  let prompt: string | undefined;
  let finalAnswer = "";

  function say(role: string, content: string): void {
    segments.at(-1)?.items.push({ kind: "message", role, content });
  }

  return {
    enter(state: string): void {
      const last = segments.at(-1);
      if (last) last.exitedState = state;
      segments.push({ state, ...(last ? { enteredState: last.state } : {}), items: [] });
    },
    add(message: StoredMessage): void {
      const { role, content, tool_calls: calls = [], tool_call_id: answered } = message;
      if (isRuntimeNote(message)) {
        if (content !== "") say("runtime", content);
        return;
      }
      if (role === "tool") {
        const call = open.get(answered ?? "");
        if (call) call.result = content;
        return;
      }
      if (content !== "") say(role, content);
      if (role === "user") prompt ??= content;
      else if (content.trim() !== "") finalAnswer = content;
      for (const { id, name, args } of calls) {
        const item = { kind: "tool_call" as const, name, args, result: null };
        open.set(id, item);
        segments.at(-1)?.items.push(item);
      }
    },
    result: () => ({ ...(prompt === undefined ? {} : { prompt }), finalAnswer, segments }),
  };
}

function isToldTo(message: StoredMessage): boolean {
  return message.role === "user" || isRuntimeNote(message);
}
