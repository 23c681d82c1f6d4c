/** What can be said of an input before it is accepted: shape always, the session's condition where it is at rest (S-8, R-12). */
import type { Arrival, ArrivalInput, FileRef } from "../session/arrival.js";
import { judgeArrival } from "../session/arrive/judge.js";
import { MissingDeliveryTriggerError, SessionNotParkedError, SessionWorkflowMismatchError } from "../session/errors.js";
import { emptyState } from "../session/fold.js";
import { sha256Hex } from "../session/index.js";
import { loadState } from "../turn/load-state.js";
import { deliveryProblem, seedProblem } from "../turn/opening.js";
import type { Assembly, Host } from "../turn/types.js";
import { checkTurnFiles, fileStoreBackend } from "../workspace/index.js";
import { refuseChild } from "./resolve-session.js";

export interface FileInput {
  name: string;
  /** A string is UTF-8 text (H-72). */
  content: Uint8Array | string;
}

/**
 * Refuses an input that cannot apply, before anything is stored; the id is a parsed one. A session that is being worked on is not judged here:
 * the check under the lease is the one that counts.
 *
 * @param asked.repeats - the caller gave an idempotency key, so the input may be a repetition that has its answer already
 */
export async function checkInput(
  host: Host,
  assembly: Assembly,
  asked: { sessionId: string; input: ArrivalInput; repeats: boolean },
): Promise<void> {
  const { sessionId, input } = asked;
  refuseChild(sessionId, input.kind);
  if (input.kind === "delivery" && input.trigger.trim() === "") throw new MissingDeliveryTriggerError();
  const problem = "variables" in input ? deliveryProblem(input.variables ?? {}) : null;
  if (problem) throw problem;
  if (asked.repeats || fitsAnySession(assembly, sessionId, input)) return;
  const loaded = await loadState(host.store, sessionId);
  const atRest =
    loaded === null || (loaded.record.lease === null && loaded.record.active === null && loaded.queued === 0);
  if (!atRest) return;
  if (loaded && loaded.record.workflow !== assembly.machine.workflow) {
    throw new SessionWorkflowMismatchError(sessionId, loaded.record.workflow, assembly.machine.workflow);
  }
  if (loaded === null && input.kind === "reply") throw new SessionNotParkedError(sessionId, null);
  const state = loaded?.state ?? emptyState();
  const judged = judgeArrival(assembly.machine, state, arrivalOf(sessionId, input), assembly.defaultTrigger);
  if (judged.kind === "refuse") throw judged.error;
  // A title that is none refuses a turn that opens, and is skipped by a delivery.
  const untitled = judged.kind === "open" ? seedProblem(judged.input.variables ?? {}) : null;
  if (untitled) throw untitled;
}

/**
 * A message under a trigger of the workflow opens a turn, answers a question or is delivered, whatever the session is: only
 * files and a title may still be refused. So there is nothing to look up.
 */
function fitsAnySession({ machine, defaultTrigger }: Assembly, sessionId: string, input: ArrivalInput): boolean {
  if (input.kind !== "turn" || input.files !== undefined || Object.hasOwn(input.variables ?? {}, "title")) return false;
  const judged = judgeArrival(machine, emptyState(), arrivalOf(sessionId, input), defaultTrigger);
  return judged.kind === "open" && judged.message !== undefined;
}

function arrivalOf(sessionId: string, input: ArrivalInput): Arrival {
  return { id: "", sessionId, seq: 0, source: "api", workflow: "", input, acceptedAt: 0 };
}

/** Uploads by their hash, so that storing one twice is harmless (S-10). */
export const UPLOADS = ".parkway/uploads";

/** H-74: all files are checked before the first byte is written. */
export async function storeFiles(
  host: Host,
  given: {
    sessionId: string;
    input: { files?: Record<string, FileInput>; variables?: Record<string, unknown> };
    /** The session's condition is no objection to a repetition, which has its answer already (S-3). */
    repeats: boolean;
  },
): Promise<Record<string, FileRef> | null> {
  const { files, variables } = given.input;
  if (!files || Object.keys(files).length === 0) return null;
  refuseChild(given.sessionId, "turn");
  const loaded = await loadState(host.store, given.sessionId);
  const sent = Object.entries(files).map(([variable, { name, content }]) => ({
    variable,
    name,
    bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
  }));
  checkTurnFiles(sent, {
    supplied: Object.keys(variables ?? {}),
    awaitingDecision: !given.repeats && loaded?.state.fields.status === "awaiting_decision",
    area: fileStoreBackend(host.files, given.sessionId),
  });
  const refs: Record<string, FileRef> = {};
  for (const { variable, name, bytes } of sent) {
    const sha256 = sha256Hex(bytes);
    const key = `${UPLOADS}/${sha256}`;
    await host.files.writeShared(key, bytes);
    refs[variable] = { name, key, sizeBytes: bytes.length, sha256 };
  }
  return refs;
}
