/** The file store's contract over moto's S3, on a bucket that keeps versions and on one that does not. */
import { randomUUID } from "node:crypto";
import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll } from "vitest";
import { createS3FileStore } from "../../lib/stores/s3/index.js";
import { fileStoreContract } from "../contract/file-store.contract.js";

const client = new S3Client({ forcePathStyle: true });
afterAll(() => client.destroy());

fileStoreContract("s3", async () => {
  const bucket = await aBucket();
  return { open: () => createS3FileStore({ bucket, client }), dispose: async () => {} };
});

fileStoreContract("s3 with versions and a prefix", async () => {
  const bucket = await aBucket();
  const VersioningConfiguration = { Status: "Enabled" } as const;
  await client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }));
  return { open: () => createS3FileStore({ bucket, prefix: "env/one", client }), dispose: async () => {} };
});

async function aBucket(): Promise<string> {
  const Bucket = randomUUID();
  await client.send(new CreateBucketCommand({ Bucket }));
  return Bucket;
}
