/** What can be said of an input before it is accepted: shape always, the session's condition where it is at rest (S-8, N-8, R-12). */
import type { Arrival, ArrivalInput, ArrivalSource } from "../session/arrival.js";
import { judgeArrival } from "../session/arrive/judge.js";
import { deliveryProblem, seedProblem } from "../session/arrive/seeds.js";
import {
  EmptyMessageError,
  InputTooLargeError,
  InvalidDecisionTargetError,
  InvalidVariablesError,
  MissingDeliveryTriggerError,
  SessionWorkflowMismatchError,
  WorkflowDisabledError,
} from "../session/errors.js";
import { emptyState } from "../session/fold.js";
import { type LoadedSession, loadState } from "../session/load-state.js";
import type { SessionState } from "../session/state.js";
import { plainJson } from "../session/thread/plain-json.js";
import { valuesOf } from "../session/variables.js";
import { signatureValueIssues } from "../spec/index.js";
import { checkTurnFiles, fileStoreBackend, type TurnFile } from "../workspace/index.js";
import type { ArrivalKey } from "./accept.js";
import { type NamingWorkflow, refuseChild } from "./resolve.js";
import type { IntakeHost } from "./types.js";
import { type FileInput, storeUploads, type Upload, uploadsOf } from "./uploads.js";

/** S-11: the largest input, files not counted. */
export const MAX_INPUT_BYTES = 6 * 1024 * 1024;

/** An input on its way in. */
export interface Incoming {
  /** The arrival that it will be. */
  key: Pick<ArrivalKey, "id" | "source">;
  /** A parsed id. */
  sessionId: string;
  input: ArrivalInput;
  files?: Readonly<Record<string, FileInput>>;
}

/**
 * How much is looked at before accepting; under the lease everything is looked at again, and that is what counts.
 * `shape`: nothing of the session. `session`: whether the input applies to it, too, where it is at rest. `boundary`:
 * whether a fresh turn would be rejected, too (N-8).
 */
export type CheckDepth = "shape" | "session" | "boundary";

export interface CheckOptions {
  depth: CheckDepth;
  /** What is known of the session: null that there is none. Read where it is needed, unless given. */
  loaded?: LoadedSession | null;
}

/**
 * Refuses what cannot be accepted, then stores the files. The answer is the input as it is to be accepted: plain JSON,
 * with references in place of files.
 *
 * @throws the errors of H-129, before anything is stored
 */
export async function prepareInput(
  host: IntakeHost,
  workflow: NamingWorkflow,
  incoming: Incoming,
  options: CheckOptions,
): Promise<ArrivalInput> {
  const { sessionId } = incoming;
  checkShape(sessionId, incoming.input);
  const uploads = uploadsOf(incoming.key.id, incoming.files);
  const input = plainInput(withFiles(incoming.input, uploads));
  checkFiles(host, incoming, uploads, null);
  if (options.depth !== "shape") {
    await checkSession(host, workflow, { ...incoming, input, uploads }, options);
  }
  checkPresent(input, null);
  await storeUploads(host.files, uploads);
  return input;
}

/** What cannot be stored is refused here, and every store is given the same plain JSON (S-8, S-11). */
export function plainInput(input: ArrivalInput): ArrivalInput {
  const text = plainJson(input, { path: "input" });
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > MAX_INPUT_BYTES) throw new InputTooLargeError(sizeBytes, MAX_INPUT_BYTES);
  return JSON.parse(text) as ArrivalInput;
}

export function withFiles(input: ArrivalInput, uploads: readonly Upload[]): ArrivalInput {
  if (input.kind !== "turn" || uploads.length === 0) return input;
  return { ...input, files: Object.fromEntries(uploads.map(({ variable, ref }) => [variable, ref])) };
}

function checkShape(sessionId: string, input: ArrivalInput): void {
  refuseChild(sessionId, input.kind);
  if (input.model !== undefined) checkModelId(input.model);
  if (input.kind === "delivery" && input.trigger.trim() === "") throw new MissingDeliveryTriggerError();
  const problem = "variables" in input ? deliveryProblem(input.variables ?? {}) : null;
  if (problem) throw problem;
}

/** @throws {TypeError} for anything but the id of a model */
export function checkModelId(model: unknown): asserts model is string {
  if (typeof model === "string" && model.trim() !== "") return;
  throw new TypeError(`\`model\` must be the id of a model, a text that is not empty; it is ${JSON.stringify(model)}.`);
}

/** H-74. The session's condition is no objection where nothing is known of it. */
function checkFiles(
  host: IntakeHost,
  { sessionId, input }: Incoming,
  uploads: readonly TurnFile[],
  state: SessionState | null,
): void {
  if (uploads.length === 0) return;
  checkTurnFiles(uploads, {
    supplied: Object.keys(("variables" in input && input.variables) || {}),
    awaitingDecision: state?.fields.status === "awaiting_decision",
    area: fileStoreBackend(host.files, sessionId),
  });
}

