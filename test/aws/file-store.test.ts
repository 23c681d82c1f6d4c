/** The file store contract over the wire, on a bucket that keeps versions and on one that does not. */
import { afterAll, beforeAll } from "vitest";
import { createS3FileStore } from "../../lib/stores/s3/index.js";
import { fileStoreContract } from "../contract/file-store.contract.js";
import { type LocalS3, startS3 } from "./s3.js";

let s3: LocalS3;
let count = 0;

beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.stop());

fileStoreContract("s3", async () => {
  count += 1;
  const bucket = `plain-${count}`;
  s3.createBucket(bucket);
  return { open: () => createS3FileStore({ bucket, client: s3.client() }), dispose: async () => {} };
});

fileStoreContract("s3 with versions and a prefix", async () => {
  count += 1;
  const bucket = `versioned-${count}`;
  s3.createBucket(bucket, { isVersioned: true });
  return {
    open: () => createS3FileStore({ bucket, prefix: "env/one", client: s3.client() }),
    dispose: async () => {},
  };
});
