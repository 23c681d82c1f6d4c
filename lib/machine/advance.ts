/** The verdicts of movement: the facts `archmax_advance` is judged by, in their order. */
import type { TransitionSpec } from "../spec/types.js";
import { stateOf, transitionTo } from "./compile.js";
import type { Machine } from "./types.js";

/** */
export const MAX_EVIDENCE_PATHS = 20;

export type EvidenceJudgement = { ok: true; path: string } | { ok: false; reason: string };

export interface AdvanceRequest {
  /** The state the session stands in. */
  state: string;
  to: string;
  /** Variables by name; an own property is a set variable, whatever its value. */
  variables: Readonly<Record<string, unknown>>;
  evidence?: readonly string[];
  /** Judges one attached path; the kernel's `readableEvidencePath`. */
  judgeEvidence(path: string): EvidenceJudgement;
}

export type AdvanceCode = "evidence-target" | "evidence-count" | "evidence-path" | "requires-unset" | "no-edge";

export type AdvanceVerdict =
  /** `evidence` is canonical and without repeats. */
  | { ok: true; transition: TransitionSpec; evidence: string[] }
  | {
      ok: false;
      code: AdvanceCode;
      /** Only movement has rules of its own. */
      ruleId?: "transition.requires" | "transition.no-edge";
      reason: string;
    };

/** Judges an advance whose arguments fit and whose message has not moved yet: evidence, `requires`, then the edge. */
export function checkAdvance(machine: Machine, request: AdvanceRequest): AdvanceVerdict {
  const evidence = checkEvidence(machine, request);
  if (!Array.isArray(evidence)) return evidence;
  const missing = missingRequires(machine, request.state, request.variables);
  if (missing.length > 0) {
    return {
      ok: false,
      code: "requires-unset",
      ruleId: "transition.requires",
      reason:
        `State ${request.state} cannot be left while these variables are unset: ${missing.join(", ")}. ` +
        "Record them with archmax_set_variables, then advance.",
    };
  }
  const transition = transitionTo(machine, request.state, request.to);
  if (transition === null) return noEdge(machine, request);
  return { ok: true, transition, evidence };
}

/** Names in the state's `requires` that are not set, in the order written (W-145). Null counts as set. */
export function missingRequires(
  machine: Machine,
  state: string,
  variables: Readonly<Record<string, unknown>>,
): string[] {
  const required = stateOf(machine, state)?.spec.requires ?? [];
  return [...new Set(required)].filter((name) => !Object.hasOwn(variables, name));
}

function checkEvidence(machine: Machine, request: AdvanceRequest): string[] | Extract<AdvanceVerdict, { ok: false }> {
  const attached = request.evidence ?? [];
  if (attached.length === 0) return [];
  if (stateOf(machine, request.to)?.type !== "human") {
    return {
      ok: false,
      code: "evidence-target",
      reason: `Evidence is for a person's decision, and ${request.to} is not a human decision node. Advance without evidence.`,
    };
  }
  if (attached.length > MAX_EVIDENCE_PATHS) {
    return {
      ok: false,
      code: "evidence-count",
      reason: `${attached.length} evidence paths were given; at most ${MAX_EVIDENCE_PATHS} can be attached.`,
    };
  }
  const paths = new Set<string>();
  for (const path of attached) {
    const judged = request.judgeEvidence(path);
    if (!judged.ok) return { ok: false, code: "evidence-path", reason: judged.reason };
    paths.add(judged.path);
  }
  return [...paths];
}

function noEdge(machine: Machine, { state, to }: AdvanceRequest): AdvanceVerdict {
  const targets = [...new Set((stateOf(machine, state)?.transitions ?? []).map((transition) => transition.to))];
  const choices = targets.length > 0 ? `Choose one of: ${targets.join(", ")}.` : "It has no transitions.";
  return {
    ok: false,
    code: "no-edge",
    ruleId: "transition.no-edge",
    reason: `State ${state} has no transition to ${to}. ${choices}`,
  };
}
