/**
 * The one place where a call is decided, whoever makes it: the kernel, then the guardrails, then the host's
 * `beforeTool`. What is decided of an agent's or a grader's call is written down with its message, and of a script's call
 * with its entry in the journal; so a re-run asks nobody a second time (S-37, S-47, S-49).
 */
import { firstDenial, frozenCopy } from "../extensions/index.js";
import type { GuardrailCall } from "../extensions/types.js";
import { judgeCall } from "../kernel/index.js";
import { textOfResult } from "../tools/index.js";
import { mockedResult, mockOf } from "./mocked.js";
import type { Turn } from "./types.js";
import { unlessStopped } from "./unless-stopped.js";

/** References are substituted. */
export interface AskedCall {
  callId: string;
  tool: string;
  args: Record<string, unknown>;
  /** Whose rules decide. */
  state: string;
  origin: GuardrailCall["origin"];
  /** Name to value. */
  variables: Readonly<Record<string, unknown>>;
  /** Of this leg so far. */
  modelCalls: number;
  /** */
  replyOnly?: boolean;
}

export type Judged = Permitted | Given | Refusal;

export interface Permitted {
  kind: "run";
  /** As the tool gets them. */
  args: Record<string, unknown>;
  /** As they were asked for, where a hook has put others in their place. */
  asked?: Record<string, unknown>;
}

/** A hook has answered in place of the tool. */
export interface Given {
  kind: "given";
  args: Record<string, unknown>;
  text: string;
}

export interface Refusal {
  kind: "block";
  /** As they were judged. */
  args: Record<string, unknown>;
  rule: string;
  reason: string;
  /** What the caller is answered. */
  text: string;
  /** The mark of the answer. */
  refusal: string;
  /** The state fails with it. */
  terminal?: true;
}

/** @throws only what ends the turn or its owner */
export async function judge(turn: Turn, call: AskedCall): Promise<Judged> {
  const byKernel = judgeByKernel(turn, call);
  return byKernel.kind === "block" ? byKernel : judgeByHost(turn, { ...call, args: byKernel.args });
}

export function judgeByKernel(turn: Turn, call: AskedCall): Permitted | Refusal {
  const { machine, assembly, sessionId } = turn;
  const { state, tool, args, variables, replyOnly = false } = call;
  const verdict = judgeCall(machine, assembly.tables, {
    state,
    tool,
    args,
    origin: call.origin === "code" ? "script" : call.origin,
    replyOnly,
    variables,
    sessionId,
  });
  if (verdict.decision === "allow") return { kind: "run", args: verdict.args };
  const { ruleId, reason, terminal } = verdict;
  return {
    kind: "block",
    args,
    rule: ruleId,
    reason,
    text: reason,
    refusal: `blocked:${ruleId}`,
    ...(terminal ? { terminal } : {}),
  };
}

/** What the host says to a call that the kernel permits, with its arguments as the kernel has made them. */
export async function judgeByHost(turn: Turn, call: AskedCall): Promise<Judged> {
  const judged = await guardedAndHooked(turn, call);
  // The runtime keeps this list itself, so a test case's mock answers here and not where tools are run (C-19).
  const mock = judged.kind === "run" && call.tool === "write_todos" ? mockOf(turn, call.tool, judged.args) : undefined;
  return mock ? { kind: "given", args: judged.args, text: mockedResult(mock).text } : judged;
}

async function guardedAndHooked(turn: Turn, call: AskedCall): Promise<Judged> {
  const { hooks } = turn.assembly.extensions;
  const denied = await denialOf(turn, call);
  if (denied) return denied;
  if (!hooks.beforeTool) return { kind: "run", args: call.args };
  let decided: { args?: Record<string, unknown>; text?: string };
  try {
    decided = await askHook(turn, call);
  } catch (error) {
    if (isFatal(turn)) throw error;
    return denial(call, `beforeTool error: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (decided.text !== undefined) return { kind: "given", args: call.args, text: decided.text };
  if (!decided.args) return { kind: "run", args: call.args };
  const changed = await judgeChanged(turn, { ...call, args: decided.args });
  return changed.kind === "run" ? { ...changed, asked: call.args } : changed;
}

/** arguments that a host has put in place of judged ones are judged like any call's. */
export async function judgeChanged(turn: Turn, call: AskedCall): Promise<Permitted | Refusal> {
  const again = judgeByKernel(turn, call);
  if (again.kind === "block") return again;
  return (await denialOf(turn, { ...call, args: again.args })) ?? again;
}

/** Whether a host decides about calls at all. */
export function hasSay({ assembly }: Turn): boolean {
  const { guardrails, hooks } = assembly.extensions;
  return guardrails.length > 0 || hooks.beforeTool !== undefined;
}

/** What hooks and guardrails are told of where a session stands. */
export function modelTurn(modelCalls: number): number {
  return Math.max(1, modelCalls);
}

async function denialOf(turn: Turn, call: AskedCall): Promise<Refusal | null> {
  const { guardrails } = turn.assembly.extensions;
  if (guardrails.length === 0) return null;
  const { callId, tool, args, state, origin, modelCalls } = call;
  const shown: GuardrailCall = {
    name: tool,
    args,
    id: callId,
    turn: modelTurn(modelCalls),
    state,
    workflow: turn.machine.workflow,
    sessionId: turn.sessionId,
    origin,
  };
  const reason = await firstDenial(guardrails, shown, {
    run: (ask) => unlessStopped(turn, ask),
    isFatal: () => isFatal(turn),
  });
  return reason === null ? null : denial(call, reason);
}

/** */
function denial({ args }: AskedCall, reason: string): Refusal {
  const rule = "guardrail";
  return { kind: "block", args, rule, reason, text: `denied: ${reason}`, refusal: `blocked:${rule}` };
}

async function askHook(turn: Turn, call: AskedCall): Promise<{ args?: Record<string, unknown>; text?: string }> {
  const { callId, tool, args, state, modelCalls } = call;
  const { hooks } = turn.assembly.extensions;
  const shown = { name: tool, args: frozenCopy(args), id: callId, turn: modelTurn(modelCalls), state };
  const said: unknown = await unlessStopped(turn, async () => hooks.beforeTool?.(shown));
  if (typeof said !== "object" || said === null) return {};
  if ("result" in said) return { text: textOfResult(said.result) };
  if (!("args" in said) || said.args === undefined) return {};
  if (!isPlain(said.args)) throw new TypeError("`args` must be an object.");
  return { args: JSON.parse(JSON.stringify(said.args)) as Record<string, unknown> };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The turn is over or its session lost: what a host's code threw meanwhile says nothing about the call. */
function isFatal({ signal, writer }: Turn): boolean {
  return signal.aborted || writer.isLost;
}
