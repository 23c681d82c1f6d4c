/**
 * What a model was asked, free of what changes from run to run: what a cassette is keyed by. Two requests with the same
 * normal form are the same question.
 */
import { createHash } from "node:crypto";
import type { AttachedPicture, ModelRequest, ModelRole } from "../../models/types.js";
import type { StoredMessage } from "../../session/messages.js";

export interface NormalCall {
  name: string;
  args: Record<string, unknown>;
}

export type NormalMessage =
  | { user: string }
  /** `assistant` is empty where the model only called tools. */
  | { assistant: string; calls?: NormalCall[] }
  | { tool: string; text: string; status?: "error"; picture?: string };

export interface NormalRequest {
  role: ModelRole;
  /** The id the workflow asks for; absent where it leaves the choice to the environment. */
  model?: string;
  /** What is the same in every call of a session, then what changes; an empty part is left out. */
  system: string[];
  /** `<name> <fingerprint of description and parameters>`, in the order they are offered. */
  tools: string[];
  messages: NormalMessage[];
}

/** What is known of the run that a request belongs to. */
export interface RunFacts {
  sessionId: string;
  /** The case pins the time that is stated to the model (C-12); otherwise that line says something else every day. */
  clockPinned: boolean;
}

export function normalRequest(role: ModelRole, asked: string | undefined, request: ModelRequest, run: RunFacts) {
  const text = (value: string) => normalText(value, run);
  const { system, preface = [], tools, messages, pictures } = request;
  const normal: NormalRequest = {
    role,
    ...(asked === undefined ? {} : { model: asked }),
    system: [system.static, system.volatile, ...preface].filter((part) => part !== "").map(text),
    tools: tools.map(({ name, ...definition }) => `${name} ${fingerprint(definition)}`),
    messages: messages.map((message) => normalMessage(message, text, pictures?.get(message.id))),
  };
  return normal;
}

/** The answer as the transcript of a later request holds it. */
export function answerMessage(
  { text, calls }: { text: string; calls: readonly NormalCall[] },
  run: RunFacts,
): NormalMessage {
  return assistantMessage(text, calls, (value) => normalText(value, run));
}

function normalMessage(
  message: StoredMessage,
  text: (value: string) => string,
  picture: AttachedPicture | undefined,
): NormalMessage {
  const { role, content } = message;
  if (role === "user") return { user: text(content) };
  if (role === "assistant") return assistantMessage(content, message.tool_calls ?? [], text);
  return {
    tool: message.name ?? "",
    text: text(content),
    ...(message.status === "error" ? { status: "error" as const } : {}),
    ...(picture === undefined ? {} : { picture: `${picture.text} ${fingerprint(picture.base64 ?? "")}` }),
  };
}

function assistantMessage(
  content: string,
  calls: readonly NormalCall[],
  text: (value: string) => string,
): NormalMessage {
  const called = calls.map(({ name, args }) => ({ name, args: textsIn(args, text) as NormalCall["args"] }));
  return { assistant: text(content), ...(called.length > 0 ? { calls: called } : {}) };
}

function textsIn(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((item) => textsIn(item, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, textsIn(item, text)]));
}

/** A recorded instant is real whatever the case's clock says (C-12). */
const INSTANT = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})/g;
/** W-265. */
const CLOCK_LINE = /^It is [A-Z][a-z]+, \d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC, rounded down to ten minutes\..*$/gm;

function normalText(text: string, { sessionId, clockPinned }: RunFacts): string {
  const lines = text.replace(/\r\n?/g, "\n").replaceAll(sessionId, "<session>").replace(INSTANT, "<time>");
  return clockPinned ? lines : lines.replace(CLOCK_LINE, "It is <now>.");
}

/** Twelve hexadecimal digits that are the same for the same value, whatever the order of its keys. */
function fingerprint(value: unknown): string {
  return createHash("sha256").update(sortedJson(value)).digest("hex").slice(0, 12);
}

/** JSON with the keys of every object in code-unit order. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : item,
  );
}

/** The request as text, a line for a line of it: what is compared, and what a difference is shown in. */
export function requestText({ role, model, system, tools, messages }: NormalRequest): string {
  const parts = [
    `role: ${role}`,
    ...(model === undefined ? [] : [`model: ${model}`]),
    ...system.flatMap((part) => ["", "[system]", part]),
    ...(tools.length > 0 ? ["", "[tools]", ...tools] : []),
    ...messages.flatMap((message) => ["", ...messageLines(message)]),
  ];
  return `${parts.join("\n")}\n`;
}

export function sameMessage(a: NormalMessage, b: NormalMessage): boolean {
  return messageLines(a).join("\n") === messageLines(b).join("\n");
}

function messageLines(message: NormalMessage): string[] {
  if ("user" in message) return ["[user]", message.user];
  if ("assistant" in message) {
    const calls = (message.calls ?? []).map(({ name, args }) => `→ ${name} ${sortedJson(args)}`);
    return ["[assistant]", ...(message.assistant === "" ? [] : [message.assistant]), ...calls];
  }
  const { tool, text, status, picture } = message;
  return [
    `[tool ${tool}${status === undefined ? "" : `, ${status}`}]`,
    text,
    ...(picture === undefined ? [] : [picture]),
  ];
}
