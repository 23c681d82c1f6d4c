/** Assertions about what was said, called and set; one that misses fails its case without halting it (C-34…C-38). Pure. */
import { isRuntimeNote, type StoredMessage, type ToolCall } from "../session/messages.js";
import type { CaseAssertion, ToolMatcher } from "../spec/cases/index.js";
import { descend, parseValuePath } from "../spec/index.js";
import { type Evidence, type Finding, recordOf, shown } from "./assertion-record.js";
import { occursIn, partialMatch } from "./partial-match.js";
import type { StructuralAssertion } from "./structural.js";
import type { AssertionRecord } from "./types.js";

export type ContentAssertion = Exclude<CaseAssertion, StructuralAssertion | { grade: unknown }>;

export function checkContent(assertion: ContentAssertion, evidence: Evidence, step: number): AssertionRecord[] {
  if ("reply" in assertion) return reply(assertion.reply, evidence, step);
  if ("variables" in assertion) return variables(assertion.variables, evidence, step);
  if ("calledTool" in assertion) {
    return [recordOf("calledTool", step, calledTool(assertion.calledTool, evidence))];
  }
  if ("notCalledTool" in assertion) {
    return [recordOf("notCalledTool", step, notCalledTool(assertion.notCalledTool, evidence))];
  }
  if ("blockedTool" in assertion) {
    return [recordOf("blockedTool", step, blockedTool(assertion.blockedTool, evidence))];
  }
  if ("usedNoTools" in assertion) return [recordOf("usedNoTools", step, usedNoTools(evidence))];
  return [recordOf("ranWorkflow", step, ranWorkflow(assertion.ranWorkflow, evidence))];
}

type ReplyTokens = Extract<ContentAssertion, { reply: unknown }>["reply"];
type ChildRuns = Extract<ContentAssertion, { ranWorkflow: unknown }>["ranWorkflow"];
type ExpectedVariables = Extract<ContentAssertion, { variables: unknown }>["variables"];

/** One record for each token. */
function reply({ includes, excludes }: ReplyTokens, { messages }: Evidence, step: number): AssertionRecord[] {
  const said = messages
    .filter((message) => message.role === "assistant" && !isRuntimeNote(message))
    .map((message) => message.content)
    .join("\n");
  const missing = (token: string) => `${shown(token)} was not said; said: ${shown(said)}`;
  const present = (token: string) => `${shown(token)} was said: ${shown(said)}`;
  return [
    ...listOf(includes).map((token) => recordOf("reply.includes", step, occursIn(token, said) ? null : missing(token))),
    ...listOf(excludes).map((token) => recordOf("reply.excludes", step, occursIn(token, said) ? present(token) : null)),
  ];
}

function listOf(tokens: string | string[] | undefined): string[] {
  return typeof tokens === "string" ? [tokens] : (tokens ?? []);
}

function calledTool(matcher: ToolMatcher, { messages }: Evidence): Finding {
  const calls = agentCalls(messages);
  if (calls.some((call) => fits(matcher, call))) return null;
  const named = calls.filter((call) => isNamed(matcher, call));
  if (named.length > 0) return `no call of ${matcher.name} had this input; its calls: ${inputsOf(named)}`;
  return `${matcher.name} was not called; ${calledOf(calls)}`;
}

function notCalledTool(matcher: ToolMatcher, { messages }: Evidence): Finding {
  const found = agentCalls(messages).filter((call) => fits(matcher, call));
  return found.length === 0 ? null : `${matcher.name} was called: ${inputsOf(found)}`;
}

function blockedTool(matcher: ToolMatcher, { messages }: Evidence): Finding {
  const found = agentCalls(messages).filter((call) => fits(matcher, call));
  if (found.some(({ answer }) => answer?.additional_kwargs?.governance_blocked)) return null;
  if (found.length === 0) return `no such call of ${matcher.name} was made; ${calledOf(agentCalls(messages))}`;
  return `${matcher.name} was called and not blocked: ${inputsOf(found)}`;
}

function usedNoTools({ messages }: Evidence): Finding {
  const calls = agentCalls(messages);
  return calls.length === 0 ? null : calledOf(calls);
}

