/** Names made from content: the same content gives the same name in every process, and no clock or chance is in them. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { ArrivalInput, ArrivalSource } from "./arrival.js";

/**
 * JSON with object keys in code unit order, no spaces, and `undefined` members left out: two values that are equal as
 * JSON have one text.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortedKeys(value)) ?? "null";
}

/** SHA-256 of the UTF-8 text (or the bytes), in lower-case hexadecimal. */
export function sha256Hex(content: string | Uint8Array): string {
  return bytesToHex(sha256(typeof content === "string" ? utf8ToBytes(content) : content));
}

/**
 * S-4: what a receipt keeps to recognise the same key with another input. Files count by name and content, not by where
 * their bytes were put.
 */
export function fingerprintOf(input: ArrivalInput): string {
  if (input.kind !== "turn" || input.files === undefined) return sha256Hex(canonicalJson(input));
  const files = Object.entries(input.files).map(([variable, { key: _key, ...file }]) => [variable, file]);
  return sha256Hex(canonicalJson({ ...input, files: Object.fromEntries(files) }));
}

/**
 * S-3, S-6: the arrival's id, made of its idempotency key. Letters, digits, `-` only.
 *
 * @param scope - the tenant, or the empty text where there is none; with the source it keeps two senders' keys apart
 */
export function arrivalIdFor(key: { scope: string; source: ArrivalSource; key: string }): string {
  return `arr-${sha256Hex(canonicalJson([key.scope, key.source, key.key]))}`;
}

/** S-60: a wake-up's id is made of the park, so all who wake one park mean the same arrival. */
export function wakeArrivalId(sessionId: string, parkId: string): string {
  return `wake-${sha256Hex(canonicalJson([sessionId, parkId]))}`;
}

/**
 * S-7: the session of a firing whose key names none: `session-` and a UUID made of the key's hash (version 8, RFC 9562).
 *
 * @param key - the scoped key, such as the arrival's id, so that two senders' equal keys mean two sessions
 */
export function sessionIdFromKey(key: string): string {
  const hex = sha256Hex(`session:${key}`);
  const variant = ((Number.parseInt(hex[16] ?? "0", 16) & 0x3) | 0x8).toString(16);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ];
  return `session-${parts.join("-")}`;
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value as Record<string, unknown>).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  // A null prototype, so that a member called `__proto__` is kept as what it is.
  const sorted: Record<string, unknown> = Object.create(null);
  for (const [name, member] of members) sorted[name] = sortedKeys(member);
  return sorted;
}
