/** The closed set of shapes that may be stored: plain JSON. Anything else is refused by name before anything is written. */
import { UnstorableStateError } from "../errors.js";

export interface PlainJsonOptions {
  /** Where the value stands, for the error. */
  path?: string;
  /** What is to be looked at in place of an object that writes itself as JSON; undefined for every other object. */
  contentOf?: (value: object) => { name: string; content: unknown } | undefined;
}

/** JSON text of a value that is plain JSON all the way down. @throws {UnstorableStateError} naming path and kind */
export function plainJson(
  value: unknown,
  { path = "state", contentOf = () => undefined }: PlainJsonOptions = {},
): string {
  assertPlain(value, path, { above: new Set(), contentOf });
  return JSON.stringify(value);
}

interface Walk {
  above: Set<object>;
  contentOf: NonNullable<PlainJsonOptions["contentOf"]>;
}

function assertPlain(value: unknown, path: string, walk: Walk): void {
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number") {
    if (Number.isFinite(value)) return;
    throw new UnstorableStateError(path, String(value));
  }
  if (typeof value !== "object") throw new UnstorableStateError(path, typeof value);
  const held = walk.contentOf(value);
  if (held) {
    assertPlain(held.content, `${path}.${held.name}`, walk);
    return;
  }
  if (walk.above.has(value)) throw new UnstorableStateError(path, "a cycle");
  walk.above.add(value);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) assertPlain(item, `${path}[${index}]`, walk);
  } else {
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype) {
      throw new UnstorableStateError(path, `an instance of ${prototype.constructor?.name ?? "a class"}`);
    }
    for (const [key, item] of Object.entries(value)) {
      if (item !== undefined) assertPlain(item, `${path}.${key}`, walk);
    }
  }
  walk.above.delete(value);
}
