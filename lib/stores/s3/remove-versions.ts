/** Removing objects for good: in a bucket that keeps versions, a removal alone would only hide them (F-47). */
import { ParkwayError } from "../../session/errors.js";
import { backoffMs } from "../backoff.js";
import { type Bucket, decodedKey } from "./bucket.js";

/** API reference, DeleteObjects: at most 1,000 keys a request. */
const KEYS_PER_REQUEST = 1_000;

/** How often what a batch left undone is sent again. */
const ATTEMPTS = 6;

/** Refusals of a single key that pass by themselves. Any other is final. */
const PASSING = ["InternalError", "SlowDown", "ServiceUnavailable", "RequestTimeout", "OperationAborted"];

interface Version {
  Key: string;
  VersionId: string;
}

/** Some objects could not be removed. Removing again goes on with them. */
export class ObjectsNotRemovedError extends ParkwayError {
  override readonly code = "objects-not-removed";
  override readonly retryable = true;
  constructor(readonly failed: readonly { key: string; reason: string }[]) {
    const first = failed[0];
    super(`${failed.length} objects could not be removed, "${first?.key}" for one (${first?.reason}); remove again.`);
  }
}

/**
 * Removes every version of every object below a prefix that `owns` says yes to, and the marks of earlier removals. What a
 * batch leaves undone is sent again until nothing is left (F-53). Needs the rights to list and delete versions.
 *
 * @param owns - by key
 * @throws {ObjectsNotRemovedError} when some remain; the others are removed
 */
export async function removeVersions(bucket: Bucket, prefix: string, owns: (key: string) => boolean): Promise<void> {
  const failed: { key: string; reason: string }[] = [];
  let batch: Version[] = [];
  for await (const version of versionsBelow(bucket, prefix)) {
    if (!owns(version.Key)) continue;
    batch.push(version);
    if (batch.length < KEYS_PER_REQUEST) continue;
    failed.push(...(await removeBatch(bucket, batch)));
    batch = [];
  }
  if (batch.length > 0) failed.push(...(await removeBatch(bucket, batch)));
  if (failed.length > 0) throw new ObjectsNotRemovedError(failed);
}

async function* versionsBelow(bucket: Bucket, prefix: string): AsyncGenerator<Version> {
  const { sdk, client, bucket: name } = await bucket.open();
  let from: { KeyMarker?: string; VersionIdMarker?: string } = {};
  while (true) {
    const page = await client.send(
      new sdk.ListObjectVersionsCommand({ Bucket: name, Prefix: prefix, EncodingType: "url", ...from }),
    );
    for (const { Key, VersionId } of [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])]) {
      yield { Key: decodedKey(Key ?? "", page.EncodingType), VersionId: VersionId ?? "null" };
    }
    if (!page.IsTruncated) return;
    from = {
      KeyMarker: decodedKey(page.NextKeyMarker ?? "", page.EncodingType),
      VersionIdMarker: page.NextVersionIdMarker,
    };
  }
}

/** Returns what could not be removed. */
async function removeBatch(bucket: Bucket, batch: readonly Version[]): Promise<{ key: string; reason: string }[]> {
  const { sdk, client, bucket: name, sleep } = await bucket.open();
  let left = batch;
  for (let attempt = 1; ; attempt += 1) {
    const Delete = { Objects: [...left], Quiet: true };
    const { Errors = [] } = await client.send(
      new sdk.DeleteObjectsCommand({ Bucket: name, Delete, ChecksumAlgorithm: "CRC32" }),
    );
    const refused = Errors.map(({ Key = "", VersionId, Code = "" }) => ({ Key, VersionId, Code }));
    const isFinal = attempt === ATTEMPTS || refused.some(({ Code }) => !PASSING.includes(Code));
    if (refused.length === 0 || isFinal) return refused.map(({ Key, Code }) => ({ key: Key, reason: Code }));
    left = left.filter((version) => refused.some((one) => isSame(one, version)));
    await sleep(backoffMs(attempt));
  }
}

function isSame(refused: { Key: string; VersionId?: string }, { Key, VersionId }: Version): boolean {
  return refused.Key === Key && (refused.VersionId === undefined || refused.VersionId === VersionId);
}
