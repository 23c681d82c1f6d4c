import { createHash } from "node:crypto";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CheckpointCorruptError } from "../../lib/session/errors.js";
import { createTexts } from "../../lib/stores/dynamodb/texts.js";
import { createS3FileStore, createS3LargeValues } from "../../lib/stores/s3/index.js";
import { type LocalS3, startS3 } from "./s3.js";

const bytes = (value: string) => new TextEncoder().encode(value);
const hashOf = (value: Uint8Array) => createHash("sha256").update(value).digest("hex");

describe("large values in S3", () => {
  let s3: LocalS3;
  let bucket: string;
  let values: ReturnType<typeof createS3LargeValues>;
  let count = 0;

  beforeAll(async () => {
    s3 = await startS3();
  });
  afterAll(() => s3.stop());
  beforeEach(() => {
    count += 1;
    bucket = `values-${count}`;
    s3.createBucket(bucket, { isVersioned: true });
    values = createS3LargeValues({ bucket, client: s3.client() });
  });

  const put = async (area: string, value: Uint8Array) => {
    await values.put(area, hashOf(value), value);
    return hashOf(value);
  };

  it("S-74 gives 5 MB back, and null for what is not there", async () => {
    const large = new Uint8Array(5 * 1_024 * 1_024).map((_, n) => (n * 31) % 251);
    const hash = await put("ticket-1", large);

    expect(Buffer.compare((await values.get("ticket-1", hash)) ?? Buffer.alloc(0), large)).toBe(0);
    expect(await values.get("ticket-1", hashOf(bytes("other")))).toBeNull();
    expect(await values.get("ticket-2", hash)).toBeNull();
  });

  it("S-76 writes a value once, however often it is put, and after a lost answer", async () => {
    s3.faults.add({ kind: "lose-answer", operation: "PutObject" });
    await Promise.all(Array.from({ length: 5 }, () => put("s1", bytes("same"))));

    expect(s3.versions(bucket)).toHaveLength(1);
  });

  it("S-76 no object gets the name of other bytes", async () => {
    await expect(values.put("s1", hashOf(bytes("a")), bytes("b"))).rejects.toMatchObject({ name: "BadDigest" });
    expect(s3.versions(bucket)).toEqual([]);
  });

  it.each(["altered", "missing"])("S-75 a value that is %s is told as such, with session and key", async (change) => {
    const texts = createTexts(values);
    const text = "long ".repeat(100_000);
    const attribute = await texts.put("s1", text);
    const of = { sessionId: "s1", key: "checkpoint/1" };
    expect(await texts.get("s1", attribute, of)).toBe(text);

    const Key = s3.versions(bucket)[0]?.key;
    if (change === "missing") await values.removeAll("s1");
    else await s3.client().send(new PutObjectCommand({ Bucket: bucket, Key, Body: text.replace("l", "L") }));

    const failure = await texts.get("s1", attribute, of).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CheckpointCorruptError);
    expect(failure).toMatchObject(of);
  });

  it("S-84 R-312 removes an area with all versions and none whose name begins the same", async () => {
    const areas = ["run7", "run7/cases/x", "run70", "run", "漢".repeat(170)];
    for (const area of areas) await put(area, bytes(area));
    await values.removeAll("run7");

    expect(await values.get("run7", hashOf(bytes("run7")))).toBeNull();
    for (const area of areas.slice(1)) expect(await values.get(area, hashOf(bytes(area)))).toEqual(bytes(area));
    expect(s3.versions(bucket)).toHaveLength(areas.length - 1);
    await values.removeAll("run7");
  });

  it("S-79 pages through all values with their times, and removes one with all its versions", async () => {
    const areas = ["S#a", "S#漢/b", "D#x"];
    for (const area of areas) await put(area, bytes(area));
    const first = await values.list({ after: "", limit: 2 });
    const rest = await values.list({ after: first.at(-1)?.cursor ?? "", limit: 2 });

    expect([...first, ...rest].map(({ area }) => area).sort()).toEqual([...areas].sort());
    expect(rest).toHaveLength(1);
    for (const { area, name, modifiedAt } of first) {
      expect(name).toBe(hashOf(bytes(area)));
      expect(Math.abs(modifiedAt - Date.now())).toBeLessThan(60_000);
    }

    await values.remove("S#a", hashOf(bytes("S#a")));
    expect(await values.get("S#a", hashOf(bytes("S#a")))).toBeNull();
    expect(s3.versions(bucket)).toHaveLength(2);
    expect(await values.list({ after: "", limit: 9 })).toHaveLength(2);
  });

  it("lies in no session's files", async () => {
    await put("s1", bytes("value"));
    const files = createS3FileStore({ bucket, client: s3.client() });

    expect(await files.list("s1")).toEqual([]);
    await files.removeAll("s1");
    expect(s3.versions(bucket)).toHaveLength(1);
  });
});
