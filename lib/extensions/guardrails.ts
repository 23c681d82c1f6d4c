/** Asking a session's guardrails about one call (A-8…A-11). */
import type { Guardrail, GuardrailCall } from "./types.js";

/**
 * The first denial's reason, which ends the evaluation; null where every guardrail permits. They see a deep-frozen copy of
 * the arguments.
 *
 * @param run - runs a guardrail; what it throws is what `isFatal` looks at
 * @param isFatal - whether a failure is the turn's own end and no word of the guardrail's: it is thrown on
 */
export async function firstDenial(
  guardrails: readonly Guardrail[],
  call: GuardrailCall,
  { run = (ask) => ask(), isFatal = () => false }: AskOptions = {},
): Promise<string | null> {
  const shown = { ...call, args: frozenCopy(call.args) };
  for (const guardrail of guardrails) {
    let said: unknown;
    try {
      said = await run(async () => guardrail(shown));
    } catch (error) {
      if (isFatal(error)) throw error;
      return errorReason(error);
    }
    const denial = denialOf(said);
    if (denial !== null) return denial;
  }
  return null;
}

export interface AskOptions {
  run?(ask: () => Promise<unknown>): Promise<unknown>;
  isFatal?(error: unknown): boolean;
}

/** `undefined`, the empty text and the very word permit. */
function denialOf(said: unknown): string | null {
  if (said === undefined || said === "" || said === "allow") return null;
  if (typeof said === "string") return said;
  const found =
    said === null
      ? "null"
      : Array.isArray(said)
        ? "a list"
        : typeof said === "object"
          ? "an object"
          : `a ${typeof said}`;
  return errorReason(`it returned ${found}, and it may return nothing, "allow" or a reason`);
}

/** */
function errorReason(error: unknown): string {
  return `guardrail error: ${error instanceof Error ? error.message : String(error)}`;
}

/** A copy that nobody can change: what a host's code does to it reaches no call. */
export function frozenCopy<T>(value: T): T {
  return frozen(structuredClone(value));
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
