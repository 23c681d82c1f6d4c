/** Values too large for an item as objects of a bucket (S-74…S-76). */
import type { LargeValues } from "../dynamodb/index.js";
import { openBucket } from "./bucket.js";
import type { S3FileStoreOptions } from "./file-store.js";
import { layoutUnder, requireKey } from "./keys.js";
import { removeVersions } from "./remove-versions.js";

/**
 * Lies beside the session files, in the same bucket and under the same prefix if they are given the same. The service
 * itself compares the bytes with the hash that names them, and writes nothing where the object is there already; whoever
 * reads compares again (S-75).
 */
export function createS3LargeValues(options: S3FileStoreOptions): LargeValues {
  const bucket = openBucket(options);
  const layout = layoutUnder(options.prefix);

  return {
    async put(area, sha256, bytes) {
      await bucket.put(requireKey(layout.value(area, sha256), area), bytes, { condition: "absent", sha256 });
    },

    async get(area, sha256) {
      return (await bucket.get(requireKey(layout.value(area, sha256), area)))?.bytes ?? null;
    },

    removeAll: (area) => removeVersions(bucket, layout.value(area, ""), () => true),
  };
}
