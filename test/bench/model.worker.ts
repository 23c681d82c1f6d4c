/** The scripted model as a process of its own: prints the URL of an OpenAI-compatible endpoint and serves until it is ended. */
import { type ChatRequest, type ServerReply, startModelServer } from "../model-server/index.js";
import { ANSWER, ROUNDS, TOOL } from "./work.js";

const server = await startModelServer({
  handler: ({ body }, ordinal) => {
    server.requests.length = 0;
    return replyTo(body, ordinal);
  },
});
console.log(server.url);
process.on("disconnect", () => process.exit());

/** The round is read from the request, so any number of conversations may go on at once. */
function replyTo({ messages }: ChatRequest, ordinal: number): ServerReply {
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const round = messages.slice(messages.findLastIndex(({ role }) => role === "user")).filter(isAnswer).length + 1;
  if (round > ROUNDS) return { text: ANSWER, usage };
  return { toolCalls: [{ id: `call_${ordinal}`, name: TOOL, args: { part: `part ${round}` } }], usage };
}

function isAnswer({ role }: ChatRequest["messages"][number]): boolean {
  return role === "tool";
}
