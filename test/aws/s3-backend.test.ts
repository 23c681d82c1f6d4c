/** The backend over a bucket: the contract of every backend over the wire, and what only a bucket has. */
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createS3Backend } from "../../lib/stores/s3/index.js";
import { createWorkspace } from "../../lib/workspace/index.js";
import { describeBackend } from "../contract/backend.contract.js";
import { type LocalS3, startS3 } from "./s3.js";

let s3: LocalS3;
let count = 0;

beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.stop());

function aBucket(options?: { isVersioned: true }): string {
  count += 1;
  s3.createBucket(`backend-${count}`, options);
  return `backend-${count}`;
}

describeBackend({ name: "a bucket", create: async () => createS3Backend({ bucket: aBucket(), client: s3.client() }) });
describeBackend({
  name: "a bucket with versions, under a prefix",
  create: async () =>
    createS3Backend({ bucket: aBucket({ isVersioned: true }), prefix: "env/one", client: s3.client() }),
});

describe("a bucket", () => {
  it.each([
    [undefined, ""],
    ["env", "env/"],
    ["/env/one/", "env/one/"],
  ])("H-82 H-88 keeps files at their own keys under the prefix %j, which no path shows", async (prefix, base) => {
    const bucket = aBucket();
    const files = createS3Backend({ bucket, client: s3.client(), ...(prefix !== undefined ? { prefix } : {}) });

    await files.write("/a/50% ünï+code 🙂.txt", "kept");

    const Key = `${base}a/50% ünï+code 🙂.txt`;
    const object = await s3.client().send(new GetObjectCommand({ Bucket: bucket, Key }));
    expect(await object.Body?.transformToString()).toBe("kept");
    expect((await files.glob("**")).files?.map(({ path }) => path)).toEqual(["/a/50% ünï+code 🙂.txt"]);
    expect((await files.ls("/")).files).toEqual([{ path: "/a", isDir: true }]);
  });

  it("H-82 e shows what others put there, leaves out keys that no path leads to, and stays under its prefix", async () => {
    const bucket = aBucket();
    const keys = ["run/a.txt", "run/dir/", "run//b.txt", "run/../c.txt", "run7/d.txt", "run/e/f.txt"];
    for (const Key of keys) await s3.client().send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }));
    const files = createS3Backend({ bucket, prefix: "run", client: s3.client() });

    expect((await files.ls("/")).files?.map(({ path }) => path)).toEqual(["/a.txt", "/dir", "/e"]);
    expect((await files.ls("/dir")).files).toEqual([]);
    expect((await files.glob("**")).files?.map(({ path }) => path)).toEqual(["/a.txt", "/e/f.txt"]);
    expect((await files.grep("run")).matches).toHaveLength(2);
  });

  it("H-82 e lists a level of more than a page, with one request a page whatever lies below", async () => {
    const bucket = aBucket();
    const files = createS3Backend({ bucket, client: s3.client() });
    const client = s3.client();
    const keys = Array.from({ length: 1_005 }, (_, index) => `f${index}/x/y.txt`);
    while (keys.length > 0) {
      const some = keys.splice(0, 50).map((Key) => new PutObjectCommand({ Bucket: bucket, Key, Body: "x" }));
      await Promise.all(some.map((command) => client.send(command)));
    }
    s3.requests.length = 0;

    const { files: level } = await files.ls("/");

    expect(level).toHaveLength(1_005);
    expect(s3.requests).toHaveLength(2);
  });

  it("H-82 b refuses a path that no object's name can have, and a file below a file", async () => {
    const files = createS3Backend({ bucket: aBucket(), client: s3.client() });
    await files.write("/a.txt", "x");

    expect((await files.write(`/${"n".repeat(1_100)}`, "x")).error).toMatch(/^invalid_path/);
    expect((await files.readRaw(`/${"n".repeat(1_100)}`)).error).toMatch(/^file_not_found/);
    expect((await files.write("/a.txt/b/c.txt", "x")).error).toMatch(/^invalid_path/);
    expect((await files.uploadFiles([["/a.txt/b", new Uint8Array()]]))[0]?.error).toBe("invalid_path");
    expect((await files.glob("**")).files?.map(({ path }) => path)).toEqual(["/a.txt"]);
  });

  it("H-82 b R-231 throws what the service does not answer, and a workspace says no more than that it failed", async () => {
    const files = createS3Backend({ bucket: "there-is-none", client: s3.client() });
    const failures: unknown[] = [];
    const workspace = createWorkspace({
      area: createS3Backend({ bucket: aBucket(), client: s3.client() }),
      mounts: { "/handbook/": files },
      mountFailed: (_mount, error) => failures.push(error),
    });

    await expect(files.read("/a.txt")).rejects.toThrow();
    expect((await workspace.read("/handbook/a.txt")).error).toBe("io_error: the store failed");
    expect(failures).toHaveLength(1);
  });

  it("H-82 c loads the service's client at its first use alone", () => {
    expect(() => createS3Backend({ bucket: "never-asked" })).not.toThrow();
  });
});
