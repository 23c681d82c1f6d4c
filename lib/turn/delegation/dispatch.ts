/** A call of a workflow's tool: its child is dispatched, run, and its result answered (R-175…R-191, S-43). */
import { delegationTrail } from "../../session/delegations.js";
import type { EventDraft } from "../../session/events.js";
import type { DelegatedCall } from "../../session/state.js";
import { childSessionId, MANUAL_TRIGGER, sessionIdRejection, workflowSlugFromToolName } from "../../spec/index.js";
import { fileStoreBackend } from "../../workspace/index.js";
import { aroundCall } from "../around-call.js";
import { shownOutput } from "../emitter.js";
import { argsHash, idempotencyKeyOf, type JournalEntry, readEntry, writeEntry } from "../journal.js";
import type { CallResult, RunnableCall } from "../runnable-call.js";
import type { Turn } from "../types.js";
import { accountOf, type ChildEnd, type Dispatch, deliveredIn } from "./account.js";
import { checkDelegation, type Refused, refusalText } from "./checks.js";
import { childLeft, denialsOf, runChild } from "./child-leg.js";
import { copyFiles } from "./files.js";
import { type Delivered, deliveredByMock, failed } from "./result.js";

/**
 * An agent's call was checked and given its number with its message (S-43); any other call is checked here, and its number
 * is journaled before there is a child.
 *
 * @returns null where the invocation ends first (S-55)
 */
export async function performDelegation(turn: Turn, call: RunnableCall): Promise<CallResult | null> {
  if (call.dispatch !== undefined) return dispatched(turn, call, call.dispatch);
  const entry = readEntry(turn.writer, call.key);
  if (entry?.answer) {
    turn.meter.count(entry.answer.used);
    return replayed(turn, entry.answer);
  }
  const number = entry?.dispatch ?? turn.nextDispatch();
  if (entry?.dispatch !== undefined) return dispatched(turn, call, number);
  const workflow = workflowSlugFromToolName(call.tool) ?? "";
  const checked = await checkDelegation(turn, workflow, { ok: true, args: call.args });
  if (!checked.ok) return journaled(turn, call, number, { result: blocked(turn, call, checked), told: [] });
  await writeEntry(turn.writer, call.key, entryOf(turn, call, number));
  return dispatched(turn, call, number);
}

async function dispatched(turn: Turn, call: RunnableCall, number: number): Promise<CallResult | null> {
  return turn.children.through(async () => {
    // A child that would not get past its first step is left to the next invocation.
    if (turn.isEnding() && turn.writer.hasCommitted) {
      childLeft(turn);
      return null;
    }
    const startedAt = turn.host.clock.now();
    const made: Made = { startedAt, refused: null, end: null };
    const result = await aroundCall(turn, call, (asked) => delegated(turn, asked, number, made));
    if (result === null) return null;
    if (made.refused) {
      const refusal = blocked(turn, call, made.refused);
      return call.dispatch === undefined ? journaled(turn, call, number, { result: refusal, told: [] }) : refusal;
    }
    return answered(turn, call, number, { ...made, result });
  });
}

/** What a call has led to beside its answer. */
interface Made {
  startedAt: number;
  refused: Refused | null;
  /** Null where no child was called: middleware has answered by itself. */
  end: ChildEnd | null;
}

/** Has the child do its work; null where it goes on in another invocation. */
async function delegated(turn: Turn, call: RunnableCall, number: number, made: Made): Promise<CallResult | null> {
  const sessionId = childSessionId(turn.sessionId, number);
  const dispatch: Dispatch = {
    workflow: workflowSlugFromToolName(call.tool) ?? "",
    sessionId,
    dispatchId: sessionId.slice(turn.lineage.root.length + 1),
    callId: call.callId,
    state: call.state,
    args: call.args,
    startedAt: made.startedAt,
  };
  made.refused = null;
  const delivered = call.mock ? await mocked(turn, call, dispatch) : await deliver(turn, call, dispatch);
  if (delivered === null) return null;
  if ("ok" in delivered) {
    made.refused = delivered;
    return { text: refusalText(call.tool, delivered), status: "error" };
  }
  made.end = accountOf(turn, dispatch, call.dispatch !== undefined ? delivered : withoutPark(delivered));
  const { result } = made.end.delegated;
  if (result.kind !== "failed") return { text: made.end.text, status: "success" };
  return { text: made.end.text, status: "error", refusal: `delegation:${result.failure}` };
}

async function mocked(turn: Turn, call: RunnableCall, dispatch: Dispatch): Promise<Delivered> {
  const machine = await turn.host.machineOf(dispatch.workflow);
  announce(turn, call, dispatch);
  return deliveredByMock(call.mock!, machine, turn.host.clock.now());
}

/** Null where the child goes on in another invocation. */
async function deliver(turn: Turn, call: RunnableCall, dispatch: Dispatch): Promise<Delivered | Refused | null> {
  const { workflow, sessionId, dispatchId } = dispatch;
  const unnamed = sessionIdRejection(sessionId);
  if (unnamed !== null) return { ok: false, kind: "depth-exceeded", reason: `there is no id for a child: ${unnamed}` };
  let refused: Refused | null = null;
  let isTold = false;
  const end = await runChild(turn, {
    dispatchId,
    arrival: {
      id: copyIdOf(turn, call),
      sessionId,
      seq: 0,
      source: "delegation",
      workflow,
      acceptedAt: turn.host.clock.now(),
      ...(turn.arrival.hops !== undefined ? { hops: turn.arrival.hops } : {}),
    },
    ...(call.runSignal ? { runSignal: call.runSignal } : {}),
    input: async (isNew) => {
      // Once the child has begun, the files it was sent are its own, to change or to remove.
      const files = isNew ? await filesFor(turn, call, dispatch) : { paths: {} };
      isTold = true;
      if ("refused" in files) {
        refused = files.refused;
        return null;
      }
      if (isNew) announce(turn, call, dispatch);
      return { kind: "turn", trigger: MANUAL_TRIGGER, variables: { ...call.args, ...files.paths } };
    },
  });
  if (refused !== null) return refused;
  if (!isTold) announce(turn, call, dispatch);
  return deliveredIn(turn, dispatch, end);
}

