/** The message of a turn (R-13, H-59). */
import type { Machine } from "../../machine/types.js";
import { resolveDottedPath } from "../../spec/index.js";

/** The message given, else the text at the trigger's `message` path; undefined when neither says anything. */
export function messageOf(
  machine: Machine,
  trigger: string,
  input: { message?: string; variables?: Record<string, unknown> },
): string | undefined {
  if (input.message !== undefined && input.message.trim() !== "") return input.message;
  const path = machine.triggers.get(trigger)?.message;
  if (typeof path !== "string") return undefined;
  const found = resolveDottedPath(path, input.variables ?? {});
  return typeof found === "string" && found.trim() !== "" ? found : undefined;
}
