/** Replies, and readings of what a turn left, that the tests of turns share. */
import { afterEach } from "vitest";
import type { Agent } from "../../lib/agent.js";
import type { EngineEvent, EventType } from "../../lib/session/events.js";
import { isRuntimeNote, type StoredMessage } from "../../lib/session/messages.js";
import { aBench, aPlainBench, type Bench, type BenchOptions } from "../harness/agent.js";
import type { RecordedRequest, ServerReply } from "../model-server/index.js";

type Args = Record<string, unknown>;

/** Opens benches that are closed after the test that opened them. */
export const benches = () => opening(aBench);

/** The same of plain agents. */
export const plainBenches = () => opening(aPlainBench);

function opening<A extends Agent>(make: (options: BenchOptions) => Promise<Bench<A>>) {
  const open: Bench<A>[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((bench) => bench.close()));
  });
  return async (options: BenchOptions): Promise<Bench<A>> => {
    const bench = await make(options);
    open.push(bench);
    return bench;
  };
}

export function says(text: string): ServerReply {
  return { text };
}

/** One message that makes these calls, in order: `[name, arguments, id?]`. */
export function calls(...made: [name: string, args?: Args, id?: string][]): ServerReply {
  return {
    toolCalls: made.map(([name, args = {}, id]) => ({ name, args, ...(id === undefined ? {} : { id }) })),
  };
}

export function advance(to: string, more: Args = {}): ServerReply {
  return calls(["archmax_advance", { to, reason: `on to ${to}`, ...more }]);
}

export function setting(variables: Args, lock?: boolean): [string, Args] {
  return ["archmax_set_variables", { variables, ...(lock === undefined ? {} : { lock }) }];
}

export interface Result {
  tool: string | undefined;
  text: string;
  status: "success" | "error";
  refusal?: string;
}

/** What the calls of a session were answered, in order, notes left out. */
export function results({ messages }: { messages: readonly StoredMessage[] }): Result[] {
  return messages
    .filter((message) => message.role === "tool" && !isRuntimeNote(message))
    .map(({ name, content, status, additional_kwargs }) => {
      const refusal = additional_kwargs?.archmax?.refusal;
      return { tool: name, text: content, status: status ?? "success", ...(refusal ? { refusal } : {}) };
    });
}

/** The texts of a session's runtime notes, in order. */
export function notes({ messages }: { messages: readonly StoredMessage[] }): string[] {
  return messages
    .filter((message) => isRuntimeNote(message) && message.role !== "assistant")
    .map((message) => message.content);
}

export function ofType<T extends EventType>(
  events: readonly EngineEvent[],
  type: T,
): Extract<EngineEvent, { type: T }>[] {
  return events.filter((event): event is Extract<EngineEvent, { type: T }> => event.type === type);
}

/** The types of the events, in order; only the named ones where names are given. */
export function types(events: readonly EngineEvent[], ...only: EventType[]): EventType[] {
  return events.map((event) => event.type).filter((type) => only.length === 0 || only.includes(type));
}

/** The system text of one request: static and volatile block. */
export function system(request: RecordedRequest | undefined): string {
  const message = request?.body.messages.find(({ role }) => role === "system" || role === "developer");
  const content = message?.content;
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? "").join("\n\n") : "";
}

/** The system text cut where the volatile block begins, at its clock line. */
export function blocks(request: RecordedRequest | undefined): { fixed: string; volatile: string } {
  const text = system(request);
  const at = text.search(/(?<=\n\n)It is [A-Z][a-z]+day, \d{4}-/);
  return { fixed: text.slice(0, at), volatile: text.slice(at) };
}

/** Names of the tools a request offers, in order. */
export function offered(request: RecordedRequest | undefined): string[] {
  return (request?.body.tools ?? []).map((tool) => tool.function.name);
}
