/** The rules about the tool itself: denials, host rules, controls and grants. */
import type { ToolEntry } from "../spec/types.js";
import type { JudgedCall } from "./call.js";
import { controlsOf, type DenialList, decidingSource, isUngrantable, stateDenials, workflowDenials } from "./grants.js";
import { type EntryKind, type PreparedEntry, prepareEntry } from "./guards.js";
import type { GovernanceRule, PolicyCall, Verdict } from "./types.js";
import { allow, block } from "./verdict.js";

/** */
export function replyOnly(judged: JudgedCall): Verdict | null {
  if (!judged.call.replyOnly) return null;
  return block(judged, "tool.reply-only", "the session is parked, and the runtime runs no tool. Answer in text only.");
}

export function ungrantable(judged: JudgedCall): Verdict | null {
  const { tool } = judged.call;
  if (!isUngrantable(judged.state, tool)) return null;
  const why = judged.state?.automated
    ? `the runtime never offers it to state ${judged.state.slug}, which runs by itself`
    : "the runtime offers it to no agent";
  return block(judged, "tool.ungrantable", `${why}, and no list can grant it. Use the tools that are offered.`);
}

/** Inherited denials first, the outermost ancestor's before all. */
export function forbiddenByWorkflow(judged: JudgedCall): Verdict | null {
  for (const list of workflowDenials(judged.machine, judged.tables)) {
    const verdict = denied(judged, list, "tool.forbidden");
    if (verdict !== null) return verdict;
  }
  return null;
}

export function forbiddenByState(judged: JudgedCall): Verdict | null {
  return denied(judged, stateDenials(judged.machine, judged.call.state), "tool.forbidden-here");
}

/** H-36, R-209: a rule refuses or has no opinion; one that throws refuses. */
export function hostRules(judged: JudgedCall): Verdict | null {
  const { tool, state, sessionId, origin } = judged.call;
  const action: PolicyCall = {
    tool,
    args: judged.args,
    state,
    origin,
    ...(sessionId === undefined ? {} : { sessionId }),
  };
  for (const rule of judged.tables.policyRules) {
    const found = askRule(rule, action);
    if (found !== null) return { decision: "block", ruleId: found.ruleId, reason: found.reason };
  }
  return null;
}

export function toolControl(judged: JudgedCall): Verdict | null {
  return controlsOf(judged.state).includes(judged.call.tool) ? allow(judged, "tool.control") : null;
}

export function toolAllowed(judged: JudgedCall): Verdict | null {
  const { machine, tables, call } = judged;
  const source = decidingSource(machine, tables, call);
  if (source === null) return null;
  if (source.from === "host") return allow(judged, "tool.allowed");
  const admitted = source.entries.some((entry) => prepared(judged, entry, "grant").matches(asked(judged)));
  return admitted ? allow(judged, "tool.allowed") : null;
}

/** nothing admits the call, and a guard that might have holds a reference that gives no value. */
export function unresolvedVariable(judged: JudgedCall): Verdict | null {
  const { machine, tables, call } = judged;
  const source = decidingSource(machine, tables, call);
  if (source === null || source.from === "host") return null;
  if (!source.entries.some((entry) => prepared(judged, entry, "grant").unresolved)) return null;
  const who = source.from === "state" ? `state ${call.state}` : `workflow ${machine.workflow}`;
  const why = `its grant in ${who} is limited by a variable that is not set or holds no plain value, so nothing can match it`;
  return {
    decision: "block",
    ruleId: "tool.unresolved-variable",
    reason: `${call.tool} was refused: ${why}.`,
    terminal: true,
  };
}

export function notAllowed(judged: JudgedCall): Verdict {
  const { machine, tables, call } = judged;
  const source = decidingSource(machine, tables, call);
  if (source === null || source.from === "host") {
    return block(
      judged,
      "tool.not-allowed",
      `neither state ${call.state} nor workflow ${machine.workflow} grants it. Use the tools that are offered here.`,
    );
  }
  const who = source.from === "state" ? `state ${call.state}` : `workflow ${machine.workflow}`;
  return block(
    judged,
    "tool.not-allowed",
    `${who} grants it for other arguments than these. Keep to the argument limits of this state.`,
  );
}

function denied(judged: JudgedCall, list: DenialList, ruleId: string): Verdict | null {
  const found = list.entries.find((entry) => prepared(judged, entry, "denial").matches(asked(judged)));
  if (found === undefined) return null;
  const who =
    "state" in list.by
      ? `state ${list.by.state} forbids it`
      : `workflow ${list.by.workflow}${list.by.inherited ? ", which called this one," : ""} forbids it`;
  const bare = prepared(judged, found, "denial").bare;
  const wayOut = bare ? "Use the tools that are offered here." : "Other arguments may be permitted.";
  return block(judged, ruleId, `${who}${bare ? "" : " for these arguments"}. ${wayOut}`);
}

function prepared({ call, tables }: JudgedCall, entry: ToolEntry, kind: EntryKind): PreparedEntry {
  return prepareEntry(entry, { kind, variables: call.variables, tables });
}

function asked({ call, args }: JudgedCall) {
  return { tool: call.tool, args };
}

/** a rule's own id is the one it answers with, and its function's name where it fails to answer. */
function askRule(rule: GovernanceRule, action: PolicyCall): { ruleId: string; reason: string } | null {
  const id = rule.name || "host-rule";
  try {
    const found = rule(action);
    if (found?.decision !== "block") return null;
    return {
      ruleId: found.ruleId || id,
      reason: found.reason || `${action.tool} was refused by the host's rule ${found.ruleId || id}.`,
    };
  } catch {
    return { ruleId: id, reason: `${action.tool} was refused: the host's rule ${id} failed to judge it.` };
  }
}
