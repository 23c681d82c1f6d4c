/** From an arrival to what the `open` node commits: judged once, under the lease (S-8, S-37). */

import type { Machine } from "../machine/types.js";
import type { ArrivalInput, FileRef } from "../session/arrival.js";
import { type Judgement, judgeArrival } from "../session/arrive/judge.js";
import { type Opening, openTurn, refusalOf, refuseTurn } from "../session/arrive/open-turn.js";
import { applyDecision, applyDelivery, applyReply, applyToChild } from "../session/arrive/resume.js";
import { deliveryProblem, seedProblem } from "../session/arrive/seeds.js";
import { CheckpointCorruptError, type ParkwayError } from "../session/errors.js";
import { sha256Hex } from "../session/fingerprint.js";
import type { Step } from "../session/moves.js";
import type { SessionState } from "../session/state.js";
import { valuesOf } from "../session/variables.js";
import { fileStoreBackend, placeTurnFiles, type TurnFile } from "../workspace/index.js";
import { fileIssues } from "./file-facts.js";
import type { Turn } from "./types.js";

export type Opened =
  | { kind: "refuse"; error: ParkwayError }
  | { kind: "hold"; parkId: string }
  | { kind: "moot" }
  | { kind: "apply"; step: Step };

export async function openArrival(turn: Turn, state: SessionState): Promise<Opened> {
  const { arrival, machine, assembly } = turn;
  const parked = await parkedMachine(turn, state);
  const judgement = judgeArrival(machine, state, arrival, assembly.defaultTrigger, parked);
  switch (judgement.kind) {
    case "refuse":
    case "hold":
    case "moot":
      return judgement;
    case "open":
      return openFresh(turn, state, judgement);
    case "reply":
      await storeSpec(turn, state);
      return apply(applyReply(machine, state, { ...moment(turn), ...judgement }));
    case "decide": {
      const { park, target, input } = judgement;
      await storeSpec(turn, state);
      if (park.delegation) return passOn(turn, state, "decide", { ...input, target, park: undefined, seq: undefined });
      return apply(
        applyDecision(machine, state, {
          ...moment(turn),
          park,
          target,
          comment: input.comment,
          decidedBy: input.decidedBy,
        }),
      );
    }
    case "deliver":
      return deliver(turn, state, judgement);
  }
}

/**
 * R-112 for a presented park: the spec of the child that is parked, or the session's own. Null where that cannot be loaded
 * any more: the record alone is asked, so that no edit traps the session, and what the child comes to is told then.
 */
async function parkedMachine(turn: Turn, state: SessionState): Promise<Machine | null> {
  const { park } = state.fields;
  if (!park?.delegation) return turn.machine;
  return turn.host.machineOf(park.delegation.workflow).catch(() => null);
}

/** */
function passOn(turn: Turn, state: SessionState, disposition: "decide" | "deliver", input: ArrivalInput): Opened {
  return apply(applyToChild(turn.machine, state, { ...moment(turn), disposition, input }));
}

function apply(step: Step): Opened {
  return { kind: "apply", step };
}

function moment(turn: Turn): { now: number; arrivalId: string } {
  return { now: turn.host.clock.now(), arrivalId: turn.arrival.id };
}

async function openFresh(
  turn: Turn,
  state: SessionState,
  judged: Extract<Judgement, { kind: "open" }>,
): Promise<Opened> {
  const { machine, assembly, workspace } = turn;
  const isChild = turn.lineage.dispatchId !== null;
  // Nothing of its caller but the arguments reaches a child.
  const seeds: Record<string, unknown> = { ...(isChild ? {} : assembly.variables), ...judged.input.variables };
  const problem = seedProblem(seeds);
  if (problem) return { kind: "refuse", error: problem };
  const opening: Opening = {
    ...moment(turn),
    trigger: judged.trigger,
    state: judged.state,
    fromEntry: judged.fromEntry,
    ...(judged.message !== undefined ? { message: judged.message } : {}),
    ...(judged.input.history ? { history: judged.input.history } : {}),
    seeds: machine.disabled ? seeds : { ...seeds, ...(await placeFiles(turn, judged.input.files)) },
    fileIssues: [],
  };
  const requires = machine.triggers.get(judged.trigger)?.signature.requires ?? [];
  opening.fileIssues = await fileIssues(workspace, requires, { ...valuesOf(state.variables), ...opening.seeds });
  const reason = refusalOf(machine, state, opening);
  if (reason !== null) return apply(refuseTurn(state, { ...moment(turn), reason }));
  await storeSpec(turn, state);
  return apply(openTurn(machine, state, opening));
}

async function deliver(
  turn: Turn,
  state: SessionState,
  judged: Extract<Judgement, { kind: "deliver" }>,
): Promise<Opened> {
  const problem = deliveryProblem(judged.variables);
  if (problem) return { kind: "refuse", error: problem };
  if (judged.park.delegation) {
    await storeSpec(turn, state);
    const { kind: _kind, park: _park, files, ...input } = judged;
    return passOn(turn, state, "deliver", files ? { kind: "turn", ...input, files } : { kind: "delivery", ...input });
  }
  const placed = await placeFiles(turn, judged.files);
  await storeSpec(turn, state);
  const step = applyDelivery(turn.machine, state, {
    ...moment(turn),
    park: judged.park,
    trigger: judged.trigger,
    variables: { ...judged.variables, ...placed },
    ...(judged.message !== undefined ? { message: judged.message } : {}),
  });
  return apply(step);
}

/** the bytes were stored before the arrival was accepted; their hash is checked now (S-10). */
async function placeFiles(turn: Turn, refs: Record<string, FileRef> | undefined): Promise<Record<string, string>> {
  if (!refs || Object.keys(refs).length === 0) return {};
  const files: TurnFile[] = [];
  for (const [variable, ref] of Object.entries(refs)) {
    const bytes = await turn.files.readShared(ref.key);
    if (bytes === null) throw new CheckpointCorruptError(turn.sessionId, ref.key, `the file ${ref.name} is gone`);
    if (sha256Hex(bytes) !== ref.sha256) {
      throw new CheckpointCorruptError(turn.sessionId, ref.key, `the file ${ref.name} is not the one that was sent`);
    }
    files.push({ variable, name: ref.name, bytes });
  }
  const area = fileStoreBackend(turn.files, turn.sessionId);
  return placeTurnFiles(area, { arrivalId: turn.arrival.id, files });
}

/** R-32, W-52: the spec in force is stored once under its hash, before any model call. */
async function storeSpec(turn: Turn, state: SessionState): Promise<void> {
  const { specHash, specJson, plain } = turn.machine;
  if (plain || state.fields.specHash === specHash) return;
  try {
    const bytes = new TextEncoder().encode(specJson);
    await turn.host.files.writeShared(`_specs/${specHash}.json`, bytes);
  } catch (error) {
    const message = `The spec ${specHash} could not be stored: ${error instanceof Error ? error.message : String(error)}`;
    turn.emit({ type: "warning", scope: "spec", message });
  }
}