/** What an input of its kind says in any case (R-13, H-62), after what the session's condition says first. */
function checkPresent(input: ArrivalInput, state: SessionState | null): void {
  if (input.kind === "reply" && input.message.trim() === "") throw new EmptyMessageError();
  if (input.kind === "decision" && (input.target ?? "").trim() === "") {
    const park = state?.fields.park;
    const targets = park?.channel === "decision" ? park.transitions.map(({ to }) => to) : [];
    throw new InvalidDecisionTargetError(input.target ?? "", targets);
  }
}

type Prepared = Incoming & { uploads: readonly Upload[] };

/** A session that is being worked on is judged by its workflow only: the check under the lease is the one that counts. */
async function checkSession(
  host: IntakeHost,
  workflow: NamingWorkflow,
  incoming: Prepared,
  { depth, loaded: given }: CheckOptions,
): Promise<void> {
  const { sessionId, input, uploads } = incoming;
  if (depth === "session" && fitsAnySession(workflow, incoming)) return;
  const loaded = given === undefined ? await loadState(host.store, sessionId) : given;
  const { machine, defaultTrigger } = workflow;
  // N-2: a session belongs to the workflow that opened it.
  if (loaded && loaded.record.workflow !== machine.workflow) {
    throw new SessionWorkflowMismatchError(sessionId, loaded.record.workflow, machine.workflow);
  }
  const state = loaded?.state ?? emptyState();
  checkFiles(host, incoming, uploads, state);
  const atRest =
    loaded === null || (loaded.record.lease === null && loaded.record.active === null && loaded.queued === 0);
  if (!atRest) {
    checkPresent(input, state);
    return;
  }
  const judged = judgeArrival(machine, state, arrivalOf(incoming), defaultTrigger);
  if (judged.kind === "refuse") throw judged.error;
  if (judged.kind !== "open") return;
  // A title that is none refuses a turn that opens, and is skipped by a delivery.
  const untitled = seedProblem(judged.input.variables ?? {});
  if (untitled) throw untitled;
  if (depth === "boundary") checkBoundary(host, workflow, incoming, { state, trigger: judged.trigger });
}

/**
 * N-8: what the boundary would reject, told to the caller. A firing whose sender reads no answer is accepted by a disabled
 * workflow, so that it is kept (S-18, N-34).
 *
 * @throws {WorkflowDisabledError} @throws {InvalidVariablesError}
 */
function checkBoundary(
  host: IntakeHost,
  { machine }: NamingWorkflow,
  { input, key, uploads }: Prepared,
  opening: { state: SessionState; trigger: string },
): void {
  if (machine.disabled) {
    if (isFiring(key.source)) return;
    throw new WorkflowDisabledError(machine.workflow);
  }
  const { state, trigger } = opening;
  const requires = machine.triggers.get(trigger)?.signature.requires ?? [];
  const given = "variables" in input ? input.variables : {};
  const placed = uploads.map(({ variable, name }) => [variable, `scratchpad/attachments/${name}`]);
  const values = { ...valuesOf(state.variables), ...given, ...Object.fromEntries(placed), trigger };
  const issues = signatureValueIssues(requires, values, { now: host.clock.now() }).map(({ name, kind, message }) => ({
    name,
    kind,
    message,
  }));
  for (const { variable, bytes } of uploads) {
    const most = requires.find(({ name, type }) => name === variable && type === "file")?.maxSize;
    if (most === undefined || bytes.length <= most) continue;
    const message = `${variable} is a file of ${bytes.length} bytes; at most ${most} are taken.`;
    issues.push({ name: variable, kind: "invalid", message });
  }
  if (issues.length > 0) throw new InvalidVariablesError(trigger, issues);
}

/** Whether nobody reads the answer that refuses it. */
export function isFiring(source: ArrivalSource): boolean {
  return source === "webhook" || source === "bus" || source === "redrive";
}

/**
 * A message under a trigger of the workflow opens a turn, answers a question or is delivered, whatever the session is: only
 * files and a title may still be refused. So there is nothing to look up.
 */
function fitsAnySession({ machine, defaultTrigger }: NamingWorkflow, incoming: Prepared): boolean {
  const { input } = incoming;
  if (
    input.kind !== "turn" ||
    input.files !== undefined ||
    input.opensOnly ||
    Object.hasOwn(input.variables ?? {}, "title")
  )
    return false;
  const judged = judgeArrival(machine, emptyState(), arrivalOf(incoming), defaultTrigger);
  return judged.kind === "open" && judged.message !== undefined;
}

function arrivalOf({ key, sessionId, input }: Incoming): Arrival {
  return { id: key.id, sessionId, seq: 0, source: key.source, workflow: "", input, acceptedAt: 0 };
}
