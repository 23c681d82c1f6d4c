/** A host tool's input schema, whichever kind it is: described as JSON Schema, and checked (H-101, R-59, F-70). */
import { z } from "zod";
import { zodProblems } from "./arguments.js";
import { ToolDescriptionError } from "./errors.js";
import { jsonSchemaProblems } from "./json-schema-problems.js";

export interface InputSchema {
  parameters: Record<string, unknown>;
  /** What is wrong, as sentences; empty when the input fits. */
  problems(input: Record<string, unknown>): string[];
  /** The input with date strings made dates where the schema asks for dates, for a zod schema to read. */
  revived(input: Record<string, unknown>): Record<string, unknown>;
  /** The input as the schema gives it on: defaults and transformations applied. Throws where it does not fit. */
  parsed(input: Record<string, unknown>): Promise<Record<string, unknown>>;
}

interface ZodIssue {
  code?: string;
  expected?: unknown;
  path: readonly PropertyKey[];
  message: string;
}
/** What zod 3 and zod 4 schemas have in common. */
interface AnyZod {
  safeParse(
    input: unknown,
  ): { success: true; data: unknown } | { success: false; error: { issues: readonly ZodIssue[] } };
  parseAsync(input: unknown): Promise<unknown>;
}

/**
 * Reads the schema of the tool `name`.
 *
 * @param schema - a zod 3 or zod 4 object, or a JSON Schema of type object
 * @throws {ToolDescriptionError} when it cannot be told to a model
 */
export async function readInputSchema(name: string, schema: unknown): Promise<InputSchema> {
  const parameters = await describe(name, schema);
  return isZod(schema) ? zodSchema(schema, parameters) : jsonSchema(name, parameters);
}

async function describe(name: string, schema: unknown): Promise<Record<string, unknown>> {
  let described: unknown;
  try {
    described = schema instanceof z.core.$ZodType || isZod4(schema) ? describeZod(schema) : await describeOther(schema);
    described = JSON.parse(JSON.stringify(described));
  } catch (cause) {
    throw new ToolDescriptionError(name, cause instanceof Error ? cause.message : String(cause), { cause });
  }
  if (typeof described !== "object" || described === null || !("type" in described) || described.type !== "object") {
    throw new ToolDescriptionError(name, "its input schema must describe an object");
  }
  const { $schema: _, ...parameters } = described as Record<string, unknown>;
  return parameters;
}

/** Kinds of zod schemas without a JSON form; they fail the tool instead of being described as "anything". */
const UNDESCRIBABLE = new Set([
  "bigint",
  "symbol",
  "undefined",
  "void",
  "map",
  "set",
  "nan",
  "custom",
  "function",
  "promise",
]);

function describeZod(schema: z.core.$ZodType): unknown {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      const { type } = zodSchema._zod.def;
      if (type === "date") Object.assign(jsonSchema, { type: "string", format: "date-time" });
      if (UNDESCRIBABLE.has(type)) throw new Error(`${type} has no JSON form`);
    },
  });
}

async function describeOther(schema: unknown): Promise<unknown> {
  if (typeof schema !== "object" || schema === null) throw new Error("it has no input schema");
  const { toJsonSchema } = await import("@langchain/core/utils/json_schema");
  return toJsonSchema(schema as Parameters<typeof toJsonSchema>[0]);
}

function zodSchema(schema: AnyZod, parameters: Record<string, unknown>): InputSchema {
  const revived = (input: Record<string, unknown>) => reviveDates(schema, input);
  return {
    parameters,
    revived,
    problems(input) {
      try {
        const result = schema.safeParse(revived(input));
        return result.success ? [] : zodProblems(result.error.issues);
      } catch {
        // A schema with asynchronous checks cannot be judged here; the run does it.
        return [];
      }
    },
    async parsed(input) {
      return (await schema.parseAsync(revived(input))) as Record<string, unknown>;
    },
  };
}

async function jsonSchema(name: string, parameters: Record<string, unknown>): Promise<InputSchema> {
  const problems = await jsonSchemaProblems(name, parameters);
  return {
    parameters,
    problems,
    revived: (input) => input,
    async parsed(input) {
      const found = problems(input);
      if (found.length > 0) throw new Error(found.join(" "));
      return input;
    },
  };
}

/** Dates arrive as strings, as they were described; the schema is asked where it wants a date. */
function reviveDates(schema: AnyZod, input: Record<string, unknown>): Record<string, unknown> {
  let result: { success: boolean; error?: { issues: readonly ZodIssue[] } };
  try {
    result = schema.safeParse(input);
  } catch {
    return input;
  }
  const wanted = (result.error?.issues ?? []).filter(({ expected }) => expected === "date");
  if (wanted.length === 0) return input;
  const copy = structuredClone(input);
  for (const { path } of wanted) reviveAt(copy, path);
  return copy;
}

function reviveAt(root: Record<string, unknown>, path: readonly PropertyKey[]): void {
  let holder: unknown = root;
  for (const key of path.slice(0, -1)) holder = isRecord(holder) ? holder[key] : undefined;
  const last = path.at(-1);
  if (!isRecord(holder) || last === undefined) return;
  const text = holder[last];
  if (typeof text !== "string" || !/^\d{4}-\d{2}-\d{2}/.test(text)) return;
  const date = new Date(text);
  if (!Number.isNaN(date.getTime())) holder[last] = date;
}

function isRecord(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null;
}

function isZod(schema: unknown): schema is AnyZod {
  return isRecord(schema) && typeof schema.safeParse === "function" && typeof schema.parseAsync === "function";
}

function isZod4(schema: unknown): schema is z.core.$ZodType {
  return isZod(schema) && "_zod" in schema;
}
