/** The hash that names one version of a document (W-49…W-53). */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { isMapping, setOwn } from "./own.js";

/** Hex digits of a spec hash. */
const HASH_DIGITS = 32;

/** The first 32 hex digits of the SHA-256 of `canonicalSpecJson(document)`. */
export function specHash(document: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalSpecJson(document)))).slice(0, HASH_DIGITS);
}

/**
 * The hashed document as JSON: `metadata` of the root and of states removed, empty states and trigger declarations read
 * as `{}`, keys in UTF-16 order, no white space.
 */
export function canonicalSpecJson(document: unknown): string {
  return stableJson(hashedPart(document));
}

function hashedPart(document: unknown): unknown {
  if (!isMapping(document)) return document;
  return mapEntries(document, (key, value) => {
    if (key === "metadata") return undefined;
    if (key !== "states" || !isMapping(value)) return value;
    return mapEntries(value, (_slug, state) => {
      if (state === null) return {};
      if (!isMapping(state)) return state;
      return mapEntries(state, (stateKey, part) => {
        if (stateKey === "metadata") return undefined;
        return stateKey === "triggers" && isMapping(part) ? mapEntries(part, (_id, trigger) => trigger ?? {}) : part;
      });
    });
  });
}

function mapEntries(mapping: Record<string, unknown>, change: (key: string, value: unknown) => unknown) {
  const result = {};
  for (const [key, value] of Object.entries(mapping)) {
    const changed = change(key, value);
    if (changed !== undefined) setOwn(result, key, changed);
  }
  return result;
}

function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => stableJson(item ?? null)).join(",")}]`;
  if (!isMapping(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${stableJson(value[key])}`);
  return `{${members.join(",")}}`;
}
