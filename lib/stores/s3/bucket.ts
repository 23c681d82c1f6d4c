/** The operations of one bucket that the stores are built from, with the service's answers turned into values. */
import { randomUUID } from "node:crypto";
import type { _Object as ListedObject, S3Client } from "@aws-sdk/client-s3";
import { clientSettings } from "../aws-client.js";
import { backoffMs, type Sleep, sleepFor } from "../backoff.js";

/** How often a write is tried that another write of the same key is in the way of. */
const WRITE_ATTEMPTS = 8;

const READ_ATTEMPTS = 3;

/** API reference, ListObjectsV2. */
const KEYS_PER_PAGE = 1_000;

/** Tells one's own write from another's after an answer was lost. */
const WRITE_ID = "parkway-write";

export interface BucketOptions {
  bucket: string;
  /** Made from the environment when not given. */
  client?: S3Client;
  /** Another address than the region's, such as a local service; buckets are then addressed by path. */
  endpoint?: string;
  region?: string;
  sleep?: Sleep;
}

export interface StoredObject {
  bytes: Uint8Array;
  etag: string;
  /** Epoch milliseconds, whole seconds: what every kind of answer has. */
  modifiedAt: number;
}

export interface ObjectEntry {
  key: string;
  sizeBytes: number;
  modifiedAt: number;
}

export interface PutOptions {
  /** What the object must be for the write to happen: this version, or none. */
  condition?: { etag: string } | "absent";
  /** Hexadecimal; the service refuses other bytes. Without it a checksum of the transport guards them. */
  sha256?: string;
}

export interface Bucket {
  get(key: string): Promise<StoredObject | null>;
  has(key: string): Promise<boolean>;
  /** The object without its bytes. */
  head(key: string): Promise<ObjectEntry | null>;
  /** The new ETag, or null when the condition did not hold and nothing was written. */
  put(key: string, bytes: Uint8Array, options?: PutOptions): Promise<string | null>;
  remove(key: string): Promise<void>;
  /** Objects whose key begins with the prefix, however many, in key order; from the one after a key, in smaller pages. */
  list(prefix: string, from?: { after: string; limit: number }): AsyncGenerator<ObjectEntry>;
  /** One level below the prefix, which ends in "/": its objects, and what further objects lie below, each with its "/". */
  level(prefix: string): Promise<{ objects: ObjectEntry[]; folders: string[] }>;
  /** For requests not listed here. */
  open(): Promise<{ sdk: typeof import("@aws-sdk/client-s3"); client: S3Client; bucket: string; sleep: Sleep }>;
}

