/** Which reply of a script answers a request. */
import { ModelScriptExhaustedError } from "./errors.js";
import type { ModelScript, ScriptCondition, ScriptReply } from "./script-file.js";
import type { ModelRole } from "./types.js";

/** What a script sees of a request, in no provider's shape. */
export interface ScriptView {
  role: ModelRole;
  /** The whole system prompt. */
  system: string;
  messages: readonly ScriptMessage[];
}

export interface ScriptMessage {
  role: "user" | "assistant" | "tool";
  text: string;
  /** Names of the tools an assistant message calls. */
  calls?: readonly string[];
  /** On tool messages: the tool that answers, where the request says so. */
  tool?: string;
}

/** Chooses the reply of a request. A queue remembers what it has given out; a conditional script remembers nothing. */
export type ReplyChooser = (view: ScriptView) => ScriptReply;

/** @throws {ModelScriptExhaustedError} from the chooser, when no reply is left or none fits */
export function replyChooser(script: ModelScript): ReplyChooser {
  return script.kind === "queue" ? queueOf(script) : (view) => firstFitting(script, view);
}

function queueOf(script: ModelScript): ReplyChooser {
  const used = new Map<ModelRole, number>();
  return ({ role }) => {
    const replies = script.replies.filter((reply) => reply.role === role);
    const next = used.get(role) ?? 0;
    const reply = replies[next];
    if (reply === undefined) throw new ModelScriptExhaustedError(script.file, role, replies.length, `call ${next + 1}`);
    used.set(role, next + 1);
    return reply;
  };
}

/**
 * Depends on the request alone, so a call repeated after a crash gets the same reply, and another process goes on where
 * the transcript stands.
 */
function firstFitting(script: ModelScript, view: ScriptView): ScriptReply {
  const facts = factsOf(view);
  const replies = script.replies.filter((reply) => reply.role === view.role);
  const reply = replies.find(({ when }) => when === undefined || fits(when, facts));
  if (reply !== undefined) return reply;
  const where = facts.state === undefined ? (facts.parked ? "parked" : "no state") : `state ${facts.state}`;
  const asked = `${where}, call ${facts.call}, step ${facts.step}${facts.after.length > 0 ? `, after ${facts.after.join(" and ")}` : ""}`;
  throw new ModelScriptExhaustedError(script.file, view.role, replies.length, asked);
}

interface Facts {
  state: string | undefined;
  parked: boolean;
  call: number;
  step: number;
  last: string;
  after: readonly string[];
}

function fits(when: ScriptCondition, facts: Facts): boolean {
  return (
    (when.state === undefined || when.state === facts.state) &&
    (when.parked === undefined || when.parked === facts.parked) &&
    (when.call === undefined || when.call === facts.call) &&
    (when.step === undefined || when.step === facts.step) &&
    (when.contains === undefined || facts.last.includes(when.contains)) &&
    (when.after === undefined || facts.after.includes(when.after))
  );
}

const NOTE_TOOL = "archmax_note";

function factsOf(view: ScriptView): Facts {
  // A grader's system text is its criteria; where it stands is said in its task.
  const state = stateOf(view.role === "grader" ? (view.messages[0]?.text ?? "") : view.system);
  const spoken = view.messages.map((message) => isAgents(message));
  const call = 1 + spoken.filter(Boolean).length;
  const arrival = view.messages.findLastIndex((message) => message.role === "user" || isNote(message));
  const step = 1 + spoken.filter((agents, index) => agents && index > arrival).length;
  const last = view.messages.findLast((message) => message.role !== "assistant")?.text ?? "";
  const lastSpoken = spoken.lastIndexOf(true);
  const after = lastSpoken > arrival ? (view.messages[lastSpoken]?.calls ?? []) : [];
  return { state, parked: state === undefined && view.role === "agent", call, step, last, after };
}

/** The prompt names the state in a heading (W-264); the block with it stands last, behind whatever the host wrote. */
function stateOf(text: string): string | undefined {
  return [...text.matchAll(/^## You are in state `?([^`\s]+)`?\s*$/gm)].at(-1)?.[1];
}

function isNote(message: ScriptMessage): boolean {
  return message.role === "assistant" && (message.calls ?? []).includes(NOTE_TOOL);
}

function isAgents(message: ScriptMessage): boolean {
  return message.role === "assistant" && !isNote(message);
}
