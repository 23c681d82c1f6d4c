/** Bodies and queries of the routes: strict, so that a misspelt member is told and not lost (N-1). */
import * as z from "zod/mini";

const MAX_PAGE = 100;
const DEFAULT_PAGE = 20;

const variables = z.record(z.string(), z.unknown());
const trigger = z.strictObject({ id: z.string() });
/** By variable; the content is base64 (N-14). */
const files = z.record(z.string(), z.strictObject({ name: z.string(), content: z.string() }));
const isoTime = z.iso.datetime({ offset: true });
const whole = z.coerce.number().check(z.multipleOf(1));

const turnMembers = {
  message: z.optional(z.string()),
  trigger: z.optional(z.union([z.string(), trigger])),
  variables: z.optional(variables),
  files: z.optional(files),
  model: z.optional(z.string()),
};

export const startBody = z.strictObject({
  sessionId: z.optional(z.string()),
  sessionPath: z.optional(z.string()),
  ...turnMembers,
});
export const turnBody = z.strictObject({ workflow: z.optional(z.string()), ...turnMembers });
/** A target or trigger that is missing is told as the engine tells it (N-5). */
export const decisionBody = z.strictObject({
  target: z.optional(z.string()),
  comment: z.optional(z.string()),
  park: z.optional(z.string()),
  seq: z.optional(z.number().check(z.multipleOf(1))),
});
export const replyBody = z.strictObject({ message: z.string() });
export const deliveryBody = z.strictObject({
  trigger: z.optional(z.strictObject({ id: z.optional(z.string()) })),
  variables: z.optional(variables),
  message: z.optional(z.string()),
});
/** For what takes no body: none, or an empty object. */
export const emptyBody = z.optional(z.strictObject({}));

export const noQuery = z.strictObject({});
export const turnQuery = z.strictObject({
  include: z.optional(z.string().check(z.regex(/^(?:trail|messages)(?:,(?:trail|messages))?$/))),
});
const page = {
  limit: z._default(whole.check(z.gte(1), z.lte(MAX_PAGE)), DEFAULT_PAGE),
  cursor: z.optional(z.string()),
};
export const sessionsQuery = z.strictObject({
  workflow: z.optional(z.string()),
  status: z.optional(z.enum(["running", "completed", "failed", "rejected", "awaiting_decision", "awaiting_input"])),
  classification: z.optional(z.enum(["open", "finished"])),
  parent: z.optional(z.string()),
  dueBefore: z.optional(isoTime),
  ...page,
});
export const failuresQuery = z.strictObject({ workflow: z.optional(z.string()), ...page });
export const deleteQuery = z.strictObject({ children: z.optional(z.enum(["true", "false"])) });
