/** Checks a configuration that was loaded from a file (C-73). Stands apart from its type, so that commands without one load no schemas. */
import * as z from "zod";
import { checkExtensions } from "../extensions/index.js";
import type { ParkwayConfig } from "./config.js";
import { entranceSchemas } from "./entrances.js";

const list = z.array(z.unknown(), "must be a list");
const object = z.record(z.string(), z.unknown(), "must be an object");
const isFunction = (value: unknown) => typeof value === "function";
const aFunction = z.custom(isFunction, "must be a function");
const flag = z.boolean("must be true or false").optional();

const effect = z.strictObject(
  { readOnly: flag, idempotent: flag, reconcile: aFunction.optional() },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `has the unknown key ${issue.keys.map((key) => `"${key}"`).join(", ")}; known are readOnly, idempotent, reconcile`
        : "must be an object",
  },
);

const isBackend = (value: unknown) => typeof (value as { ls?: unknown } | null)?.ls === "function";
const backend = z.custom(isBackend, "must be a backend (H-82)");
const mount = z.custom((value) => {
  if (isBackend(value)) return true;
  return z.strictObject({ backend, readOnly: flag, governed: flag, searchable: flag }).safeParse(value).success;
}, "must be a backend, or { backend, readOnly?, governed?, searchable? }");

/** Relative, below the root, and not what a deployment must not hold: sessions, and names with a leading dot such as `.env`. */
function isInside(path: string): boolean {
  const parts = path.replace(/\/$/, "").split("/");
  const first = parts[0] ?? "";
  return (
    parts.every((part) => /^[^.\\\0][^\\\0]*$/.test(part)) && !["sessions", "node_modules", "dist"].includes(first)
  );
}

const MCP = "must be a file inside the root, or an object";

const SHAPE = {
  tools: list.optional(),
  modelFactory: aFunction.optional(),
  retry: z
    .strictObject(
      {
        retries: z.int("must be a whole number from 0").min(0, "must be a whole number from 0").optional(),
        baseMs: z.number("must be milliseconds from 0").min(0, "must be milliseconds from 0").optional(),
        onError: aFunction.optional(),
      },
      "must be an object: { retries?, baseMs?, onError? }",
    )
    .optional(),
  essentialTools: z.array(z.string("must be the name of a tool"), "must be a list").optional(),
  toolPaths: object.optional(),
  toolEffects: z.record(z.string(), effect, "must be an object by tool name").optional(),
  mcp: z.union([z.string().refine(isInside, MCP), object], MCP).optional(),
  policyRules: z.array(aFunction, "must be a list of functions").optional(),
  pricing: object.optional(),
  mounts: z.record(z.string(), mount, "must be an object by key").optional(),
  files: z
    .array(
      z.string().refine(isInside, "must be a path inside the root that is none of the runtime's"),
      "must be a list",
    )
    .optional(),
  skills: z.array(z.string("must be a folder"), "must be a list").optional(),
  images: z.union([z.boolean(), object], "must be true, false or an object").optional(),
  guardrails: list.optional(),
  completion: object.optional(),
  hooks: object.optional(),
  onMetric: aFunction.optional(),
  agents: z.record(z.string(), object, "must be an object by workflow slug").optional(),
  middleware: list.optional(),
  limits: object.optional(),
  compaction: object.optional(),
  ...entranceSchemas,
} satisfies Record<keyof ParkwayConfig, z.ZodType>;

const schema = z.strictObject(SHAPE);

/** Problems told at once; more of them rarely help. */
const TOLD = 5;

/**
 * @returns the very object, checked
 * @throws {TypeError} naming each key that is unknown or has the wrong shape, and what it must be; never a value, which may
 * be a secret (N-30)
 * @throws {InvalidGuardrailError} @throws {InvalidCompletionError} as `createAgent`
 */
export function parseConfig(value: unknown): ParkwayConfig {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError("its default export must be an object, as defineConfig returns it");
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    checkExtensions(value);
    return value as ParkwayConfig;
  }
  const problems = parsed.error.issues.map(problemOf);
  const more = problems.length > TOLD ? [`and ${problems.length - TOLD} more`] : [];
  throw new TypeError([...problems.slice(0, TOLD), ...more].join("; "));
}

function problemOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
    const keys = issue.keys.map((key) => `"${key}"`).join(", ");
    return `it has the unknown key ${keys}; known are ${Object.keys(SHAPE).join(", ")}`;
  }
  return `"${placeOf(issue.path)}" ${issue.message}`;
}

/** `webhooks[refund-desk/mail].verify.secrets[0]`. */
function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => {
      const word = String(key);
      if (typeof key === "number" || !/^[\w$-]+$/.test(word)) return `[${word}]`;
      return index === 0 ? word : `.${word}`;
    })
    .join("");
}
