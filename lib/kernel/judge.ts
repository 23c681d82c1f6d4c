/** The kernel's decision about one call (R-202…R-206, W-209). */
import type { Machine } from "../machine/index.js";
import { type JudgedCall, prepareCall } from "./call.js";
import {
  forbiddenByState,
  forbiddenByWorkflow,
  hostRules,
  notAllowed,
  replyOnly,
  toolAllowed,
  toolControl,
  ungrantable,
  unresolvedVariable,
} from "./rules-tools.js";
import {
  escapes,
  governancePlane,
  mountRules,
  offloadRead,
  pathArgument,
  readOnlyZone,
  runtimeInternal,
  runtimeManaged,
  scratchpad,
  skillOnly,
  skillRules,
} from "./rules-zones.js";
import type { GovernanceTables, ProposedCall, Verdict } from "./types.js";

type Rule = (judged: JudgedCall) => Verdict | null;

/** In the order in which they are asked; the first that has an opinion decides. */
const RULES: readonly Rule[] = [
  pathArgument,
  escapes,
  governancePlane,
  skillOnly,
  replyOnly,
  ungrantable,
  readOnlyZone,
  runtimeInternal,
  runtimeManaged,
  skillRules,
  mountRules,
  forbiddenByWorkflow,
  forbiddenByState,
  hostRules,
  scratchpad,
  offloadRead,
  toolControl,
  toolAllowed,
  unresolvedVariable,
];

/**
 * Decides a call: pure and synchronous, the same inputs give the same verdict.
 *
 * @returns an allowed call's arguments with every declared path in canonical form under its declared name
 */
export function judgeCall(machine: Machine, tables: GovernanceTables, call: ProposedCall): Verdict {
  const judged = prepareCall(machine, tables, call);
  for (const rule of RULES) {
    const verdict = rule(judged);
    if (verdict !== null) return verdict;
  }
  return notAllowed(judged);
}
