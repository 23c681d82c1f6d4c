/** The one way in: an input is identified, checked, and accepted (chapter S, 22; N-7, N-8, N-13). */
import type { ArrivalInput } from "../session/arrival.js";
import { UnknownSessionError, UnknownWorkflowError } from "../session/errors.js";
import { arrivalIdFor, hidingExpired, sessionIdFromKey } from "../session/index.js";
import { type LoadedSession, loadState } from "../session/load-state.js";
import { type ArrivalKey, acceptArrival, arrivalKey, decisionKey, knownArrival } from "./accept.js";
import { plainInput, prepareInput, withFiles } from "./check.js";
import { keepLetter, redriveLetter } from "./dead-letters.js";
import { firingInput } from "./firing.js";
import { outcomeOfReceipt, waitForReceipt } from "./receipts.js";
import { parsedSessionId, refuseChild, sessionOf } from "./resolve.js";
import { createIntakeSessions } from "./sessions.js";
import type { Accepted, AcceptOptions, Firing, Intake, IntakeHost, IntakeWorkflow, IntakeWorkflows } from "./types.js";
import { uploadsOf } from "./uploads.js";

export function createIntake(given: IntakeHost, workflows: IntakeWorkflows): Intake {
  const host: IntakeHost = { ...given, store: hidingExpired(given.store, given.clock) };
  const { store, clock } = host;

  async function workflowOf(slug: string): Promise<IntakeWorkflow> {
    const workflow = await workflows.find(slug);
    if (workflow === null) throw new UnknownWorkflowError(slug);
    return workflow;
  }

  async function fire(firing: Firing, accepting: AcceptOptions): Promise<Accepted> {
    const key = arrivalKey(accepting);
    const input = firingInput(firing);
    const known = await knownArrival(host, key, repetition(key, { ...firing, input }));
    if (known) return known;
    const workflow = await workflowOf(firing.workflow);
    const { sessionId, native } = sessionOf(host, workflow, { ...firing, mint: () => sessionIdFromKey(key.id) });
    const incoming = { key, sessionId, input, files: firing.files };
    // A key older than its receipt leads to the session that it led to then; an id of chance leads to none.
    const isNew = native && !key.isGiven;
    const options = { depth: "boundary", ...(isNew ? { loaded: null } : {}) } as const;
    const prepared = await prepareInput(host, workflow, incoming, options);
    const likely = native ? { isLikelyNew: true as const } : {};
    return acceptArrival(host, key, { sessionId, workflow: workflow.slug, input: prepared, ...likely });
  }

  const accept: Intake["accept"] = async (given, options) => {
    const sessionId = parsedSessionId(host, given.sessionId);
    refuseChild(sessionId, given.input.kind);
    const identified = await identify(host, { ...given, sessionId }, options);
    const { key } = identified;
    const known = await knownArrival(host, key, repetition(key, given));
    if (known) return known;
    let { loaded } = identified;
    if (given.workflow === undefined && loaded === undefined) loaded = await loadState(store, sessionId);
    const slug = given.workflow ?? loaded?.record.workflow;
    if (slug === undefined) throw new UnknownSessionError(sessionId);
    const workflow = await workflowOf(slug);
    const incoming = { key, sessionId, input: given.input, files: given.files };
    const input = await prepareInput(host, workflow, incoming, { depth: "boundary", loaded });
    return acceptArrival(host, key, { sessionId, workflow: slug, input });
  };

  return {
    workflows,
    fire,
    accept,
    known: (source, key, scope = "") => store.receipt(arrivalIdFor({ scope, source, key }), clock.now()),
    receipt: (arrivalId) => store.receipt(arrivalId, clock.now()),
    wait: (arrivalId, ms, signal) => waitForReceipt(host, arrivalId, { ms, signal }),
    outcome: (receipt) => outcomeOfReceipt(host, receipt),
    async cancel(id, arrivalId) {
      const sessionId = parsedSessionId(host, id);
      const found = await store.cancel(sessionId, clock.now(), { arrivalId });
      // A turn whose owner is gone is due now, to be ended (S-20).
      if (found) await host.doorbell.ring(sessionId).catch(() => undefined);
      return found;
    },
    sessions: createIntakeSessions(host),
    deadLetters: () => store.deadLetters(clock.now()),
    deadLetter: (id) => store.deadLetter(id, clock.now()),
    keep: (letter) => keepLetter(host, workflows, letter),
    redrive: (deadLetterId) => redriveLetter(host, deadLetterId),
  };
}

/** The input that a repetition of the key would be, for its fingerprint. */
function repetition(
  { id }: ArrivalKey,
  { input, files, workflow }: { input: ArrivalInput; files?: Firing["files"]; workflow?: string },
) {
  return { workflow, input: () => plainInput(withFiles(input, uploadsOf(id, files))) };
}

/** S-5: the caller's key, else for a decision the one that its park gives; `loaded` where the session had to be read. */
async function identify(
  host: IntakeHost,
  { sessionId, input }: Pick<Parameters<Intake["accept"]>[0], "sessionId" | "input">,
  options: AcceptOptions,
): Promise<{ key: ArrivalKey; loaded?: LoadedSession | null }> {
  if (input.kind !== "decision" || options.key !== undefined) return { key: arrivalKey(options) };
  const { target, decidedBy } = input;
  const decision = { sessionId, target: target ?? "", decidedBy };
  if (input.park !== undefined) return { key: decisionKey(options, { ...decision, park: input.park }) };
  const loaded = await loadState(host.store, sessionId);
  const park = loaded?.state.fields.park?.parkId;
  return { loaded, key: park === undefined ? arrivalKey(options) : decisionKey(options, { ...decision, park }) };
}
