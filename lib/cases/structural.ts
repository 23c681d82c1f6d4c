/** Assertions about how the session went; one that misses halts its case (C-27…C-33, C-44). Pure. */

import type { TrailStep } from "../session/state.js";
import type { CaseAssertion } from "../spec/cases/index.js";
import { type Evidence, type Finding, shown } from "./assertion-record.js";
import { matchesText } from "./partial-match.js";

export type StructuralAssertion = Extract<
  CaseAssertion,
  | { succeeded: unknown }
  | { parked: unknown }
  | { raised: unknown }
  | { reachedState: unknown }
  | { trail: unknown }
  | { noTraversal: unknown }
  | { triggerArrival: unknown }
>;

const KEYS = ["succeeded", "parked", "raised", "reachedState", "trail", "noTraversal", "triggerArrival"] as const;

export function isStructural(assertion: CaseAssertion): assertion is StructuralAssertion {
  return KEYS.some((key) => key in assertion);
}

export function checkStructural(assertion: StructuralAssertion, evidence: Evidence): Finding {
  if ("succeeded" in assertion) return succeeded(evidence);
  if ("parked" in assertion) return parked(assertion.parked, evidence);
  if ("raised" in assertion) return raised(assertion.raised, evidence);
  if ("reachedState" in assertion) return reachedState(assertion.reachedState, evidence);
  if ("trail" in assertion) return trail(assertion.trail, evidence);
  if ("noTraversal" in assertion) return noTraversal(evidence);
  return triggerArrival(assertion.triggerArrival, evidence);
}

type Of<Key extends (typeof KEYS)[number]> = Extract<StructuralAssertion, Record<Key, unknown>>[Key];

function succeeded(evidence: Evidence): Finding {
  return evidence.kind === "completed" ? null : `the session did not complete: it ${endOf(evidence)}`;
}

function parked(expected: Of<"parked">, evidence: Evidence): Finding {
  const { channel, state } = typeof expected === "object" ? expected : { channel: expected, state: undefined };
  const fits =
    evidence.kind === "parked" &&
    (channel === undefined || channel === true || evidence.parkedChannel === channel) &&
    (state === undefined || evidence.state === state);
  if (fits) return null;
  const wanted = `${channel === undefined || channel === true ? "" : ` for ${WAITS[channel]}`}${state === undefined ? "" : ` in ${state}`}`;
  return `expected it parked${wanted}: it ${endOf(evidence)}`;
}

const WAITS = { decision: "a decision", input: "input" } as const;

/** A limit of the host's is no raise. */
function raised(expected: Of<"raised">, evidence: Evidence): Finding {
  const { exit } = evidence;
  const raise = evidence.kind === "failed" && evidence.limit === undefined && exit && !exit.success ? exit : null;
  if (raise === null) return `nothing was raised: it ${endOf(evidence)}`;
  const { code, reason } = asRaise(expected);
  if (code !== undefined && raise.code !== code) {
    return `expected ${shown(code)} to be raised, and ${shown(raise.code)} was, for ${shown(raise.reason)}`;
  }
  if (reason !== undefined && !matchesText(reason, raise.reason)) {
    return `${shown(raise.code)} was raised for ${shown(raise.reason)}, expected ${shown(reason)}`;
  }
  return null;
}

function asRaise(expected: Of<"raised">): { code?: string; reason?: string } {
  if (typeof expected === "object") return expected;
  return typeof expected === "string" ? { code: expected } : {};
}

function reachedState(state: string, { auditTrail }: Evidence): Finding {
  const reached = auditTrail.filter(({ kind }) => kind !== "trigger" && kind !== "sub-workflow").map(({ to }) => to);
  if (reached.includes(state)) return null;
  return `no step led to ${state}; ${reached.length > 0 ? `steps led to ${[...new Set(reached)].join(", ")}` : "no step led anywhere"}`;
}

function trail({ to, kind, reason, count }: Of<"trail">, { auditTrail }: Evidence): Finding {
  const seen = auditTrail.filter(
    (step) =>
      (to === undefined || step.to === to) &&
      (kind === undefined || step.kind === kind) &&
      (reason === undefined || matchesText(reason, step.reason)),
  ).length;
  if (seen === count) return null;
  const asked = shown({ to, kind, reason });
  return `expected ${count} ${count === 1 ? "step" : "steps"} of ${asked}, the trail has ${seen}`;
}

function noTraversal({ auditTrail }: Evidence): Finding {
  const moved = auditTrail.filter(({ kind }) => kind !== "trigger");
  return moved.length === 0 ? null : `the session moved: ${moved.map(told).join(", ")}`;
}

function triggerArrival(id: string, { auditTrail }: Evidence): Finding {
  const arrived = auditTrail.filter(({ kind }) => kind === "trigger").map(({ reason }) => reason ?? "");
  if (arrived.includes(id)) return null;
  return `no trigger ${id} arrived; arrived: ${arrived.length > 0 ? arrived.join(", ") : "none"}`;
}

function told({ kind, to }: TrailStep): string {
  return `${kind} to ${to}`;
}

/** How the last action settled, after "it". */
function endOf({ kind, state, exit, limit, rejected, parkedChannel }: Evidence): string {
  const where = state === undefined ? "" : ` in ${state}`;
  if (kind === "completed") return `completed${where}`;
  if (kind === "parked") return `parked${parkedChannel ? ` for ${WAITS[parkedChannel]}` : ""}${where}`;
  if (kind === "rejected") return `was rejected${where}: ${rejected}`;
  if (!exit || exit.success) return `failed${where}`;
  const how = limit === undefined ? "raised" : "was stopped by the limit";
  return `${how} ${limit ?? shown(exit.code)}${where}: ${exit.reason}`;
}
