/** Texts of any length as attributes: short ones as they are, long ones as large values that the item names (S-74). */
import { randomBytes } from "node:crypto";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { CheckpointCorruptError } from "../../session/errors.js";
import { sha256Hex } from "../../session/index.js";
import type { LargeValues } from "./large-values.js";

/** S-74 allows an item 256 KB; what stands beside the text of a one-text item takes the rest. */
export const INLINE_BYTES = 240 * 1024;
/** For texts that share an item with several others. */
export const SHARED_INLINE_BYTES = 32 * 1024;

const MARK_BYTES = 8;

export interface Texts {
  /** The attribute for a text. A long one is stored before this returns, so before the item that names it. */
  put(area: string, text: string, inlineBytes?: number): Promise<AttributeValue>;
  /**
   * The text of an attribute that `put` gave.
   *
   * @param of - session and key to name when the text is not what was stored
   * @throws {CheckpointCorruptError} the large value is missing or another one (S-75)
   */
  get(area: string, attribute: AttributeValue, of: { sessionId: string; key: string }): Promise<string>;
}

/**
 * Within one operation: a long text that is needed again, because a write was refused and is made anew, is not stored a
 * second time.
 */
export function rememberingTexts(texts: Texts): Texts {
  const known = new Map<string, Map<string, AttributeValue>>();
  return {
    get: texts.get,
    async put(area, text, inlineBytes) {
      const found = known.get(area)?.get(text);
      if (found) return found;
      const attribute = await texts.put(area, text, inlineBytes);
      if (attribute.M) known.set(area, (known.get(area) ?? new Map()).set(text, attribute));
      return attribute;
    },
  };
}

/** The name of the large value that an attribute stands for; undefined for any other attribute. */
export function valueNameIn(attribute: AttributeValue): string | undefined {
  const { sha256, mark } = attribute.M ?? {};
  return sha256?.S === undefined ? undefined : `${sha256.S}-${mark?.S}`;
}

export function createTexts(large: LargeValues | undefined): Texts {
  return {
    async put(area, text, inlineBytes = INLINE_BYTES) {
      const sizeBytes = Buffer.byteLength(text);
      if (sizeBytes <= inlineBytes) return { S: text };
      const bytes = new TextEncoder().encode(text);
      // A name of its own: a value that nothing names in time is then never named later, and can be removed (S-79).
      const mark = randomBytes(MARK_BYTES).toString("hex");
      const attribute = {
        M: { sha256: { S: sha256Hex(bytes) }, mark: { S: mark }, sizeBytes: { N: String(sizeBytes) } },
      };
      await required(large, sizeBytes).put(area, valueNameIn(attribute) ?? "", bytes);
      return attribute;
    },

    async get(area, attribute, { sessionId, key }) {
      if (attribute.S !== undefined) return attribute.S;
      const { sha256, sizeBytes } = attribute.M ?? {};
      if (sha256?.S === undefined) throw new CheckpointCorruptError(sessionId, key, "it holds no text");
      const bytes = await required(large, Number(sizeBytes?.N)).get(area, valueNameIn(attribute) ?? "");
      if (bytes === null) throw new CheckpointCorruptError(sessionId, key, "its large value is missing");
      if (bytes.byteLength !== Number(sizeBytes?.N) || sha256Hex(bytes) !== sha256.S) {
        throw new CheckpointCorruptError(sessionId, key, "its large value is not the one that was stored");
      }
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    },
  };
}

function required(large: LargeValues | undefined, sizeBytes: number): LargeValues {
  if (large) return large;
  throw new Error(
    `A value of ${sizeBytes} bytes does not fit a DynamoDB item; give createDynamoSessionStore a place for large values (largeValues).`,
  );
}
