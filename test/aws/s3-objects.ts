/** The emulator's objects, seen as the service has them: with the versions below the current one. */
import { randomUUID } from "node:crypto";

/** One object of the emulator; what else it holds stays with it. */
export interface EmulatedObject {
  key: string;
  body: Buffer;
  etag: string;
  contentLength: number;
  lastModified: Date;
}

/** The emulator's own map: bucket, key, object. */
export type EmulatedBuckets = Map<string, Map<string, EmulatedObject>>;

export interface Version {
  key: string;
  /** `null` where the bucket keeps no versions. */
  versionId: string;
  isLatest: boolean;
  /** Null: the mark that a removal left. */
  object: EmulatedObject | null;
  at: Date;
}

export interface VersionedObjects {
  hasBucket(bucket: string): boolean;
  keepVersions(bucket: string): void;
  current(bucket: string, key: string): EmulatedObject | undefined;
  /** Current objects in key order, which is that of UTF-8 bytes. */
  list(bucket: string, prefix: string): EmulatedObject[];
  /** All versions in key order, of one key the newest first. */
  versions(bucket: string, prefix: string): Version[];
  /** To be called before the emulator replaces or removes an object. */
  beforeChange(bucket: string, key: string, change: "put" | "remove"): void;
  /** Removes the object, or one version of it; the newest left becomes the current one. */
  remove(bucket: string, key: string, versionId?: string): void;
}

type Older = Omit<Version, "key" | "isLatest">;

export function versionedObjects(buckets: EmulatedBuckets): VersionedObjects {
  const versioned = new Set<string>();
  /** Newest first, by `<bucket>/<key>`. */
  const older = new Map<string, Older[]>();
  const currentIds = new Map<string, string>();
  const keysOf = (bucket: string) => buckets.get(bucket) ?? new Map<string, EmulatedObject>();

  function beforeChange(bucket: string, key: string, change: "put" | "remove"): void {
    if (!versioned.has(bucket)) return;
    const address = `${bucket}/${key}`;
    const stack = older.get(address) ?? [];
    const object = keysOf(bucket).get(key);
    if (object) stack.unshift({ versionId: currentIds.get(address) ?? "null", object, at: object.lastModified });
    currentIds.delete(address);
    if (change === "put") currentIds.set(address, randomUUID());
    else stack.unshift({ versionId: randomUUID(), object: null, at: new Date() });
    older.set(address, stack);
  }

  function removeVersion(bucket: string, key: string, versionId: string): void {
    const address = `${bucket}/${key}`;
    const stack = older.get(address) ?? [];
    if (keysOf(bucket).has(key) && (currentIds.get(address) ?? "null") === versionId) {
      keysOf(bucket).delete(key);
      currentIds.delete(address);
    } else {
      const at = stack.findIndex((version) => version.versionId === versionId);
      if (at >= 0) stack.splice(at, 1);
    }
    const [newest] = stack;
    if (keysOf(bucket).has(key) || !newest?.object) return;
    stack.shift();
    keysOf(bucket).set(key, newest.object);
    currentIds.set(address, newest.versionId);
  }

  return {
    hasBucket: (bucket) => buckets.has(bucket),
    keepVersions: (bucket) => versioned.add(bucket),
    current: (bucket, key) => keysOf(bucket).get(key),
    beforeChange,

    list: (bucket, prefix) => [...keysOf(bucket).values()].filter(({ key }) => key.startsWith(prefix)).sort(byKey),

    versions(bucket, prefix) {
      const addresses = [...older.keys()].filter((address) => address.startsWith(`${bucket}/${prefix}`));
      const keys = new Set(addresses.map((address) => address.slice(bucket.length + 1)));
      for (const key of keysOf(bucket).keys()) if (key.startsWith(prefix)) keys.add(key);
      const inOrder = [...keys].map((key) => ({ key })).sort(byKey);
      return inOrder.flatMap(({ key }) => {
        const object = keysOf(bucket).get(key);
        const address = `${bucket}/${key}`;
        const current = object
          ? [{ versionId: currentIds.get(address) ?? "null", object, at: object.lastModified }]
          : [];
        const all = [...current, ...(older.get(address) ?? [])];
        return all.map((version, index) => ({ ...version, key, isLatest: index === 0 }));
      });
    },

    remove(bucket, key, versionId) {
      if (versionId !== undefined) return removeVersion(bucket, key, versionId);
      beforeChange(bucket, key, "remove");
      keysOf(bucket).delete(key);
    },
  };
}

function byKey(a: { key: string }, b: { key: string }): number {
  return Buffer.compare(Buffer.from(a.key), Buffer.from(b.key));
}
