/** Schemas of what a configuration says of a deployment's entrances: webhooks, event rules, schedules (N-27…N-32, F-75). */
import * as z from "zod";
import { isSlug, isVariableName, parseDottedPath, parseValuePath, titleIssue } from "../spec/index.js";
import type { Deployment, EventRuleConfig, ScheduleConfig, WebhookConfig, WebhookVerification } from "./deployment.js";
import { patternProblem } from "./event-pattern.js";
import { isTimeZone, parseSchedule } from "./schedule-expression.js";
import { isSecretReference, SECRET_FORMS } from "./secret-reference.js";

/** A mapping with these keys and no others. */
function closed<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `has the unknown key ${quoted(issue.keys)}; known are ${known}`
        : "must be an object",
  });
}

function text(says = "must be text that is not blank") {
  return z.string(says).regex(/\S/, says);
}

/** A dotted path into what arrived. */
const path = z.string("must be a dotted path, such as data.thread.id").check((context) => {
  const parsed = parseValuePath(context.value);
  if (!parsed.ok) refuse(context, `must be a dotted path, such as data.thread.id; ${parsed.reason}`);
});

/** A dotted path into the variables. */
const variablePath = z.string("must be a dotted path over the variables, such as order.id").check((context) => {
  const parsed = parseDottedPath(context.value);
  if (!parsed.ok) refuse(context, `must be a dotted path over the variables, such as order.id; ${parsed.reason}`);
});

/** Its message never shows the value: it may be the secret itself. */
const secret = z.string(`must be a reference to a secret: ${SECRET_FORMS}`).refine(isSecretReference, {
  error: `must be a reference to a secret, never the secret itself: ${SECRET_FORMS}`,
});

const secrets = z.array(secret, "must be a list of references to secrets").min(1, "must name at least one secret");
const toleranceSeconds = z
  .number("must be a whole number of seconds, at least 1")
  .int("must be a whole number of seconds, at least 1")
  .min(1, "must be a whole number of seconds, at least 1")
  .optional();

const SCHEMES = ["hmac-sha256", "github", "stripe", "slack", "standard", "none"];
const timed = <Scheme extends string>(scheme: Scheme) =>
  closed({ scheme: z.literal(scheme), secrets, toleranceSeconds });

const verification: z.ZodType<WebhookVerification> = z.discriminatedUnion(
  "scheme",
  [
    closed({
      scheme: z.literal("hmac-sha256"),
      secrets,
      header: headerName().optional(),
      prefix: text().optional(),
      encoding: z.enum(["hex", "base64"], `must be "hex" or "base64"`).optional(),
    }),
    closed({ scheme: z.literal("github"), secrets }),
    timed("stripe"),
    timed("slack"),
    timed("standard"),
    closed({
      scheme: z.literal("none"),
      allowUnsigned: z.literal(true, `must be true beside scheme "none": anybody could call this webhook`),
    }),
  ],
  {
    error: (issue) =>
      issue.code === "invalid_union"
        ? `must be one of ${SCHEMES.join(", ")}`
        : `must be an object whose "scheme" is one of ${SCHEMES.join(", ")}`,
  },
);

/** Variable to what it is set from. */
function variables<Value extends z.ZodType>(value: Value) {
  return z.record(z.string(), value, "must be an object by variable name").check((context) => {
    for (const name of Object.keys(context.value)) {
      if (isVariableName(name) && name !== "trigger") continue;
      const reason =
        name === "trigger"
          ? "is set by the runtime and cannot be mapped"
          : "is no variable name (lower-case letters, digits and _)";
      refuse(context, reason, [name]);
    }
  });
}

/** N-28: what a stranger's text must not become. */
const mapped = variables(path).check((context) => {
  if (Object.hasOwn(context.value, "title")) refuse(context, "cannot be mapped: a title is the agent's own", ["title"]);
});

const values = variables(z.custom<unknown>(isPlain, "must be plain JSON")).check((context) => {
  const issue = Object.hasOwn(context.value, "title") ? titleIssue(context.value.title) : null;
  if (issue) refuse(context, `cannot be used: ${issue}`, ["title"]);
});

const DEDUPE = "must be header:<name> or body:<path>";

