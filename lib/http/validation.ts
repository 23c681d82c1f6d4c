/** Query and body by a route's schemas; what is wrong is told by place, never by value (N-1, N-4). */
import type * as z from "zod/mini";
import { isRecord, JSON_TYPE, jsonFrom, requireMediaType, requireSize } from "./content.js";
import { InvalidRequestError, type RequestIssue } from "./errors.js";
import type { Limits } from "./limits.js";
import type { HttpRequest } from "./types.js";

export function parseQuery<Output>(schema: z.ZodMiniType<Output>, query: URLSearchParams): Output {
  const names = [...new Set(query.keys())];
  const repeated = names.filter((name) => query.getAll(name).length > 1);
  if (repeated.length > 0) {
    const errors = repeated.map((name) => ({ pointer: `/${name}`, code: "repeated", detail: "It is given twice." }));
    throw new InvalidRequestError("The query has a parameter more than once.", errors);
  }
  return parse(schema, Object.fromEntries(query), "The query");
}

/**
 * @throws {TooLargeError} @throws {UnsupportedMediaTypeError} @throws {InvalidRequestError}
 */
export function parseBody<Output>(schema: z.ZodMiniType<Output>, request: HttpRequest, limits: Limits): Output {
  const { body } = request;
  requireSize(body.length, limits.bodyBytes + base64Chars(limits.fileBytes), "The request's body");
  if (body.length === 0) return parse(schema, undefined, "The body");
  requireMediaType(request, [JSON_TYPE]);
  const value = jsonFrom(body);
  // N-6: the contents of inline files have a limit of their own.
  const inFiles = fileContents(value).reduce((sum, content) => sum + content.length, 0);
  requireSize(body.length - inFiles, limits.bodyBytes, "The request's body without its files");
  return parse(schema, value, "The body");
}

/** N-14: the bytes of inline files. Null for a text that is not base64. */
export function bytesFromBase64(text: string): Uint8Array | null {
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
  return isBase64 ? Buffer.from(text, "base64") : null;
}

function base64Chars(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

function fileContents(value: unknown): string[] {
  if (!isRecord(value) || !isRecord(value.files)) return [];
  return Object.values(value.files).flatMap((file) =>
    isRecord(file) && typeof file.content === "string" ? [file.content] : [],
  );
}

function parse<Output>(schema: z.ZodMiniType<Output>, value: unknown, what: string): Output {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap((issue) => issuesOf(issue, value));
  throw new InvalidRequestError(`${what} is not as it must be.`, errors);
}

function issuesOf(issue: z.core.$ZodIssue, value: unknown): RequestIssue[] {
  const pointer = pointerTo(issue.path);
  if (issue.code === "unrecognized_keys") {
    const detail = "There is no such member here.";
    return issue.keys.map((key) => ({ pointer: pointerTo([...issue.path, key]), code: "unknown", detail }));
  }
  const isMissing = issue.path.reduce((inner: unknown, key) => memberOf(inner, key), value) === undefined;
  if (isMissing) return [{ pointer, code: "missing", detail: "It must be given." }];
  return [{ pointer, code: "invalid", detail: detailOf(issue) }];
}

function detailOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `It must be of type ${issue.expected}.`;
    case "invalid_value":
      return `It must be one of: ${issue.values.map(String).join(", ")}.`;
    case "too_big":
      return `It may be ${issue.maximum} at most.`;
    case "too_small":
      return `It must be ${issue.minimum} at least.`;
    case "not_multiple_of":
      return "It must be a whole number.";
    default:
      return "It is not as it must be.";
  }
}

function memberOf(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<PropertyKey, unknown>)[key];
}

/** RFC 6901. */
function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
