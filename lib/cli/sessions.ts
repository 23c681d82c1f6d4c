/** `parkway sessions`: the list, or one session (C-68). */
import type { SessionSummary } from "../session/outcome.js";
import { parentSessionIdOf } from "../spec/index.js";
import { EXIT, errorJson } from "./errors.js";
import { printHeader } from "./header.js";
import { checkedSessionId, textOption } from "./options.js";
import { icons } from "./style.js";
import type { CliAgent, CommandContext } from "./types.js";
import { anyWorkflow, listWorkflows, workflowOf } from "./workflows.js";

export async function sessions(context: CommandContext): Promise<number> {
  const [id] = context.args;
  if (id !== undefined) checkedSessionId(id, context.command);
  const named = textOption(context, "workflow");
  const workflow = id === undefined ? anyWorkflow(context, named) : await workflowOf(context, { named, sessionId: id });
  const isAboutAll = id === undefined && (context.endpoint !== undefined || listWorkflows(context.root).length > 1);
  printHeader(context, isAboutAll ? named : workflow, "without-model");

  const agent = await context.openAgent({ root: context.root, workflow });
  try {
    if (id !== undefined) return printOne(context, id, await agent.sessions.get(id));
    const all = await agent.sessions.list(named === undefined ? undefined : { workflow: named });
    return printAll(context, context.options.json ? all : await withDecisions(agent, all));
  } finally {
    await agent.close();
  }
}

/** The list lacks what is to be decided; one session's summary has it (H-77). */
function withDecisions(agent: CliAgent, all: readonly SessionSummary[]): Promise<SessionSummary[]> {
  const detailed = async (summary: SessionSummary) =>
    summary.status === "awaiting_decision" ? ((await agent.sessions.get(summary.sessionId)) ?? summary) : summary;
  return Promise.all(all.map(detailed));
}

function printAll({ terminal, options }: CommandContext, all: readonly SessionSummary[]): number {
  if (options.json) terminal.out(JSON.stringify(all));
  else if (all.length === 0) terminal.out("no sessions");
  else terminal.out(all.flatMap(listLines).join("\n"));
  return EXIT.ok;
}

function printOne({ terminal, options }: CommandContext, id: string, summary: SessionSummary | null): number {
  if (!summary) {
    terminal.err(terminal.style.red(`${icons.fail} there is no session "${id}"`));
    if (options.json) terminal.out(JSON.stringify(errorJson(new Error(`there is no session "${id}"`))));
    return EXIT.failure;
  }
  terminal.out(options.json ? JSON.stringify(summary) : detailLines(summary).join("\n"));
  return EXIT.ok;
}

/** Names of variables only: a list is for overview, and values may be private. */
export function listLines(summary: SessionSummary): string[] {
  const names = Object.keys(summary.variables ?? {});
  const caller = parentSessionIdOf(summary.sessionId);
  const head = [
    summary.sessionId,
    summary.status,
    summary.classification,
    summary.workflowState ?? "-",
    ...(summary.state !== undefined ? [`awaiting=${summary.state}`] : []),
    ...(caller !== null ? [`child-of=${caller}`] : []),
    ...(names.length > 0 ? [`variables=${names.join(",")}`] : []),
  ].join("  ");
  const context = contextOf(summary);
  return context === null ? [head] : [head, `    ${context}`];
}

function contextOf(summary: SessionSummary): string | null {
  if (summary.status === "awaiting_input") {
    const due = summary.resumeAt === undefined ? "" : ` due=${summary.resumeAt}`;
    return `${summary.waitReason ?? "waits for an event"}${due}`;
  }
  if (summary.status !== "awaiting_decision") return null;
  const { pending } = summary;
  if (pending?.channel !== "decision") return "waits for a decision";
  const child = pending.delegation === undefined ? "" : ` in ${pending.delegation.sessionId}`;
  return `decision: ${pending.title ?? pending.state}${child} (${pending.transitions.map(({ to }) => to).join(" | ")})`;
}

export function detailLines(summary: SessionSummary): string[] {
  const row = (label: string, value: string | undefined) =>
    value === undefined ? [] : [`${label.padEnd(10)} ${value}`];
  return [
    ...row("session", summary.sessionId),
    ...row("status", `${summary.status} (${summary.classification})`),
    ...row("state", summary.workflowState),
    ...row("awaiting", summary.state),
    ...row("in child", summary.delegation && `${summary.delegation.sessionId} (${summary.delegation.workflow})`),
    ...row("child of", parentSessionIdOf(summary.sessionId) ?? undefined),
    ...row("context", contextOf(summary) ?? undefined),
    ...row("specHash", summary.specHash),
    ...row("exit", summary.exit && `${summary.exit.code}: ${summary.exit.reason}`),
    ...Object.entries(summary.variables ?? {}).flatMap(([name, { value, locked }]) =>
      row("variable", `${name} = ${JSON.stringify(value)}${locked ? " (locked)" : ""}`),
    ),
  ];
}
