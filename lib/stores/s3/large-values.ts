/** Values too large for an item as objects of a bucket (S-74…S-76). */
import type { LargeValues, ValueEntry } from "../dynamodb/index.js";
import { openBucket } from "./bucket.js";
import type { S3FileStoreOptions } from "./file-store.js";
import { layoutUnder, requireKey } from "./keys.js";
import { removeVersions } from "./remove-versions.js";

const SHA256_CHARS = 64;

/**
 * Lies beside the session files, in the same bucket and under the same prefix if they are given the same. The service
 * itself compares the bytes with the hash that names them, and writes nothing where the object is there already; whoever
 * reads compares again (S-75).
 */
export function createS3LargeValues(options: S3FileStoreOptions): LargeValues {
  const bucket = openBucket(options);
  const layout = layoutUnder(options.prefix);

  return {
    async put(area, name, bytes) {
      const sha256 = name.slice(0, SHA256_CHARS);
      await bucket.put(requireKey(layout.value(area, name), area), bytes, { condition: "absent", sha256 });
    },

    async get(area, name) {
      return (await bucket.get(requireKey(layout.value(area, name), area)))?.bytes ?? null;
    },

    async list({ after, limit }) {
      const found: ValueEntry[] = [];
      if (limit < 1) return found;
      for await (const { key, modifiedAt } of bucket.list(layout.values, { after: layout.values + after, limit })) {
        found.push({ ...layout.valueOf(key), modifiedAt, cursor: key.slice(layout.values.length) });
        if (found.length === limit) break;
      }
      return found;
    },

    async remove(area, name) {
      const value = layout.value(area, name);
      await removeVersions(bucket, value, (key) => key === value);
    },

    removeAll: (area) => removeVersions(bucket, layout.value(area, ""), () => true),
  };
}