interface AgentCall {
  call: ToolCall;
  answer?: StoredMessage;
}

/** The agent's own calls, of the whole conversation: notes are the runtime's, and scripts' calls are not in it (C-35). */
function agentCalls(messages: readonly StoredMessage[]): AgentCall[] {
  const answers = new Map(
    messages.flatMap((message) => (message.tool_call_id ? [[message.tool_call_id, message]] : [])),
  );
  return messages
    .filter((message) => message.role === "assistant" && !isRuntimeNote(message))
    .flatMap((message) => message.tool_calls ?? [])
    .map((call) => {
      const answer = answers.get(call.id);
      return { call, ...(answer ? { answer } : {}) };
    });
}

function fits(matcher: ToolMatcher, made: AgentCall): boolean {
  return isNamed(matcher, made) && (matcher.input === undefined || partialMatch(matcher.input, made.call.args));
}

/** By the name the agent wrote, or by the tool that it stood for. */
function isNamed({ name }: ToolMatcher, { call, answer }: AgentCall): boolean {
  return call.name === name || answer?.name === name;
}

function inputsOf(calls: readonly AgentCall[]): string {
  return calls.map(({ call }) => shown(call.args)).join(", ");
}

function calledOf(calls: readonly AgentCall[]): string {
  const names = [...new Set(calls.map(({ call }) => call.name))];
  return names.length === 0 ? "no tool was called" : `called: ${names.join(", ")}`;
}

function ranWorkflow({ workflow, status = "ok", count }: ChildRuns, { auditTrail }: Evidence): Finding {
  const runs = auditTrail.filter((step) => step.kind === "sub-workflow" && step.workflow === workflow);
  const seen = runs.filter((step) => step.status === status).length;
  if (count === undefined ? seen > 0 : seen === count) return null;
  const expected =
    count === undefined ? `a run of ${workflow}` : `${count} ${count === 1 ? "run" : "runs"} of ${workflow}`;
  const others = runs.length > seen ? `, and ${runs.length - seen} with another status` : "";
  return `expected ${expected} with status ${status}, the trail has ${seen}${others}`;
}

/** One record for each expected name, and one for each name whose lock is asked about. */
function variables({ expect, path, locked }: ExpectedVariables, evidence: Evidence, step: number): AssertionRecord[] {
  const locks =
    typeof locked === "boolean"
      ? Object.keys(expect).map((name) => [name, locked] as const)
      : Object.entries(locked ?? {});
  return [
    ...Object.entries(expect).map(([name, value]) =>
      recordOf("variables", step, valueFinding(name, { value, path }, evidence)),
    ),
    ...locks.map(([name, isLocked]) => recordOf("variables", step, lockFinding(name, isLocked, evidence))),
  ];
}

function valueFinding(name: string, expected: { value: unknown; path?: string }, { variables }: Evidence): Finding {
  if (!Object.hasOwn(variables, name)) return `${name} (not set), expected ${shown(expected.value)}`;
  const addressed = expected.path === undefined ? name : `${name}.${expected.path}`;
  const value = expected.path === undefined ? variables[name]!.value : valueAt(variables[name]!.value, expected.path);
  if (value === undefined) return `${addressed} leads nowhere in ${shown(variables[name]!.value)}`;
  if (sameJson(value, expected.value)) return null;
  return `${addressed} is ${shown(value)}, expected ${shown(expected.value)}`;
}

function valueAt(value: unknown, path: string): unknown {
  const parsed = parseValuePath(path);
  return parsed.ok ? descend(value, parsed.segments) : undefined;
}

function lockFinding(name: string, expected: boolean, { variables }: Evidence): Finding {
  if (!Object.hasOwn(variables, name)) return `${name} (not set), expected it ${expected ? "locked" : "unlocked"}`;
  if (variables[name]!.locked === expected) return null;
  return `${name} is ${expected ? "not locked" : "locked"}`;
}

/** Deep equality of JSON values, whatever the order of keys. */
function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [ours, theirs] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = Object.keys(ours);
  return (
    keys.length === Object.keys(theirs).length &&
    keys.every((key) => Object.hasOwn(theirs, key) && sameJson(ours[key], theirs[key]))
  );
}
