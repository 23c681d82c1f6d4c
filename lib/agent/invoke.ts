/** `agent.invoke`: a turn asked for with messages, as LangGraph's agents are (H-47, H-48). */
import type { HistoryMessage } from "../session/input.js";
import type { Outcome } from "../session/outcome.js";
import { InvalidMessagesError, MissingThreadIdError } from "./errors.js";
import type { Turns } from "./turns.js";
import type { InvokeConfig, InvokeInput, InvokeMessage, InvokeResult } from "./types.js";

export type Invoked = Parameters<Turns["run"]>;

/**
 * What `run` is to be called with.
 *
 * @throws {InvalidMessagesError} @throws {MissingThreadIdError}
 */
export function invocation(input: InvokeInput, config: InvokeConfig | undefined): Invoked {
  const options: Partial<InvokeConfig> = config ?? {};
  const sessionId = options.configurable?.thread_id;
  if (typeof sessionId !== "string") throw new MissingThreadIdError();
  const said = saidIn(input?.messages);
  const { trigger, variables } = input;
  return [
    sessionId,
    {
      input: {
        kind: "turn",
        opensOnly: true,
        message: said.at(-1)!.content,
        ...(said.length > 1 ? { history: said.slice(0, -1) } : {}),
        ...(trigger !== undefined ? { trigger: trigger.id } : {}),
        ...(variables !== undefined ? { variables } : {}),
      },
    },
    options,
  ];
}

export function resultOf(outcome: Outcome): InvokeResult {
  const { messages, status, state, pending } = outcome;
  return {
    messages,
    status,
    ...(state !== undefined ? { workflowState: state } : {}),
    ...(pending?.channel === "decision" ? { pendingDecision: pending } : {}),
    ...(pending?.channel === "input" ? { pendingInput: pending } : {}),
  };
}

/** The messages as text with who said it, the last one the user's. @throws {InvalidMessagesError} */
function saidIn(given: InvokeInput["messages"]): HistoryMessage[] {
  const list = typeof given === "string" || !isList(given) ? [given] : given;
  const said = list.map(saidBy);
  if (said.at(-1)?.role !== "user") throw new InvalidMessagesError("the last message must be the user's");
  const empty = said.slice(0, -1).findIndex(({ content }) => content.trim() === "");
  if (empty >= 0) throw new InvalidMessagesError(`message ${empty + 1} says nothing`);
  return said;
}

function isList(given: InvokeInput["messages"]): given is readonly InvokeMessage[] {
  // A pair of role and text is one message.
  return Array.isArray(given) && !(given.length === 2 && typeof given[0] === "string" && typeof given[1] === "string");
}

function saidBy(message: InvokeMessage, index: number): HistoryMessage {
  const at = `message ${index + 1}`;
  if (typeof message === "string") return { role: "user", content: message };
  const spoken = Array.isArray(message) ? { role: message[0], content: message[1] } : message;
  if (typeof spoken !== "object" || spoken === null) throw new InvalidMessagesError(`${at} is no message`);
  const role = ROLES.get(typeOf(spoken));
  if (!role) throw new InvalidMessagesError(`${at} is neither the user's nor the assistant's`);
  if (calls(spoken)) throw new InvalidMessagesError(`${at} calls tools; earlier answers must be text`);
  const content = textOf("content" in spoken ? spoken.content : undefined);
  if (content === null) throw new InvalidMessagesError(`${at} is not text`);
  return { role, content };
}

const ROLES: ReadonlyMap<string, HistoryMessage["role"]> = new Map([
  ["user", "user"],
  ["human", "user"],
  ["assistant", "assistant"],
  ["ai", "assistant"],
]);

function typeOf(message: object): string {
  if ("getType" in message && typeof message.getType === "function") return String(message.getType());
  if ("role" in message) return String(message.role);
  return "type" in message ? String(message.type) : "";
}

/** Also as a provider's own record has them. */
function calls(message: object): boolean {
  const { tool_calls, additional_kwargs } = message as { tool_calls?: unknown; additional_kwargs?: object | null };
  return [tool_calls, (additional_kwargs as { tool_calls?: unknown } | null | undefined)?.tool_calls].some(
    (made) => Array.isArray(made) && made.length > 0,
  );
}

/** Null for content that text alone cannot stand for. */
function textOf(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  const parts = content.map((part: unknown) =>
    typeof part === "object" && part !== null && "type" in part && part.type === "text" && "text" in part
      ? String(part.text)
      : null,
  );
  return parts.includes(null) ? null : parts.join("");
}
