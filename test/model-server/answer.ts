/** Answers in the protocol's two forms: one JSON body, or a stream of fragments. */
import type { ServerCall, ServerReply } from "./reply.js";

/** Small enough that a name stays whole and arguments come in several pieces. */
const FRAGMENT = 7;

export function wholeAnswer(reply: ServerReply, asked: string, ordinal: number): Record<string, unknown> {
  const calls = (reply.toolCalls ?? []).map((call, index) => ({
    ...idOf(call, ordinal, index),
    type: "function",
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
  return {
    id: `chatcmpl-${ordinal}`,
    object: "chat.completion",
    created: 0,
    model: reply.model ?? asked,
    choices: [
      {
        index: 0,
        message: {
          ...roleOf(reply),
          content: reply.text ?? null,
          ...(calls.length > 0 && { tool_calls: calls }),
          ...reply.extra,
        },
        finish_reason: finishOf(reply),
      },
    ],
    ...(reply.usage && { usage: reply.usage }),
    ...reply.extra,
  };
}

/** The stream's `data:` objects, in order, without the closing `[DONE]`. */
export function streamedAnswer(
  reply: ServerReply,
  asked: string,
  ordinal: number,
  withUsage: boolean,
): Record<string, unknown>[] {
  const chunk = (choices: unknown[], rest: Record<string, unknown> = {}) => ({
    id: `chatcmpl-${ordinal}`,
    object: "chat.completion.chunk",
    created: 0,
    model: reply.model ?? asked,
    choices,
    ...reply.extra,
    ...rest,
  });
  const delta = (fields: Record<string, unknown>) => chunk([{ index: 0, delta: fields, finish_reason: null }]);
  const events = [delta({ ...roleOf(reply), content: "" })];
  for (const piece of pieces(reply.text ?? "")) events.push(delta({ content: piece, ...reply.extra }));
  for (const [index, call] of (reply.toolCalls ?? []).entries()) {
    const head = {
      index,
      ...idOf(call, ordinal, index),
      type: "function",
      function: { name: call.name, arguments: "" },
    };
    events.push(delta({ tool_calls: [head] }));
    for (const piece of pieces(argumentsOf(call))) {
      events.push(delta({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }
  events.push(chunk([{ index: 0, delta: {}, finish_reason: finishOf(reply) }]));
  if (withUsage && reply.usage) events.push(chunk([], { usage: reply.usage }));
  return events;
}

function roleOf(reply: ServerReply): { role?: string } {
  return reply.role === null ? {} : { role: reply.role ?? "assistant" };
}

function idOf(call: ServerCall, ordinal: number, index: number): { id?: string } {
  return call.id === null ? {} : { id: call.id ?? `call_${ordinal}_${index + 1}` };
}

function argumentsOf(call: ServerCall): string {
  return typeof call.args === "string" ? call.args : JSON.stringify(call.args ?? {});
}

function finishOf(reply: ServerReply): string {
  return reply.finishReason ?? ((reply.toolCalls ?? []).length > 0 ? "tool_calls" : "stop");
}

function pieces(text: string): string[] {
  const points = [...text];
  return Array.from({ length: Math.ceil(points.length / FRAGMENT) }, (_, index) =>
    points.slice(index * FRAGMENT, (index + 1) * FRAGMENT).join(""),
  );
}
