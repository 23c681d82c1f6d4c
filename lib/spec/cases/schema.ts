/**
 * The closed shapes of a case document. What has a finding of its own (title, description, fixtures, regular
 * expressions, mocked controls) is judged in rules.ts and left open here.
 */
import * as z from "zod";
import { type ACTION_KEYS, type ASSERTION_KEYS, TRAIL_KINDS } from "./types.js";

const text = z.string().refine((value) => value.trim() !== "", { error: "must not be blank" });
const count = z.int().min(0);
const yes = z.literal(true);
const names = z.record(z.string(), z.unknown());
const tokens = z.union([text, z.array(text).min(1)]);
const toolMatcher = z.strictObject({ name: text, input: names.optional() });
const channel = z.enum(["decision", "input"]);

export const DOCUMENT = z.strictObject({
  title: z.unknown().optional(),
  description: z.unknown().optional(),
  skip: text.optional(),
  trigger: z.strictObject({ id: text }).optional(),
  variables: names.optional(),
  workspace: names.optional(),
  mocks: z.array(z.strictObject({ tool: text, whenInput: names.optional(), result: z.unknown() })).optional(),
  clock: z.string().optional(),
  steps: z.array(z.unknown()).optional(),
});

type StepKey = (typeof ACTION_KEYS)[number] | (typeof ASSERTION_KEYS)[number];

/** The schema of a step's value. Where a word or a mapping may stand, the value's own kind picks the schema. */
export function stepSchema(key: string, value: unknown): z.ZodType | undefined {
  if (!Object.hasOwn(STEPS, key)) return undefined;
  const entry = STEPS[key as StepKey];
  if (entry instanceof z.ZodType) return entry;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? entry.mapping : entry.word;
}

const STEPS: Record<StepKey, z.ZodType | { word: z.ZodType; mapping: z.ZodType }> = {
  send: text,
  decide: z.strictObject({ to: text, comment: z.string().optional() }),
  deliver: z.strictObject({ trigger: text, variables: names.optional() }),
  succeeded: yes,
  parked: {
    word: z.literal([true, "decision", "input"], {
      error: "must be true, decision, input or a mapping of channel and state",
    }),
    mapping: z.strictObject({ channel: channel.optional(), state: text.optional() }),
  },
  raised: {
    word: z.union([yes, text], { error: "must be true, a code or a mapping of code and reason" }),
    mapping: z.strictObject({ code: text.optional(), reason: text.optional() }),
  },
  reachedState: text,
  trail: z
    .strictObject({
      to: text.optional(),
      kind: z.enum(TRAIL_KINDS).optional(),
      reason: text.optional(),
      count,
    })
    .refine(({ to, kind, reason }) => to !== undefined || kind !== undefined || reason !== undefined, {
      error: "needs at least one of to, kind and reason beside count",
    }),
  noTraversal: yes,
  triggerArrival: text,
  reply: z
    .strictObject({ includes: tokens.optional(), excludes: tokens.optional() })
    .refine(({ includes, excludes }) => includes !== undefined || excludes !== undefined, {
      error: "needs includes, excludes or both",
    }),
  calledTool: toolMatcher,
  notCalledTool: toolMatcher,
  blockedTool: toolMatcher,
  usedNoTools: yes,
  ranWorkflow: z.strictObject({
    workflow: text,
    status: z.enum(["ok", "error"]).optional(),
    count: count.optional(),
  }),
  variables: z.strictObject({
    expect: names,
    path: z
      .string()
      .regex(/^[^.\s]+(\.[^.\s]+)*$/, { error: "must be names and indices joined by dots, such as lines.-1.id" })
      .optional(),
    locked: z.union([z.boolean(), z.record(z.string(), z.boolean())]).optional(),
  }),
  grade: z.strictObject({ closedQA: text, atLeast: z.number().min(0).max(1) }),
};
