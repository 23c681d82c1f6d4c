/** What a session keeps of its delegations: parked children, failed calls, and the trail (R-187… ). */
import { canonicalJson } from "./fingerprint.js";
import type {
  CallAnswer,
  DelegatedCall,
  FailedDelegation,
  ParkDelegation,
  PendingDelegation,
  SessionFields,
  SessionPatch,
  TrailStep,
} from "./state.js";

type Ledger = Pick<SessionFields, "pendingDelegations" | "failedDelegations" | "dispatchCount">;

/**
 * A settled batch: what its answers, in message order, add to the session's delegations and trail.
 *
 * @param batchAt - length of the transcript before the answers
 */
export function settleDelegations(
  fields: Partial<Ledger>,
  answers: readonly CallAnswer[],
  batchAt: number,
): { set: Partial<Ledger>; trail: TrailStep[] } {
  const calls = answers.flatMap((answer) => (answer.delegated ? [{ ...answer.delegated, callId: answer.callId }] : []));
  const set: Partial<Ledger> = {};
  const numbers = answers.flatMap((answer) => answer.dispatched ?? []);
  if (numbers.length > 0) set.dispatchCount = Math.max(fields.dispatchCount ?? 0, ...numbers);
  const before = fields.failedDelegations ?? [];
  const recovered = calls.reduce<readonly FailedDelegation[]>((failed, call) => recover(failed, call, batchAt), before);
  const failures = calls.flatMap((call) => failureOf(call, batchAt));
  if (recovered !== before || failures.length > 0) set.failedDelegations = [...recovered, ...failures];
  const parked = calls.flatMap(({ result, at: _at, ...call }) =>
    result.kind === "parked" ? [{ ...call, park: result.park, batchAt }] : [],
  );
  if (parked.length > 0) set.pendingDelegations = [...(fields.pendingDelegations ?? []), ...parked];
  return { set, trail: answers.flatMap(trailOf) };
}

/** one failure of an earlier message, workflow and state the same: the one with equal arguments before the oldest. */
function recover(
  failed: readonly FailedDelegation[],
  call: DelegatedCall,
  batchAt: number,
): readonly FailedDelegation[] {
  if (call.result.kind !== "ok") return failed;
  const alike = failed.filter(
    (entry) => entry.workflow === call.workflow && entry.state === call.state && entry.batchAt < batchAt,
  );
  if (alike.length === 0) return failed;
  const wanted = canonicalJson(call.args);
  const recovered = alike.find(({ args }) => canonicalJson(args) === wanted) ?? alike[0];
  return failed.filter((entry) => entry !== recovered);
}

function failureOf({ workflow, state, args, result }: DelegatedCall, batchAt: number): FailedDelegation[] {
  if (result.kind !== "failed") return [];
  return [{ workflow, kind: result.failure, state, args, reason: result.reason, batchAt }];
}

function trailOf({ delegated, trail = [] }: CallAnswer): TrailStep[] {
  return delegated ? [...trail, ...delegationTrail(delegated)] : trail;
}

/** one step for a child that settled; none while it is parked. */
export function delegationTrail({ workflow, state, at, result }: DelegatedCall): TrailStep[] {
  if (result.kind === "parked") return [];
  return [
    {
      to: state,
      kind: "sub-workflow",
      workflow,
      status: result.kind === "ok" ? "ok" : "error",
      ...(result.kind === "failed" ? { reason: result.reason } : {}),
      ts: at,
    },
  ];
}

/** The first pending child was run on and settled: its entry goes, and its result counts as its call's would have. */
export function settlePending(
  fields: Partial<Ledger>,
  call: DelegatedCall,
): { set: NonNullable<SessionPatch["set"]>; trail: TrailStep[] } {
  const [entry, ...rest] = fields.pendingDelegations ?? [];
  const answer: CallAnswer = { callId: "", tool: "", text: "", status: "success", delegated: call };
  const settled = settleDelegations(fields, [answer], entry?.batchAt ?? 0);
  return { set: { ...settled.set, pendingDelegations: rest.length > 0 ? rest : null }, trail: settled.trail };
}

/** every outstanding failed call of the state, in order, with workflow, kind and arguments; null for none. */
export function failedDelegationsReason(fields: Partial<SessionFields>): string | null {
  const failed = (fields.failedDelegations ?? []).filter(({ state }) => state === fields.position);
  if (failed.length === 0) return null;
  const calls = failed.map(
    ({ workflow, kind, args, reason }) => `${workflow} failed (${kind}) for ${shownArguments(args)}: ${reason}`,
  );
  return `delegated work failed and nothing made up for it: ${calls.join("; ")}`;
}

/** The reason is told to the model, to whoever reads the outcome, and by events. */
const MAX_SHOWN_CHARS = 2_000;

function shownArguments(args: Record<string, unknown>): string {
  const text = JSON.stringify(args);
  if (text.length <= MAX_SHOWN_CHARS) return text;
  return `${text.slice(0, MAX_SHOWN_CHARS).toWellFormed()}… (cut, ${text.length} characters)`;
}

/** R-199, seen from the session that presents the entry. */
export function parkDelegationOf(entry: PendingDelegation): ParkDelegation {
  const { workflow, sessionId, dispatchId } = entry.park.delegation ?? entry;
  return { workflow, sessionId, dispatchId, toolCallId: entry.callId, state: entry.state };
}
