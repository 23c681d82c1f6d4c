/** From values to attributes and back, each kind spelled out (F-54). */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { UnstorableStateError } from "../../session/errors.js";
import type { Item } from "./keys.js";

export type Scalar = string | number | boolean;

/** The empty string is kept. */
export function scalar(value: Scalar): AttributeValue {
  if (typeof value === "string") return { S: value };
  if (typeof value === "boolean") return { BOOL: value };
  return { N: String(value) };
}

/** An attribute that was stored as a scalar; null when it is not there. */
export function scalarFrom(attribute: AttributeValue | undefined): Scalar | null {
  if (attribute?.S !== undefined) return attribute.S;
  if (attribute?.N !== undefined) return Number(attribute.N);
  return attribute?.BOOL ?? null;
}

export function numberFrom(attribute: AttributeValue | undefined): number {
  return Number(attribute?.N ?? 0);
}

/**
 * JSON text of plain JSON: undefined members are left out, and what JSON would silently change is refused.
 *
 * @throws {UnstorableStateError} for dates, other class instances, functions, symbols, big integers and numbers that are
 * not finite, naming where
 */
export function jsonText(value: unknown, path: string): string {
  assertPlain(value, path);
  return JSON.stringify(value);
}

function assertPlain(value: unknown, path: string): void {
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  if (typeof value !== "object")
    throw new UnstorableStateError(path, typeof value === "number" ? `${value}` : typeof value);
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) assertPlain(member, `${path}[${index}]`);
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) {
    throw new UnstorableStateError(path, `an instance of ${prototype.constructor?.name ?? "a class"}`);
  }
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) assertPlain(member, `${path}.${name}`);
  }
}

/** An item's size as the service counts it, near enough for keeping clear of its limits. */
export function sizeOf(item: Item): number {
  let size = 0;
  for (const [name, attribute] of Object.entries(item)) size += name.length + attributeSize(attribute);
  return size;
}

function attributeSize(attribute: AttributeValue): number {
  if (attribute.S !== undefined) return Buffer.byteLength(attribute.S);
  if (attribute.N !== undefined) return attribute.N.length;
  return attribute.M === undefined ? 1 : 3 + sizeOf(attribute.M);
}
