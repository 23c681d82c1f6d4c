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
  const found = problemIn(value, { above: [], contentOf });
  if (found) throw new UnstorableStateError(`${path}${found.path}`, found.kind);
  return JSON.stringify(value);
}

interface Walk {
  above: object[];
  contentOf: NonNullable<PlainJsonOptions["contentOf"]>;
}

/** What is not plain JSON. Its path is put together on the way back: all that every step stores is looked through. */
interface Problem {
  path: string;
  kind: string;
}

function problemIn(value: unknown, walk: Walk): Problem | null {
  if (value === null || typeof value === "string" || typeof value === "boolean") return null;
  if (typeof value === "number") return Number.isFinite(value) ? null : { path: "", kind: String(value) };
  if (typeof value !== "object") return { path: "", kind: typeof value };
  const held = walk.contentOf(value);
  if (held) return below(`.${held.name}`, problemIn(held.content, walk));
  if (walk.above.includes(value)) return { path: "", kind: "a cycle" };
  walk.above.push(value);
  const found = Array.isArray(value) ? problemInItems(value, walk) : problemInFields(value, walk);
  walk.above.pop();
  return found;
}

function problemInItems(items: readonly unknown[], walk: Walk): Problem | null {
  for (let index = 0; index < items.length; index += 1) {
    const found = problemIn(items[index], walk);
    if (found) return below(`[${index}]`, found);
  }
  return null;
}

function problemInFields(value: object, walk: Walk): Problem | null {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) {
    return { path: "", kind: `an instance of ${prototype.constructor?.name ?? "a class"}` };
  }
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    const found = item === undefined ? null : problemIn(item, walk);
    if (found) return below(`.${key}`, found);
  }
  return null;
}

function below(step: string, found: Problem | null): Problem | null {
  return found && { path: `${step}${found.path}`, kind: found.kind };
}
