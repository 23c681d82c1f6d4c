/**
 * What of a call's arguments does not fit a JSON Schema (R-59, A-60). A schema may come from a server that nobody here
 * vouches for: whatever stands in it, a check ends, in time and without throwing.
 */
import { createContext, Script } from "node:vm";
import { ToolDescriptionError } from "./errors.js";

/** A regular expression may take time that doubles with each character; no honest one takes this long. */
const CHECK_MS = 1_000;

/** @throws {ToolDescriptionError} for a schema that no check can be made of */
export async function jsonSchemaProblems(
  tool: string,
  schema: Record<string, unknown>,
): Promise<(input: Record<string, unknown>) => string[]> {
  const { Validator } = await import("@langchain/core/utils/json_schema");
  let validator: InstanceType<typeof Validator>;
  try {
    validator = new Validator(checkable(schema) as Record<string, unknown>, "2020-12", false);
  } catch (cause) {
    throw new ToolDescriptionError(tool, `its input schema cannot be used: ${firstLine(cause)}`, { cause });
  }
  const check = hasPatterns(schema) ? (input: unknown) => inTime(() => validator.validate(input)) : validator.validate;
  return (input) => {
    try {
      const { valid, errors } = check.call(validator, input);
      return valid ? [] : jsonProblems(errors);
    } catch (error) {
      return [`The arguments cannot be checked against the tool's input schema: ${firstLine(error)}.`];
    }
  };
}

function firstLine(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return line.replace(/[.]$/, "").slice(0, 200);
}

let bounded: { context: { work?: () => unknown }; script: Script } | undefined;

/** Ends what does not end, which nothing but the engine's own watchdog can do to a regular expression. */
function inTime<Result>(work: () => Result): Result {
  bounded ??= { context: createContext({}), script: new Script("work()") };
  const { context, script } = bounded;
  context.work = work;
  try {
    return script.runInContext(context, { timeout: CHECK_MS }) as Result;
  } catch (error) {
    const isLate = (error as { code?: string }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
    throw isLate ? new Error("it takes too long") : error;
  } finally {
    delete context.work;
  }
}

function hasPatterns(schema: unknown): boolean {
  return /"(?:pattern|patternProperties|format)":/.test(JSON.stringify(schema));
}

/** Values, in which nothing is a schema. */
const DATA = new Set(["const", "default", "enum", "examples"]);

/** Without the patterns that are none in JavaScript: those are the server's to check. */
function checkable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(checkable);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).filter(([key, value]) => key !== "pattern" || !isBadPattern(value));
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (DATA.has(key)) return [key, value];
      if (key !== "patternProperties" || typeof value !== "object" || value === null) return [key, checkable(value)];
      const usable = Object.entries(value).filter(([pattern]) => !isBadPattern(pattern));
      return [key, checkable(Object.fromEntries(usable))];
    }),
  );
}

function isBadPattern(pattern: unknown): boolean {
  if (typeof pattern !== "string") return false;
  try {
    new RegExp(pattern, "u");
    return false;
  } catch {
    return true;
  }
}

/** The innermost findings; the ones around them only repeat where they are. */
function jsonProblems(errors: readonly { instanceLocation: string; keyword: string; error: string }[]): string[] {
  const inner = errors.filter(
    ({ keyword }) => !["properties", "items", "prefixItems", "false", "$ref"].includes(keyword),
  );
  return [...new Set((inner.length > 0 ? inner : errors).map(jsonProblem))];
}

function jsonProblem({ instanceLocation, error }: { instanceLocation: string; error: string }): string {
  const field = instanceLocation.replace(/^#\/?/, "").replaceAll("/", ".");
  return `${field === "" ? "the arguments" : `\`${field}\``}: ${error.replace(/[.]?$/, ".")}`;
}
