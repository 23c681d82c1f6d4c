/** What a settled turn prints, and the exit code it makes (C-64). */
import type { Outcome } from "../session/outcome.js";
import type { DecisionPark, InputPark, Park } from "../session/state.js";
import { EXIT } from "./errors.js";
import { shellCommand } from "./shell.js";
import { icons, type Style } from "./style.js";

export interface OutcomeView {
  sessionId: string;
  workflow: string;
  rootOption?: string;
  endpoint?: string;
  style: Style;
}

export interface PrintedOutcome {
  /** For stdout; null where nothing is to be printed. */
  out: string | null;
  /** Lines for stderr. */
  err: string[];
  exit: number;
}

export function viewOutcome(outcome: Outcome, view: OutcomeView): PrintedOutcome {
  const said = outcome.reply === "" ? null : outcome.reply;
  const { style } = view;
  switch (outcome.kind) {
    case "completed":
      return { out: said ?? whereTo(outcome, view), err: [style.green(`${icons.ok} answer`)], exit: EXIT.ok };
    case "parked":
      return { out: said ?? parkedAgain(outcome, view), err: parkLines(outcome, view), exit: EXIT.ok };
    case "rejected":
      return {
        out: said,
        err: [style.red(`${icons.fail} rejected`), `  ${outcome.rejected ?? ""}`],
        exit: EXIT.failure,
      };
    case "failed": {
      const exit = outcome.exit?.success === false ? outcome.exit : { code: "unknown", reason: "" };
      return {
        out: said,
        err: [style.red(`${icons.fail} failed`), `  ${exit.code}: ${exit.reason}`],
        exit: EXIT.failure,
      };
    }
  }
}

/** A completed `run` without text says so; after a decision or delivery the place it led to is the answer (C-69). */
function whereTo(outcome: Outcome, { sessionId }: OutcomeView): string {
  if (outcome.disposition === "turn") return "(no text)";
  return `${sessionId} completed${outcome.state ? ` in ${outcome.state}` : ""}`;
}

function parkedAgain(outcome: Outcome, { sessionId }: OutcomeView): string | null {
  if (outcome.disposition === "turn") return null;
  const whose = outcome.delegation === undefined ? "" : ` for its child ${outcome.delegation.sessionId}`;
  return `${sessionId} parked in ${outcome.state ?? "?"}${whose}, awaiting ${outcome.parkedChannel}`;
}

function parkLines(outcome: Outcome, view: OutcomeView): string[] {
  const { pending } = outcome;
  if (!pending) return [view.style.yellow(`${icons.warn} parked`)];
  if (pending.channel === "input") return inputLines(pending, view);
  if (outcome.disposition === "reply") return [...reminderLines(pending, view), ...decisionCommands(pending, view)];
  return [...decisionLines(pending, view), ...decisionCommands(pending, view)];
}

function decisionLines(park: DecisionPark, view: OutcomeView): string[] {
  const { style } = view;
  const list = (label: string, values: readonly string[] | undefined) =>
    values && values.length > 0 ? [`  ${label} ${values.join(", ")}`] : [];
  return [
    style.yellow(`${icons.warn} awaiting human decision`),
    `  session      ${view.sessionId}`,
    ...stateLines(park),
    ...park.instructions
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line) => `  ${style.dim("│")} ${line}`),
    ...list("approvers   ", park.approvers),
    ...list("evidence    ", park.evidence),
    ...park.transitions.map(
      ({ to, type, description }) =>
        `  ${type ? `[${type}] ` : ""}${style.bold(to)}${description ? ` — ${description}` : ""}`,
    ),
  ];
}

function reminderLines(park: DecisionPark, { style, sessionId }: OutcomeView): string[] {
  return [style.yellow(`${icons.warn} a decision is still pending in ${park.state} (session ${sessionId})`)];
}

function decisionCommands(park: DecisionPark, view: OutcomeView): string[] {
  const workflow = ["--workflow", view.workflow];
  return [
    `  ${shellCommand(view, ["decide", view.sessionId, "--to", "<state>", "--park", park.parkId, ...workflow])}`,
    `  ${shellCommand(view, ["reply", view.sessionId, "<message>", ...workflow])}`,
  ];
}

function inputLines(park: InputPark, view: OutcomeView): string[] {
  const deliver = ["deliver", view.sessionId, "--trigger", "<id>", "--workflow", view.workflow];
  return [
    view.style.yellow(`${icons.warn} awaiting input`),
    `  session      ${view.sessionId}`,
    ...stateLines(park),
    `  reason       ${park.reason}`,
    ...(park.resumeAt ? [`  due          ${park.resumeAt}`] : []),
    `  ${shellCommand(view, deliver)}`,
  ];
}

/** Where it waits. Of a park on a child's behalf that is a state of the child's (R-199); it is answered through the caller. */
function stateLines({ state, title, delegation }: Park): string[] {
  const line = `  state        ${state}${title ? ` (${title})` : ""}`;
  if (delegation === undefined) return [line];
  const { workflow, sessionId, state: calling } = delegation;
  return [line, `  child        ${sessionId} (${workflow}), called in ${calling}`];
}
