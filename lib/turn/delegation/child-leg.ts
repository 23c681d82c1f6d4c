/** A child's leg: the ordinary one, under its caller's right to work and within its caller's invocation (S-28, S-55). */

import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { InheritedDenials } from "../../kernel/types.js";
import type { Machine } from "../../machine/types.js";
import type { Arrival, ArrivalInput } from "../../session/arrival.js";
import { claimChild } from "../../session/claim-child.js";
import { isOfNewerVersion, LeaseLostError, StoreUnavailableError } from "../../session/errors.js";
import type { ClaimedChild } from "../../session/ports.js";
import type { SessionState } from "../../session/state.js";
import type { Workspace } from "../../workspace/types.js";
import { SessionWriter } from "../session-writer.js";
import { createTurn } from "../turn.js";
import type { LegEnd, Turn } from "../types.js";

export interface ChildLeg {
  arrival: Omit<Arrival, "input">;
  /** The child's place below the root, `1~2`. */
  dispatchId: string;
  /** Stops the child beside the turn's own signal. */
  runSignal?: AbortSignal;
  /**
   * What reaches the child, asked once it is claimed; null: nothing does, and it does not run.
   *
   * @param isNew - nothing of the child was committed before
   */
  input(isNew: boolean): Promise<ArrivalInput | null>;
}

export type ChildLegEnd =
  /** Finished or parked. `machine` is the one its turn ran under; `assertOwned` throws where its store has failed since. */
  | { kind: "rested"; state: SessionState; machine: Machine; workspace: Workspace; assertOwned(): void }
  /** What was sent to it does not apply to it, and changed nothing. */
  | { kind: "refused"; error: Error; state: SessionState }
  /** It could not be composed, read or opened. */
  | { kind: "failed"; reason: string }
  /** The invocation ends, and the next one goes on with it. */
  | { kind: "left" };

/** What a caller's workflow and those above it deny in its children, outermost first. */
export function denialsOf({ assembly, machine }: Turn): readonly InheritedDenials[] {
  return [...assembly.tables.inherited, { workflow: machine.workflow, machine }];
}

/** @throws what ends the caller too: its session is lost, the stores fail, or its turn was stopped */
export async function runChild(turn: Turn, leg: ChildLeg): Promise<ChildLegEnd> {
  const { host } = turn;
  const { workflow } = leg.arrival;
  const inherited = denialsOf(turn);
  // Composed before there is a child.
  const problem = await host.assemblyFor(workflow, inherited).then(() => null, messageOf);
  if (problem !== null) return { kind: "failed", reason: problem };
  const claimed = await claim(turn, leg);
  const input = await leg.input(claimed.record.checkpoint === null);
  if (input === null) return { kind: "failed", reason: "Nothing was sent to it." };
  let child: Turn;
  try {
    child = await openChild(turn, claimed, { ...leg, arrival: { ...leg.arrival, input } }, inherited);
  } catch (error) {
    if (error instanceof StoreUnavailableError || isOfNewerVersion(error)) throw lost(turn, error);
    return { kind: "failed", reason: messageOf(error) };
  }
  const end = await endOf(turn, child, await runIn(turn, child));
  // Where the turn was stopped, what its child came to answers nobody.
  if (end.kind !== "rested" || end.state.fields.status === "failed") turn.signal.throwIfAborted();
  return end;
}

async function claim(turn: Turn, { arrival }: ChildLeg): Promise<ClaimedChild> {
  const { host, lineage } = turn;
  turn.writer.assertOwned();
  try {
    return await claimChild(host, lineage.lease, {
      sessionId: arrival.sessionId,
      workflow: arrival.workflow,
      now: host.clock.now(),
      ...(arrival.hops !== undefined ? { hops: arrival.hops } : {}),
    });
  } catch (error) {
    throw lost(turn, error);
  }
}

