/**
 * The control tools as they are offered to a model or a script, and the check of their arguments. What an accepted call
 * does is decided elsewhere.
 */
import { z } from "zod";
import { filledText, type ParsedArguments, parametersOf, parseArguments } from "./arguments.js";
import type { ToolDefinition } from "./types.js";

const MAX_CODE_CHARS = 64;

const advance = z.object({
  to: filledText().describe("The state to go to: one of the transitions shown."),
  reason: filledText().describe("Why this way, in a sentence; it is kept in the trail."),
  evidence: z
    .array(z.string())
    .optional()
    .describe("Paths of files a person should see. Only when the target is decided by a person; at most 20."),
});

const reset = z.object({ reason: filledText().describe("Why the work starts over.") });

const wait = z.object({
  reason: filledText().describe("What is waited for; a person reads it."),
  until: z
    .string()
    .optional()
    .describe("When to go on at the latest: a span (30m, 2h, 1d) or a date or date-time, UTC without an offset."),
});

const raise = z.object({
  code: z
    .string()
    .refine((code) => code.trim() !== "", "must not be blank")
    .refine((code) => [...code.trim()].length <= MAX_CODE_CHARS, `must have at most ${MAX_CODE_CHARS} characters`)
    .refine((code) => !/[\n\r\u0085\u2028\u2029]/.test(code.trim()), "must be one line")
    .describe("A short name for the failure, as `customer-unreachable`."),
  reason: filledText().describe("What went wrong, in a sentence."),
});

const getVariables = z.object({
  name: z.string().optional().describe("One variable; without it, all."),
  path: z.string().optional().describe("A dotted path inside its value, as `items.0.price`."),
});

const setVariables = z.object({
  variables: z.record(z.string(), z.unknown()).describe("Names and values; a value is any JSON."),
  lock: z.boolean().optional().describe("Keep the values from being changed until a reset."),
});

const getHistory = z.object({});

const CONTROLS = {
  archmax_advance: {
    description: "Goes to the next state, along one of the transitions shown. One move in a message.",
    schema: advance,
  },
  archmax_reset: {
    description: "Goes back to the state this work began in. Variables and files stay; locks you set are released.",
    schema: reset,
  },
  archmax_wait: {
    description: "Stops here until something happens outside or the time comes. Say what you are waiting for.",
    schema: wait,
  },
  archmax_raise: {
    description:
      "Gives up: ends the work as failed, with a code and a reason. Only when it cannot be finished; it must be the only call of its message.",
    schema: raise,
  },
  archmax_get_variables: {
    description: "Reads the session's variables: all of them, one, or a part of one.",
    schema: getVariables,
  },
  archmax_set_variables: {
    description: "Records variables of the session. All of them are written, or none.",
    schema: setVariables,
  },
  archmax_get_history: {
    description: "Answers the session's messages and trail as they stood when this state was entered, as JSON.",
    schema: getHistory,
  },
} as const satisfies Record<string, { description: string; schema: z.ZodObject }>;

export type ControlName = keyof typeof CONTROLS;

/** In registration order. */
export const CONTROL_NAMES = Object.keys(CONTROLS) as ControlName[];

export function controlDefinition(name: ControlName): ToolDefinition {
  const { description, schema } = CONTROLS[name];
  return { name, description, parameters: parametersOf(schema) };
}

type Args = Record<string, unknown>;

/** `reason` comes back trimmed. A slug is an opaque token (W-55): whether the edge exists is not judged here. */
export function parseAdvance(args: Args): ParsedArguments<{ to: string; reason: string; evidence: string[] }> {
  return mapped(parseArguments(advance, args), ({ to, reason, evidence }) => ({
    to,
    reason: reason.trim(),
    evidence: evidence ?? [],
  }));
}

/** */
export function parseReset(args: Args): ParsedArguments<{ reason: string }> {
  return mapped(parseArguments(reset, args), ({ reason }) => ({ reason: reason.trim() }));
}

/** R-76. The form of `until` is `parseUntil`'s to judge, of a blank one too (R-77). */
export function parseWait(args: Args): ParsedArguments<{ reason: string; until?: string }> {
  return mapped(parseArguments(wait, args), ({ reason, until }) => ({
    reason: reason.trim(),
    ...(until !== undefined ? { until } : {}),
  }));
}

/** Both come back trimmed. */
export function parseRaise(args: Args): ParsedArguments<{ code: string; reason: string }> {
  return mapped(parseArguments(raise, args), ({ code, reason }) => ({ code: code.trim(), reason: reason.trim() }));
}

/** A blank name or path counts as absent. */
export function parseGetVariables(args: Args): ParsedArguments<{ name?: string; path?: string }> {
  return mapped(parseArguments(getVariables, args), ({ name, path }) => ({
    ...(name?.trim() ? { name: name.trim() } : {}),
    ...(path?.trim() ? { path: path.trim() } : {}),
  }));
}

/** The names and the empty map are judged by the session. */
export function parseSetVariables(args: Args): ParsedArguments<{ variables: Record<string, unknown>; lock: boolean }> {
  return mapped(parseArguments(setVariables, args), ({ variables, lock }) => ({ variables, lock: lock ?? false }));
}

function mapped<T, U>(parsed: ParsedArguments<T>, map: (args: T) => U): ParsedArguments<U> {
  return parsed.ok ? { ok: true, args: map(parsed.args) } : parsed;
}
