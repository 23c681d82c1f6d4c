/** A host tool's result as the answer's text. */

/** A string as it is, nothing as the empty text, anything else as its JSON. */
export function textOfResult(result: unknown): string {
  if (typeof result === "string") return result;
  const value = isToolMessage(result) ? result.content : result;
  if (typeof value === "string") return value;
  return JSON.stringify(value) ?? "";
}

/** LangChain tools may answer with a whole message; its content is the result. */
function isToolMessage(result: unknown): result is { content: unknown } {
  return (
    typeof result === "object" &&
    result !== null &&
    "content" in result &&
    "tool_call_id" in result &&
    "lc_namespace" in result
  );
}
