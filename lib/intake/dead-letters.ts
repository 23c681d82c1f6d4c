/** What could not be accepted and has nobody to be told, and dead letters taken up again (S-93, S-96). */
import type { ArrivalInput, DeadLetter, Receipt } from "../session/arrival.js";
import { InputTooLargeError, isStoreFailure, UnstorableStateError } from "../session/errors.js";
import { count, redriveDeadLetter, refusedLetter } from "../session/index.js";
import { arrivalKey, rung } from "./accept.js";
import { plainInput, withFiles } from "./check.js";
import { firingInput } from "./firing.js";
import { parsedSessionId, sessionOf } from "./resolve.js";
import type { AcceptOptions, Firing, IntakeHost, IntakeWorkflows } from "./types.js";
import { storeUploads, uploadsOf } from "./uploads.js";

/** S-93. The session is kept where the firing names one that can be told; a redrive names one otherwise (S-7). */
export async function keepLetter(
  host: IntakeHost,
  workflows: IntakeWorkflows,
  { firing, options, reason }: { firing: Firing; options: AcceptOptions; reason: string },
): Promise<DeadLetter> {
  const { id, source, hops } = arrivalKey(options);
  const uploads = uploadsOf(id, firing.files);
  const input = storable(withFiles(firingInput(firing), uploads), firing.trigger);
  await storeUploads(host.files, uploads);
  const at = host.clock.now();
  const sessionId = await sessionIfNamed(host, workflows, firing);
  const arrival = {
    id,
    source,
    sessionId,
    workflow: firing.workflow,
    input,
    acceptedAt: at,
    ...(hops ? { hops } : {}),
  };
  const kept = await host.store.keepDeadLetter(refusedLetter(arrival, { reason, at }));
  if (kept.at === at) count(host.metrics, "dead", firing.workflow);
  return kept;
}

/** S-96: null for an unknown letter. */
export async function redriveLetter(host: IntakeHost, id: string): Promise<Receipt | null> {
  const result = await redriveDeadLetter(host, { id, now: host.clock.now() });
  return result && rung(host, result.receipt);
}

/** What no store takes is left out: the reason tells of it. */
function storable(input: ArrivalInput, trigger: string | undefined): ArrivalInput {
  try {
    return plainInput(input);
  } catch (error) {
    if (!(error instanceof UnstorableStateError || error instanceof InputTooLargeError)) throw error;
    return { kind: "turn", ...(trigger !== undefined ? { trigger } : {}) };
  }
}

/** The empty text where the firing names no session, or one that cannot be told. */
async function sessionIfNamed(host: IntakeHost, workflows: IntakeWorkflows, firing: Firing): Promise<string> {
  try {
    const workflow = await workflows.find(firing.workflow);
    if (workflow === null) return firing.sessionId === undefined ? "" : parsedSessionId(host, firing.sessionId);
    const named = sessionOf({ ...host, warn: () => {} }, workflow, { ...firing, mint: () => "unnamed" });
    return named.native ? "" : named.sessionId;
  } catch (error) {
    if (isStoreFailure(error)) throw error;
    return "";
  }
}