async function openChild(
  turn: Turn,
  { lease, record, thread }: ClaimedChild,
  { arrival, dispatchId, runSignal }: Pick<ChildLeg, "dispatchId" | "runSignal"> & { arrival: Arrival },
  inherited: readonly InheritedDenials[],
): Promise<Turn> {
  const { host, lineage, options } = turn;
  const { store, clock, leaseMs } = host;
  const onProgress = () => turn.writer.progress();
  const writer = new SessionWriter({ store, clock, leaseMs, lease, record, thread, onProgress });
  const { signal } = turn.children;
  return createTurn(host, {
    writer,
    work: { arrival, attempt: 1 },
    lease,
    options: {
      recursionLimit: turn.recursionLimit,
      ...(options.drainAt !== undefined ? { drainAt: options.drainAt } : {}),
      ...(options.abortAt !== undefined ? { abortAt: options.abortAt } : {}),
      ...(options.mocks ? { mocks: options.mocks } : {}),
      ...(options.pinnedClockMs !== undefined ? { pinnedClockMs: options.pinnedClockMs } : {}),
    },
    signal: runSignal ? AbortSignal.any([signal, runSignal]) : signal,
    over: signal,
    runLeg: turn.runLeg,
    caller: {
      lineage: { root: lineage.root, dispatchId, chain: [...lineage.chain, arrival.workflow] },
      inherited,
      meter: turn.meter,
    },
  });
}

async function runIn(turn: Turn, child: Turn): Promise<LegEnd> {
  try {
    // A graph of its own: LangGraph would take it for a part of the caller's, whose step this runs in.
    const leg = () => turn.runLeg(child, { arrival: child.arrival, attempt: 1 }, child.options);
    return await AsyncLocalStorageProviderSingleton.runWithConfig({}, leg, true);
  } catch (error) {
    if (error instanceof LeaseLostError) throw lost(turn, error);
    requireOwned(turn, child);
    throw error;
  }
}

async function endOf(turn: Turn, child: Turn, end: LegEnd): Promise<ChildLegEnd> {
  const { writer, sessionId } = child;
  switch (end.kind) {
    case "settle":
      return settled(turn, child, end);
    case "release":
      if (end.failed !== undefined) {
        requireOwned(turn, child);
        return { kind: "failed", reason: end.failed };
      }
      // What waits is no step, but what it takes back must not look begun (S-41).
      if (writer.hasCommitted) await own(turn, child, () => writer.flush());
      childLeft(turn, end.until);
      return { kind: "left" };
    case "delay":
      if (end.unstarted.length > 0) {
        const { lease } = child.lineage;
        const { clock, leaseMs, store } = turn.host;
        const takenBack = { puts: [], removes: end.unstarted, beginsOnly: true as const };
        await store.commit(lease, takenBack, { now: clock.now(), leaseMs }).catch(() => undefined);
      }
      requireOwned(turn, child);
      throw new Error(`The store of ${sessionId} failed, and nobody knows how.`);
    case "hold":
      throw new Error(`The child ${sessionId} cannot be told to wait.`);
  }
}

async function settled(turn: Turn, child: Turn, end: Extract<LegEnd, { kind: "settle" }>): Promise<ChildLegEnd> {
  const { writer, machine, workspace } = child;
  const { status, commit } = end.settlement;
  if (status === "refused") {
    return { kind: "refused", error: end.error ?? new Error("It was refused."), state: writer.state };
  }
  if (status === "superseded") {
    turn.signal.throwIfAborted();
    return { kind: "failed", reason: "It was stopped before it began." };
  }
  await own(turn, child, () => writer.flush(commit));
  child.tell();
  child.metrics?.settled(end);
  return { kind: "rested", state: writer.state, machine, workspace, assertOwned: () => requireOwned(turn, child) };
}

async function own(turn: Turn, child: Turn, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    requireOwned(turn, child);
    throw error;
  }
}

/** A child that was lost, or whose store fails, was written for its caller: the caller writes no more either. */
function requireOwned(turn: Turn, child: Turn): void {
  try {
    child.writer.assertOwned();
  } catch (error) {
    throw lost(turn, error);
  }
}

function lost(turn: Turn, error: unknown): unknown {
  turn.writer.lose(error);
  return error;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A child goes on in a later invocation: at once, unless it waits for its model until then (S-50). The earliest one counts. */
export function childLeft(turn: Turn, until = 0): void {
  turn.childGoesOnAt = Math.min(until, turn.childGoesOnAt ?? Number.POSITIVE_INFINITY);
}