export function openBucket(options: BucketOptions): Bucket {
  const { bucket, sleep = sleepFor } = options;
  let connected: ReturnType<typeof connect> | undefined;
  async function open() {
    connected ??= connect(options);
    return { ...(await connected), bucket, sleep };
  }

  async function head(key: string) {
    const { sdk, client } = await open();
    return orNull(client.send(new sdk.HeadObjectCommand({ Bucket: bucket, Key: key })));
  }

  /** The ETag of the object if the write of this id made it: the service refused the repetition of a lost answer. */
  async function madeBy(writeId: string, key: string): Promise<string | null> {
    const found = await head(key);
    return found?.Metadata?.[WRITE_ID] === writeId ? (found.ETag ?? null) : null;
  }

  return {
    open,

    async get(key) {
      const { sdk, client } = await open();
      for (let attempt = 1; ; attempt += 1) {
        const command = new sdk.GetObjectCommand({ Bucket: bucket, Key: key, ChecksumMode: "ENABLED" });
        const found = await orNull(client.send(command));
        if (!found?.Body || found.ETag === undefined) return null;
        const { ETag: etag, LastModified } = found;
        try {
          return { bytes: await found.Body.transformToByteArray(), etag, modifiedAt: wholeSeconds(LastModified) };
        } catch (error) {
          // The answer broke off, or its checksum is wrong: the client repeats neither.
          if (attempt === READ_ATTEMPTS) throw error;
        }
        await sleep(backoffMs(attempt));
      }
    },

    has: async (key) => (await head(key)) !== null,

    async head(key) {
      const found = await head(key);
      return found && { key, sizeBytes: found.ContentLength ?? 0, modifiedAt: wholeSeconds(found.LastModified) };
    },

    async put(key, bytes, { condition, sha256 } = {}) {
      const { sdk, client } = await open();
      const writeId = randomUUID();
      const command = new sdk.PutObjectCommand({
        Bucket: bucket,
        Key: key,
        Body: bytes,
        ...(sha256 !== undefined
          ? { ChecksumAlgorithm: "SHA256", ChecksumSHA256: Buffer.from(sha256, "hex").toString("base64") }
          : { ChecksumAlgorithm: "CRC32" }),
        Metadata: { [WRITE_ID]: writeId },
        ...(condition === "absent" ? { IfNoneMatch: "*" } : condition ? { IfMatch: condition.etag } : {}),
      });
      for (let attempt = 1; ; attempt += 1) {
        try {
          return (await client.send(command)).ETag ?? null;
        } catch (error) {
          if (condition && isUnmet(error)) return madeBy(writeId, key);
          if (!isOverlapping(error) || attempt === WRITE_ATTEMPTS) throw error;
        }
        await sleep(backoffMs(attempt));
      }
    },

    async remove(key) {
      const { sdk, client } = await open();
      await client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },

    async level(prefix) {
      const { sdk, client } = await open();
      const input = { Bucket: bucket, Prefix: prefix, Delimiter: "/", EncodingType: "url" } as const;
      const objects: ObjectEntry[] = [];
      const folders: string[] = [];
      for await (const page of sdk.paginateListObjectsV2({ client }, input)) {
        objects.push(...(page.Contents ?? []).map((object) => entryOf(object, page.EncodingType)));
        folders.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => decodedKey(Prefix ?? "", page.EncodingType)));
      }
      return { objects, folders };
    },

    async *list(prefix, from) {
      const { sdk, client } = await open();
      const page = from ? { StartAfter: from.after, MaxKeys: Math.min(from.limit, KEYS_PER_PAGE) } : {};
      const input = { Bucket: bucket, Prefix: prefix, EncodingType: "url", ...page } as const;
      for await (const page of sdk.paginateListObjectsV2({ client }, input)) {
        for (const object of page.Contents ?? []) yield entryOf(object, page.EncodingType);
      }
    },
  };
}

function entryOf({ Key, Size, LastModified }: ListedObject, encoding: string | undefined): ObjectEntry {
  return { key: decodedKey(Key ?? "", encoding), sizeBytes: Size ?? 0, modifiedAt: wholeSeconds(LastModified) };
}

/** Keys come as in a form: a space is `+`. A service that does not know the encoding says so by not naming it. */
export function decodedKey(key: string, encoding: string | undefined): string {
  return encoding === "url" ? decodeURIComponent(key.replaceAll("+", " ")) : key;
}

async function connect(options: BucketOptions) {
  const sdk = await import("@aws-sdk/client-s3");
  if (options.client) return { sdk, client: options.client };
  const pathStyle = options.endpoint !== undefined ? { forcePathStyle: true } : {};
  const client = new sdk.S3Client({ ...clientSettings(options, 30_000), ...pathStyle });
  return { sdk, client };
}

/** F-57: the object is not as expected. A missing one is told by 404 when a version was expected. */
function isUnmet(error: unknown): boolean {
  return statusOf(error) === 412 || nameOf(error) === "NoSuchKey";
}

/** F-57: another write of the key was under way; which of them counts is not settled, so it is asked again. */
function isOverlapping(error: unknown): boolean {
  return statusOf(error) === 409 && ["ConditionalRequestConflict", "OperationAborted"].includes(nameOf(error));
}

/** The answer, or null where the object does not exist. A missing bucket is an error. */
async function orNull<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  try {
    return await answer;
  } catch (error) {
    if (["NoSuchKey", "NotFound"].includes(nameOf(error))) return null;
    throw error;
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } } | undefined)?.$metadata?.httpStatusCode;
}

function wholeSeconds(at: Date | undefined): number {
  return Math.floor((at?.getTime() ?? 0) / 1_000) * 1_000;
}
