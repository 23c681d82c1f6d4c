/** The stand-in itself: what the stores rely on has to hold here as it does at the service. */
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type LocalS3, startS3 } from "./s3.js";

const Bucket = "bench";

describe("F-86 the S3 stand-in", () => {
  let s3: LocalS3;
  let client: S3Client;

  beforeAll(async () => {
    s3 = await startS3();
    s3.createBucket(Bucket);
    client = s3.client();
  });
  afterAll(() => s3.stop());
  beforeEach(() => {
    s3.requests.length = 0;
  });

  const put = (Key: string, Body = "x", more = {}) => client.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
  const textOf = async (Key: string) =>
    (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();

  it("F-86 lets one of 20 racing creates win", async () => {
    const creates = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => put("race", `w${n}`, { IfNoneMatch: "*" })),
    );

    const winner = creates.findIndex((create) => create.status === "fulfilled");
    const losers = creates.flatMap((create) => (create.status === "rejected" ? [create.reason] : []));
    expect(losers).toHaveLength(19);
    for (const loser of losers) expect(loser).toMatchObject({ name: "PreconditionFailed" });
    expect(await textOf("race")).toBe(`w${winner}`);
  });

  it("F-86 lets one of 20 replacements of one version win, and tells an absent object by 404", async () => {
    const { ETag } = await put("replaced", "start");
    const writes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => put("replaced", `w${n}`, { IfMatch: ETag })),
    );

    expect(writes.filter((write) => write.status === "fulfilled")).toHaveLength(1);
    await expect(put("absent", "x", { IfMatch: ETag })).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  it("F-86 refuses a sub-resource it does not know and leaves the object", async () => {
    await put("tagged", "content");
    const tagging = new PutObjectTaggingCommand({
      Bucket,
      Key: "tagged",
      Tagging: { TagSet: [{ Key: "a", Value: "b" }] },
    });

    await expect(client.send(tagging)).rejects.toMatchObject({
      name: "NotImplemented",
      $metadata: { httpStatusCode: 501 },
    });
    expect(await textOf("tagged")).toBe("content");
  });

  it("F-86 refuses a bucket that is not there, and a version by its id", async () => {
    const command = new ListObjectsV2Command({ Bucket: "nowhere" });
    await expect(client.send(command)).rejects.toMatchObject({ name: "NoSuchBucket" });
    const version = new GetObjectCommand({ Bucket, Key: "k", VersionId: "null" });
    await expect(client.send(version)).rejects.toMatchObject({ name: "NotImplemented" });
  });

  it.each([
    { ChecksumCRC32: "AAAAAA==" },
    { ChecksumSHA256: Buffer.alloc(32).toString("base64") },
    { ContentMD5: "AA==" },
  ])("F-86 refuses a wrong checksum: %o", async (checksum) => {
    await expect(put("checked", "content", checksum)).rejects.toMatchObject({ name: "BadDigest" });
    await expect(textOf("checked")).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  it("F-86 refuses keys over 1,024 bytes and batches over 1,000 keys", async () => {
    await put("k".repeat(1_024));
    await expect(put("k".repeat(1_025))).rejects.toMatchObject({ name: "KeyTooLongError" });
    const Objects = Array.from({ length: 1_001 }, (_, n) => ({ Key: `b${n}` }));
    await expect(client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))).rejects.toMatchObject({
      name: "MalformedXML",
    });
  });

  it("F-86 lists in the order of UTF-8 bytes, page by page", async () => {
    const names = ["B", "a", "_", "é", "\uff5e", "🙂"];
    for (const name of names) await put(`order/${name}`);
    const seen: (string | undefined)[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await client.send(
        new ListObjectsV2Command({ Bucket, Prefix: "order/", MaxKeys: 2, ContinuationToken }),
      );
      seen.push(...(page.Contents ?? []).map(({ Key }) => Key?.slice("order/".length)));
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);

    expect(seen).toEqual(["B", "_", "a", "é", "\uff5e", "🙂"]);
  });

  it("keeps versions where a bucket does, and gives the one before back", async () => {
    const versioned = { Bucket: "versioned", Key: "k" };
    s3.createBucket("versioned", { isVersioned: true });
    for (const Body of ["1", "2"]) await client.send(new PutObjectCommand({ ...versioned, Body }));
    await client.send(new DeleteObjectCommand(versioned));
    expect(s3.versions("versioned").map(({ isMark }) => isMark)).toEqual([true, false, false]);
    await expect(client.send(new GetObjectCommand(versioned))).rejects.toMatchObject({ name: "NoSuchKey" });

    const { DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket: "versioned" }));
    const Objects = DeleteMarkers.map(({ Key, VersionId }) => ({ Key, VersionId }));
    await client.send(new DeleteObjectsCommand({ Bucket: "versioned", Delete: { Objects } }));
    const found = await client.send(new GetObjectCommand(versioned));
    expect(await found.Body?.transformToString()).toBe("2");
  });

  it("shows planned faults once", async () => {
    s3.faults.add({ kind: "refuse", operation: "PutObject", status: 503, code: "SlowDown" });
    s3.faults.add({ kind: "lose-answer", operation: "PutObject" });
    await put("faulty", "kept");

    expect(s3.requests).toEqual(["PutObject faulty", "PutObject faulty", "PutObject faulty"]);
    expect(await textOf("faulty")).toBe("kept");
  });
});