const webhook: z.ZodType<WebhookConfig> = closed({
  verify: verification,
  map: mapped.optional(),
  message: path.optional(),
  sessionPath: variablePath.optional(),
  dedupe: z
    .string(DEDUPE)
    .refine((value) => {
      const [, kind, rest = ""] = /^(header|body):(.*)$/.exec(value) ?? [];
      return kind === "header" ? HEADER.test(rest) : kind === "body" && parseValuePath(rest).ok;
    }, DEDUPE)
    .optional(),
  accept: z
    .array(
      z
        .string("must be a content type")
        .regex(/^[\w.+-]+\/[\w.+-]+$/, "must be a content type without parameters, such as application/json"),
      "must be a list of content types",
    )
    .min(1, "must name at least one content type")
    .optional(),
});

const eventRule: z.ZodType<EventRuleConfig> = closed({
  workflow: slug(),
  trigger: text(),
  pattern: z
    .record(
      z.string(),
      z.custom<unknown>(isPlain, "must be plain JSON"),
      "must be an event pattern, as EventBridge writes it",
    )
    .check((context) => {
      const problem = patternProblem(context.value);
      if (problem) refuse(context, problem.reason, problem.path);
    }),
  bus: z.enum(["own", "default"], `must be "own" or "default"`).optional(),
  variables: mapped.optional(),
  message: path.optional(),
  sessionPath: variablePath.optional(),
});

const schedule: z.ZodType<ScheduleConfig> = closed({
  workflow: slug(),
  trigger: text(),
  schedule: z.string("must be a schedule expression").check((context) => {
    const parsed = parseSchedule(context.value);
    if (!parsed.ok) refuse(context, parsed.reason);
  }),
  timeZone: z
    .string("must be the name of a time zone")
    .refine(isTimeZone, "must be the name of a time zone, such as Europe/Vienna")
    .optional(),
  variables: values.optional(),
  message: text().optional(),
  sessionId: text().optional(),
}).check((context) => {
  const { timeZone, schedule: expression } = context.value;
  if (timeZone !== undefined && expression.trim().startsWith("rate")) {
    refuse(context, "means nothing to a rate; leave it out, or write a cron", ["timeZone"]);
  }
});

const NAME = /^[A-Za-z][A-Za-z0-9-]*$/;

/** Names make logical ids, which know no case. */
function named<Value extends z.ZodType>(value: Value) {
  return z.record(z.string(), value, "must be an object by name").check((context) => {
    const seen = new Map<string, string>();
    for (const name of Object.keys(context.value)) {
      const other = seen.get(name.toLowerCase());
      if (!NAME.test(name))
        refuse(context, "must be named with letters, digits and -, beginning with a letter", [name]);
      else if (other !== undefined) refuse(context, `differs from "${other}" only in case; rename one`, [name]);
      seen.set(name.toLowerCase(), name);
    }
  });
}

const webhooks = z.record(z.string(), webhook, "must be an object by <workflow>/<trigger>").check((context) => {
  for (const key of Object.keys(context.value)) {
    const [workflow = "", ...trigger] = key.split("/");
    if (isSlug(workflow) && trigger.join("/") !== "") continue;
    refuse(context, "must be named <workflow>/<trigger>, such as refund-desk/email_received", [key]);
  }
});

export const entranceSchemas: { [Key in keyof Deployment]: z.ZodType<Deployment[Key] | undefined> } = {
  webhooks: webhooks.optional(),
  events: named(eventRule).optional(),
  schedules: named(schedule).optional(),
};

/** Names of header fields (RFC 9110). */
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function headerName() {
  return z
    .string("must be the name of a header")
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "must be the name of a header");
}

function slug() {
  return z.string("must be a workflow's name").refine(isSlug, "must be a workflow's name, such as refund-desk");
}

function refuse(context: z.core.ParsePayload, message: string, at: (string | number)[] = []): void {
  context.issues.push({ code: "custom", message, path: at, input: undefined, continue: true });
}

/** Whether a value comes through JSON unchanged. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isPlain);
  if (typeof value !== "object") return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlain);
}

function quoted(keys: readonly string[]): string {
  return keys.map((key) => `"${key}"`).join(", ");
}
