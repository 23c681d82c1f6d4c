/** What a host sets around calls, made anew by each process: a begun call that is decided twice in one would show it, and so would an end of the world that middleware takes for an answer. */
import { ToolMessage } from "@langchain/core/messages";
import type { ExtensionOptions } from "../../lib/extensions/types.js";

export function guards(): ExtensionOptions {
  const asked = new Map<string, number>();
  const timesAsked = (id: string | undefined) => {
    const times = (asked.get(id ?? "") ?? 0) + 1;
    asked.set(id ?? "", times);
    return times;
  };
  return {
    guardrails: [async ({ args }) => (args.who === "Mallory" ? "nobody rings Mallory" : "allow")],
    hooks: {
      beforeTool: async ({ name, args, id }) => {
        if (name === "note_down") return { args: { text: `${args.text}, asked ${timesAsked(id)}` } };
        return name === "look_up" ? { result: { answer: "sun" } } : undefined;
      },
      afterTool: async ({ name, result }) => (name === "ring_up" ? { result: `${result} after` } : undefined),
    },
    middleware: [
      {
        name: "stamp",
        async wrapToolCall(request, next) {
          const message = await next(request).catch(
            ({ message: content }) => new ToolMessage({ content, status: "error", tool_call_id: request.id }),
          );
          message.content = `${message.content} stamped`;
          return message;
        },
      },
    ],
  };
}
