/** Content types, and bodies read by them (N-1, F-81). */
import { InvalidRequestError, TooLargeError, UnsupportedMediaTypeError } from "./errors.js";
import type { HttpRequest } from "./types.js";

export const JSON_TYPE = "application/json";
export const FORM_TYPE = "application/x-www-form-urlencoded";

/** Deeper bodies are refused: what walks over them recurses. */
const MAX_DEPTH = 100;

/** `application/json` for every JSON type (`+json` too); undefined where the request does not say. */
export function mediaTypeOf(request: HttpRequest): string | undefined {
  const header = request.headers["content-type"];
  if (header === undefined || header.trim() === "") return undefined;
  const [type = "", ...parameters] = header.split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) return "other charset";
  return familyOf(type);
}

function familyOf(type: string): string {
  return /^application\/(?:[\w.!#$&^-]+\+)?json$/.test(type) ? JSON_TYPE : type;
}

/** @throws {UnsupportedMediaTypeError} for a type that is not among those taken; a request without one passes */
export function requireMediaType(request: HttpRequest, taken: readonly string[]): string {
  const families = taken.map((type) => familyOf(type.trim().toLowerCase()));
  const type = mediaTypeOf(request) ?? families[0] ?? JSON_TYPE;
  if (!families.includes(type)) throw new UnsupportedMediaTypeError(taken);
  return type;
}

export function requireSize(bytes: number, limit: number, what: string): void {
  if (bytes > limit) throw new TooLargeError(what, limit);
}

/** @throws {InvalidRequestError} for broken or over-deep JSON, or text that is not UTF-8 */
export function jsonFrom(bytes: Uint8Array): unknown {
  let value: unknown;
  try {
    value = JSON.parse(textFrom(bytes));
  } catch (error) {
    if (error instanceof InvalidRequestError) throw error;
    throw new InvalidRequestError("The body is no JSON.");
  }
  if (!isPlain(value, MAX_DEPTH)) {
    throw new InvalidRequestError(`The body is nested more than ${MAX_DEPTH} deep, or has a member "__proto__".`);
  }
  return value;
}

export function textFrom(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidRequestError("The body is no UTF-8.");
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0 || Object.hasOwn(value, "__proto__")) return false;
  return Object.values(value).every((member) => isPlain(member, depth - 1));
}