/** */
async function filesFor(
  turn: Turn,
  call: RunnableCall,
  { workflow, sessionId }: Dispatch,
): Promise<{ paths: Record<string, string> } | { refused: Refused }> {
  const { machine } = await turn.host.assemblyFor(workflow, denialsOf(turn));
  const requires = machine.triggers.get(MANUAL_TRIGGER)?.signature.requires ?? [];
  try {
    const to = fileStoreBackend(turn.files, sessionId);
    return { paths: await copyFiles(requires, call.args, { from: turn.workspace, to, copyId: copyIdOf(turn, call) }) };
  } catch (error) {
    turn.writer.assertOwned();
    await turn.files.removeAll(sessionId);
    const reason = error instanceof Error ? error.message : String(error);
    return { refused: { ok: false, kind: "invalid-param", reason } };
  }
}

function tellCalled(turn: Turn, call: RunnableCall): void {
  const { state, tool, callId, args } = call;
  turn.emit({ type: "tool-called", state, tool, callId, args, ...originOf(call) });
}

function copyIdOf(turn: Turn, call: RunnableCall): string {
  return idempotencyKeyOf(turn.sessionId, call.key);
}

/** the call, then what it causes; its result follows when it is committed. */
function announce(turn: Turn, call: RunnableCall, { workflow, dispatchId }: Dispatch): void {
  const { chain } = turn.lineage;
  const { state, callId } = call;
  tellCalled(turn, call);
  turn.emit({
    type: "sub-workflow-start",
    state,
    workflow,
    dispatchId,
    toolCallId: callId,
    depth: chain.length,
    chain: [...chain, workflow],
  });
}

/** that a child has settled is told when its caller has committed it. */
async function answered(
  turn: Turn,
  call: RunnableCall,
  number: number,
  { result, end, startedAt }: Made & { result: CallResult },
): Promise<CallResult> {
  const told = [...(end ? [end.event] : []), resultEvent(turn, call, startedAt, result)];
  if (end === null) tellCalled(turn, call);
  const delegated = end ? { delegated: end.delegated } : {};
  const answer = end?.used ? { ...result, used: end.used } : result;
  if (call.dispatch === undefined) return journaled(turn, call, number, { result: answer, told, ...delegated });
  turn.afterCommit.push(...told);
  return { ...answer, ...delegated };
}

/** nobody would answer it. */
function withoutPark(delivered: Delivered): Delivered {
  if (delivered.kind !== "parked") return delivered;
  const { park, used } = delivered;
  const undelivered = failed("parked", `it parked in its state ${park.state}, and its caller cannot wait for that.`);
  return used ? { ...undelivered, used } : undelivered;
}

/** The answer of a call that an agent's message did not make: recorded for a replay, and in no ledger. */
async function journaled(
  turn: Turn,
  call: RunnableCall,
  number: number,
  made: { result: CallResult; told: EventDraft[]; delegated?: DelegatedCall },
): Promise<CallResult> {
  const trail = made.delegated ? delegationTrail(made.delegated) : [];
  const answer = {
    ...made.result,
    ...(trail.length > 0 ? { trail } : {}),
    dispatched: number,
    ...(made.told.length > 0 ? { told: made.told } : {}),
  };
  if (!call.runSignal?.aborted) await writeEntry(turn.writer, call.key, { ...entryOf(turn, call, number), answer });
  return replayed(turn, answer);
}

function replayed(turn: Turn, { told = [], ...answer }: NonNullable<JournalEntry["answer"]>): CallResult {
  turn.afterCommit.push(...told);
  return answer;
}

function entryOf(turn: Turn, call: RunnableCall, dispatch: number): JournalEntry {
  const known = readEntry(turn.writer, call.key);
  const at = call.evaluationAt ?? turn.host.clock.now();
  const decided = call.decided ? { decided: call.decided } : {};
  return known ?? { tool: call.tool, hash: argsHash(call.args), attempt: 1, at, dispatch, ...decided };
}

function blocked(turn: Turn, call: RunnableCall, refused: Refused): CallResult {
  const reason = refusalText(call.tool, refused);
  const rule = `delegation:${refused.kind}`;
  const { state, tool, callId, args } = call;
  turn.emit({ type: "tool-blocked", state, tool, callId, args, reason, rule, ...originOf(call) });
  return { text: reason, status: "error", refusal: rule, blocked: true };
}

function resultEvent(
  turn: Turn,
  call: RunnableCall,
  startedAt: number,
  { text, status }: Pick<CallResult, "text" | "status">,
): EventDraft {
  return {
    type: "tool-result",
    state: call.state,
    tool: call.tool,
    callId: call.callId,
    status,
    durationMs: turn.host.clock.now() - startedAt,
    ...shownOutput(text),
    ...originOf(call),
  };
}

function originOf(call: RunnableCall): { origin?: "script" } {
  return call.origin === "script" ? { origin: "script" } : {};
}
