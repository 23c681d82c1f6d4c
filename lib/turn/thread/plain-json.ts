/** The closed set of shapes that may be stored: plain JSON, and the graph's own packets. Anything else is refused by name before anything is written. */
import { Send } from "@langchain/langgraph";
import { UnstorableStateError } from "../../session/errors.js";

/** JSON text of a value that is plain JSON all the way down. @throws {UnstorableStateError} naming path and kind */
export function plainJson(value: unknown, path = "state"): string {
  assertPlain(value, path, new Set());
  return JSON.stringify(value);
}

function assertPlain(value: unknown, path: string, above: Set<object>): void {
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number") {
    if (Number.isFinite(value)) return;
    throw new UnstorableStateError(path, String(value));
  }
  if (value instanceof Send) {
    assertPlain(value.args, `${path}.args`, above);
    return;
  }
  if (typeof value !== "object") throw new UnstorableStateError(path, typeof value);
  if (above.has(value)) throw new UnstorableStateError(path, "a cycle");
  above.add(value);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) assertPlain(item, `${path}[${index}]`, above);
  } else {
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype) {
      throw new UnstorableStateError(path, `an instance of ${prototype.constructor?.name ?? "a class"}`);
    }
    for (const [key, item] of Object.entries(value)) {
      if (item !== undefined) assertPlain(item, `${path}.${key}`, above);
    }
  }
  above.delete(value);
}
