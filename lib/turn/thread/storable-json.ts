/** What a thread may hold beside plain JSON: the graph's own packets, which write themselves as JSON. */
import { Send } from "@langchain/langgraph";
import { plainJson } from "../../session/thread/plain-json.js";

/** JSON text of what a checkpoint or a task's writes hold. @throws {UnstorableStateError} naming path and kind */
export function storableJson(value: unknown): string {
  return plainJson(value, {
    contentOf: (held) => (held instanceof Send ? { name: "args", content: held.args } : undefined),
  });
}
