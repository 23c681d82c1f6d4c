/**
 * Tool calls as a model really wrote them. The provider packages mend cut-off JSON while streaming, which would hand half
 * an argument to a tool; so the calls are put together from their fragments here, and read strictly (F-64, F-65).
 */
import { NOTE_CALL_PREFIX, type ToolCall } from "../session/messages.js";
import type { InvalidCall, ModelRequest } from "./types.js";

/** One call before it is checked. `args` is JSON text, or a value where the provider parsed it already. */
export interface RawCall {
  id?: string;
  name?: string;
  args: unknown;
}

export interface CallFragment {
  index?: number;
  id?: string;
  name?: string;
  args?: string;
}

/** Puts streamed fragments together. A fragment belongs to the open call of its index, unless it brings another id. */
export class CallAssembler {
  readonly #calls: { id?: string; name?: string; parts: string[] }[] = [];
  readonly #open = new Map<number, number>();

  add(fragment: CallFragment): void {
    const open = fragment.index === undefined ? this.#continued(fragment) : this.#open.get(fragment.index);
    const call = open === undefined ? undefined : this.#calls[open];
    const other = call?.id && fragment.id && call.id !== fragment.id;
    if (call === undefined || other) {
      this.#calls.push({ id: fragment.id, name: fragment.name, parts: [fragment.args ?? ""] });
      if (fragment.index !== undefined) this.#open.set(fragment.index, this.#calls.length - 1);
      return;
    }
    call.id ||= fragment.id;
    // Some endpoints repeat the whole name in every fragment, none splits it.
    call.name ||= fragment.name;
    call.parts.push(fragment.args ?? "");
  }

  finish(): RawCall[] {
    return this.#calls.map(({ id, name, parts }) => ({ id, name, args: parts.join("") }));
  }

  /** Without an index, a fragment that names no tool can only continue the last call. */
  #continued(fragment: CallFragment): number | undefined {
    return fragment.name || fragment.id || this.#calls.length === 0 ? undefined : this.#calls.length - 1;
  }
}

/**
 * Calls with unique ids and object arguments, and the list of those that must not run.
 *
 * @param taken - ids of the request's history; missing and repeated ids are replaced by `<messageId>-<n>` (F-66)
 * @param cutOff - the answer ended at its token limit
 */
export function checkCalls(
  raw: readonly RawCall[],
  context: { messageId: string; taken: Iterable<string>; cutOff: boolean },
): { calls: ToolCall[]; invalid: InvalidCall[] } {
  const used = new Set(context.taken);
  const invalid: InvalidCall[] = [];
  const calls = raw.map((call, index) => {
    const id = uniqueId(call.id, `${context.messageId}-`, index + 1, used);
    used.add(id);
    const read = readArguments(call.args, context.cutOff && index === raw.length - 1);
    if (!call.name) invalid.push({ callId: id, problem: "The call names no tool." });
    else if (read.problem !== undefined) invalid.push({ callId: id, problem: read.problem });
    return { id, name: call.name || "unnamed", args: read.args };
  });
  return { calls, invalid };
}

/** Ids that no call of the answer may have (F-66). */
export function takenCallIds({ messages, takenCallIds }: Pick<ModelRequest, "messages" | "takenCallIds">): string[] {
  const sent = messages.flatMap((message) => (message.tool_calls ?? []).map((call) => call.id));
  return [...sent, ...(takenCallIds ?? [])];
}

function uniqueId(id: string | undefined, prefix: string, position: number, used: ReadonlySet<string>): string {
  if (typeof id === "string" && id.trim() !== "" && !used.has(id) && !id.startsWith(NOTE_CALL_PREFIX)) return id;
  let n = position;
  while (used.has(`${prefix}${n}`)) n++;
  return `${prefix}${n}`;
}

function readArguments(args: unknown, mayBeCutOff: boolean): { args: Record<string, unknown>; problem?: string } {
  const read = objectOf(args, mayBeCutOff);
  return holdsPrototypeKey(read.args) ? { args: {}, problem: PROTOTYPE_KEY } : read;
}

const PROTOTYPE_KEY = "The arguments hold a member called `__proto__`, which no tool takes. The call did not run.";

/** Copied by assignment anywhere, such a member would become the object's prototype: there for a tool, not for the rules. */
function holdsPrototypeKey(args: Record<string, unknown>): boolean {
  return JSON.stringify(args).includes('"__proto__":');
}

function objectOf(args: unknown, mayBeCutOff: boolean): { args: Record<string, unknown>; problem?: string } {
  // What the provider has parsed no longer tells whether it was whole.
  if (isObject(args)) return mayBeCutOff ? { args: {}, problem: CUT_OFF } : { args };
  if (args === undefined || args === null || (typeof args === "string" && args.trim() === "")) {
    return mayBeCutOff ? { args: {}, problem: CUT_OFF } : { args: {} };
  }
  const value = typeof args === "string" ? parsed(args) : { value: args };
  if (value === undefined) {
    const problem = mayBeCutOff ? CUT_OFF : "The arguments are not valid JSON. The call did not run; write them again.";
    return { args: {}, problem };
  }
  if (isObject(value.value)) return { args: value.value };
  return {
    args: {},
    problem: `The arguments must be a JSON object, not ${kindOf(value.value)}. The call did not run.`,
  };
}

const CUT_OFF =
  "The answer reached its token limit in the middle of this call's arguments. The call did not run; call again with less.";

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}
