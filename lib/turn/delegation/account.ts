/** What a child's leg came to, as its caller keeps and tells it (R-184… ). */
import type { EventDraft } from "../../session/events.js";
import type { DelegatedCall, Used } from "../../session/state.js";
import { MANUAL_TRIGGER } from "../../spec/index.js";
import { fileStoreBackend } from "../../workspace/index.js";
import type { Turn } from "../types.js";
import type { ChildLegEnd } from "./child-leg.js";
import { copyFiles } from "./files.js";
import { type Completed, type Delivered, deliveredBy, failed, textOf } from "./result.js";

/** One call of a workflow, whoever made it. */
export interface Dispatch extends Omit<DelegatedCall, "at" | "result"> {
  callId: string;
  /** Epoch milliseconds. */
  startedAt: number;
}

/** What a child's leg came to. */
export interface ChildEnd {
  delegated: DelegatedCall;
  /** The answer to the call, or what the note says (R-184… ). */
  text: string;
  used?: Used;
  /** `sub-workflow-result`, to be emitted once the step has committed. */
  event: EventDraft;
}

/** The files of a completed child's returns are copied here. Null where the child is not at its end. */
export async function deliveredIn(turn: Turn, dispatch: Dispatch, end: ChildLegEnd): Promise<Delivered | null> {
  switch (end.kind) {
    case "left":
      return null;
    case "failed":
      return failed("error", end.reason);
    case "refused":
      return failed("error", end.error.message);
    case "rested": {
      const { used } = end.state.fields;
      const made = deliveredBy(end.state, end.machine);
      const delivered = made.kind === "completed" ? await withFiles(turn, dispatch, made, end) : made;
      return used ? { ...delivered, used } : delivered;
    }
  }
}

async function withFiles(
  turn: Turn,
  { dispatchId }: Dispatch,
  delivered: Completed,
  { machine, workspace, assertOwned }: Extract<ChildLegEnd, { kind: "rested" }>,
): Promise<Delivered> {
  const { returns } = delivered;
  if (returns === null) return delivered;
  const entries = machine.triggers.get(MANUAL_TRIGGER)?.signature.returns ?? [];
  try {
    const paths = await copyFiles(entries, returns, {
      from: workspace,
      to: fileStoreBackend(turn.files, turn.sessionId),
      copyId: `returns-${dispatchId.replaceAll("~", "-")}`,
    });
    return { ...delivered, returns: { ...returns, ...paths } };
  } catch (error) {
    // A store that fails is no fault of the child's (S-94).
    assertOwned();
    turn.writer.assertOwned();
    return failed("invalid-return", error instanceof Error ? error.message : String(error));
  }
}

export function accountOf(turn: Turn, dispatch: Dispatch, delivered: Delivered): ChildEnd {
  const { workflow, sessionId, dispatchId, callId, state, args, startedAt } = dispatch;
  const at = turn.host.clock.now();
  const result = delivered.kind === "completed" ? ({ kind: "ok" } as const) : delivered;
  const set = delivered.kind === "completed" ? Object.keys(delivered.returns ?? {}) : [];
  const returns = set.filter((name) => delivered.kind === "completed" && !delivered.unset.includes(name));
  return {
    delegated: { workflow, sessionId, dispatchId, state, args, at, result },
    text: textOf(workflow, delivered),
    ...turn.meter.kept(delivered.used),
    event: {
      type: "sub-workflow-result",
      state,
      workflow,
      dispatchId,
      toolCallId: callId,
      status: result.kind === "ok" ? "ok" : result.kind === "parked" ? "parked" : "error",
      durationMs: at - startedAt,
      ...(result.kind === "failed" ? { reason: result.reason } : {}),
      ...(returns.length > 0 ? { returns } : {}),
    },
  };
}
