/** What the S3 file store does beyond the contract: the service's faults, limits and versions. */
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FileConflictError, InvalidSessionPathError, WorkspacePathEscapeError } from "../../lib/session/errors.js";
import type { FileStore } from "../../lib/session/ports.js";
import { createS3FileStore, ObjectsNotRemovedError } from "../../lib/stores/s3/index.js";
import { type LocalS3, startS3 } from "./s3.js";

const text = (value: string) => new TextEncoder().encode(value);

describe("session files in S3", () => {
  let s3: LocalS3;
  let bucket: string;
  let files: FileStore;
  let pauses: number[];
  let count = 0;

  beforeAll(async () => {
    s3 = await startS3();
  });
  afterAll(() => s3.stop());
  beforeEach(() => {
    count += 1;
    bucket = `files-${count}`;
    s3.createBucket(bucket, { isVersioned: true });
    pauses = [];
    files = open();
    s3.requests.length = 0;
  });

  function open(options: { prefix?: string } = {}): FileStore {
    const sleep = async (ms: number) => {
      pauses.push(ms);
    };
    return createS3FileStore({ bucket, client: s3.client(), sleep, ...options });
  }
  const put = (sessionId: string, path: string, value = path) => files.write(sessionId, path, text(value));
  const paths = async (sessionId: string) => (await files.list(sessionId)).map(({ path }) => path);
  const textOf = async (sessionId: string, path: string) =>
    new TextDecoder().decode((await files.read(sessionId, path))?.bytes);
  const objectText = async (Key: string) =>
    (await s3.client().send(new GetObjectCommand({ Bucket: bucket, Key }))).Body?.transformToString();

  describe("H-89 addresses", () => {
    it.each([
      [undefined, ""],
      ["env", "env/"],
      ["/env/one/", "env/one/"],
    ])("H-89 stores at the public address under the prefix %j", async (prefix, base) => {
      await open({ prefix }).write("a/b", "scratchpad/50% ünï+code 🙂.txt", text("kept"));

      expect(await objectText(`${base}a/b/scratchpad/50% ünï+code 🙂.txt`)).toBe("kept");
    });

    it("H-89 reads and lists what a host put there, but no address of no file", async () => {
      for (const Key of ["s1/artifacts/made", "s1/folder/", "s1/a//b", "s1/../s2"]) {
        await s3.client().send(new PutObjectCommand({ Bucket: bucket, Key, Body: "host" }));
      }

      expect(await textOf("s1", "artifacts/made")).toBe("host");
      expect(await paths("s1")).toEqual(["artifacts/made"]);
    });

    it("keeps prefixes apart of which one begins another", async () => {
      for (const prefix of ["run", "run7"]) await open({ prefix }).write("s1", "f", text(prefix));
      await open({ prefix: "run" }).removeAll("s1");

      expect(s3.versions(bucket).map(({ key }) => key)).toEqual(["run7/s1/f"]);
    });

    it("takes no path whose key would be over 1,024 bytes or holds what no key can, and finds none", async () => {
      for (const path of ["x".repeat(1_022), `a/${"漢".repeat(340)}`, "lone\ud800", "non\uffff"]) {
        await expect(put("s1", path)).rejects.toBeInstanceOf(InvalidSessionPathError);
        expect(await files.read("s1", path)).toBeNull();
        expect(await files.remove("s1", path)).toBe(false);
      }
      await put("s1", "x".repeat(1_021));
      expect(await paths("s1")).toHaveLength(1);
    });
  });

  describe("S-27 F-57 conditional writes", () => {
    it("F-57 asks again after 409, and takes 412 for a conflict at once", async () => {
      const { version } = await put("s1", "f", "1");
      s3.faults.add({
        kind: "refuse",
        operation: "PutObject",
        status: 409,
        code: "ConditionalRequestConflict",
        times: 3,
      });
      await files.write("s1", "f", text("2"), { ifVersion: version });
      expect(pauses).toHaveLength(3);
      expect(await textOf("s1", "f")).toBe("2");

      s3.requests.length = 0;
      await expect(files.write("s1", "f", text("3"), { ifVersion: version })).rejects.toBeInstanceOf(FileConflictError);
      expect(s3.requests.filter((request) => request.startsWith("Put"))).toEqual(["PutObject s1/f"]);
      expect(await textOf("s1", "f")).toBe("2");
    });

    it("F-57 gives up when 409 does not end, and says so", async () => {
      const refused = {
        kind: "refuse",
        operation: "PutObject",
        status: 409,
        code: "ConditionalRequestConflict",
      } as const;
      s3.faults.add({ ...refused, times: 8 });

      await expect(files.write("s1", "f", text("1"), { ifVersion: null })).rejects.toMatchObject({
        name: refused.code,
      });
      expect(await files.read("s1", "f")).toBeNull();
    });

    it.each([null, "present"])(
      "S-27 a write whose answer is lost is no conflict with itself (expecting %s)",
      async (expected) => {
        const ifVersion = expected === null ? null : (await put("s1", "f", "before")).version;
        s3.faults.add({ kind: "lose-answer", operation: "PutObject" });
        const { version } = await files.write("s1", "f", text("after"), { ifVersion });

        expect(await files.read("s1", "f")).toMatchObject({ version, bytes: text("after") });
      },
    );

    it("S-27 a lost answer hides no conflict: the file of equal content is somebody else's", async () => {
      await put("s1", "f", "same");
      await expect(files.write("s1", "f", text("same"), { ifVersion: null })).rejects.toBeInstanceOf(FileConflictError);
    });

    it("writes and reads again when the service asks to slow down", async () => {
      s3.faults.add({ kind: "refuse", operation: "PutObject", status: 503, code: "SlowDown", times: 2 });
      s3.faults.add({ kind: "refuse", operation: "GetObject", status: 500, code: "InternalError" });
      await put("s1", "f", "kept");

      expect(await textOf("s1", "f")).toBe("kept");
    });

    it("a missing bucket is an error, not an absent file", async () => {
      const nowhere = createS3FileStore({ bucket: "nowhere", client: s3.client() });

      await expect(nowhere.read("s1", "f")).rejects.toMatchObject({ name: "NoSuchBucket" });
      await expect(nowhere.write("s1", "f", text("x"), { ifVersion: null })).rejects.toMatchObject({
        name: "NoSuchBucket",
      });
    });
  });

  it("sends a checksum with every file and asks for it back", async () => {
    await put("s1", "f", "kept");
    const head = new HeadObjectCommand({ Bucket: bucket, Key: "s1/f", ChecksumMode: "ENABLED" });

    expect((await s3.client().send(head)).ChecksumCRC32).toBeDefined();
  });

  it("reads again what was garbled on its way, and never hands it out", async () => {
    await put("s1", "f", "kept");
    s3.faults.add({ kind: "garble-answer", operation: "GetObject", times: 2 });
    expect(await textOf("s1", "f")).toBe("kept");

    s3.faults.add({ kind: "garble-answer", operation: "GetObject", times: 3 });
    await expect(files.read("s1", "f")).rejects.toThrow(/checksum/i);
  });

  it("R-312 removing a session leaves the marks of ids that its own begins", async () => {
    for (const id of ["run7/cases", "run7/cases/x", "run7/cases2"]) await put(id, "f");
    await files.removeAll("run7/cases");

    expect(await paths("run7")).toEqual([]);
    expect(await paths("run7/cases")).toEqual([]);
    expect(await paths("run7/cases/x")).toEqual(["f"]);
  });

  it("R-312 asks for a session's mark only where ids can lie inside one another", async () => {
    await put("s1", "scratchpad/f");
    await files.read("s1", "scratchpad/f");
    expect(s3.requests).toEqual(["PutObject s1/scratchpad/f", "GetObject s1/scratchpad/f"]);

    s3.requests.length = 0;
    await put("run7/cases/x", "scratchpad/f");
    await put("run7/cases/x", "scratchpad/f");
    expect(s3.requests).toEqual([
      "HeadObject .parkway/areas/run7/cases/x",
      "PutObject .parkway/areas/run7/cases/x",
      "PutObject run7/cases/x/scratchpad/f",
      "HeadObject .parkway/areas/run7/cases/x",
      "PutObject run7/cases/x/scratchpad/f",
    ]);
    await expect(put("run7", "cases/x/g")).rejects.toBeInstanceOf(WorkspacePathEscapeError);
  });

  it("lists more files than a page holds, and F-47 removes them with all their versions", async () => {
    const names = Array.from({ length: 1_205 }, (_, n) => `f${n}`);
    for (let at = 0; at < names.length; at += 40) {
      await Promise.all(names.slice(at, at + 40).map((name) => put("run7", `scratchpad/${name}`, "x")));
    }
    await put("run7", "scratchpad/f0", "changed");
    await files.remove("run7", "scratchpad/f1");
    await put("run7/cases/x", "g");
    await put("run70", "h");

    expect(await paths("run7")).toEqual(
      names
        .filter((name) => name !== "f1")
        .map((name) => `scratchpad/${name}`)
        .sort(),
    );
    await files.removeAll("run7");
    expect(s3.versions(bucket)).toEqual([
      { key: ".parkway/areas/run7/cases/x", isMark: false },
      { key: "run7/cases/x/g", isMark: false },
      { key: "run70/h", isMark: false },
    ]);
    await files.removeAll("run7/cases/x");
    expect(s3.versions(bucket)).toEqual([{ key: "run70/h", isMark: false }]);
  });

  describe("F-53 removals in a batch", () => {
    beforeEach(async () => {
      for (const name of ["a", "b", "c"]) await put("s1", name);
      s3.requests.length = 0;
    });

    it("F-53 sends what was refused for now again until nothing is left", async () => {
      for (const times of [1, 2]) {
        const item = times === 1 ? "s1/a" : "s1/b";
        s3.faults.add({ kind: "refuse-item", operation: "DeleteObjects", item, code: "SlowDown", times });
      }
      await files.removeAll("s1");

      expect(s3.requests.filter((request) => request.startsWith("DeleteObjects"))).toHaveLength(3);
      expect(pauses).toHaveLength(2);
      expect(s3.versions(bucket)).toEqual([]);
    });

    it("F-53 S-84 fails naming what stayed, and goes on when repeated", async () => {
      s3.faults.add({ kind: "refuse-item", operation: "DeleteObjects", item: "s1/b", code: "AccessDenied" });
      const failure = await files.removeAll("s1").catch((error: unknown) => error);

      expect(failure).toBeInstanceOf(ObjectsNotRemovedError);
      expect(failure).toMatchObject({ failed: [{ key: "s1/b", reason: "AccessDenied" }], retryable: true });
      expect(await paths("s1")).toEqual(["b"]);
      await files.removeAll("s1");
      expect(s3.versions(bucket)).toEqual([]);
    });

    it("S-84 R-312 keeps the session's mark until its files are gone", async () => {
      await put("s1/x", "f");
      s3.faults.add({ kind: "refuse-item", operation: "DeleteObjects", item: "s1/x/f", code: "AccessDenied" });
      await expect(files.removeAll("s1/x")).rejects.toBeInstanceOf(ObjectsNotRemovedError);

      expect(await paths("s1")).toEqual(["a", "b", "c"]);
      await files.removeAll("s1/x");
      expect(s3.versions(bucket).map(({ key }) => key)).toEqual(["s1/a", "s1/b", "s1/c"]);
    });
  });

  it("shared files: the first of 10 racing writers is kept, and a lost answer does no harm", async () => {
    s3.faults.add({ kind: "lose-answer", operation: "PutObject" });
    await Promise.all(Array.from({ length: 10 }, (_, n) => open().writeShared("_specs/h.json", text(`${n}`))));

    expect(s3.versions(bucket)).toEqual([{ key: "_specs/h.json", isMark: false }]);
  });

  it("keeps a file of 5 MB and an empty one exactly", async () => {
    const large = new Uint8Array(5 * 1_024 * 1_024).map((_, n) => (n * 31) % 251);
    await files.write("s1", "large", large);
    await files.write("s1", "empty", new Uint8Array());

    expect(Buffer.compare((await files.read("s1", "large"))?.bytes ?? Buffer.alloc(0), large)).toBe(0);
    expect((await files.read("s1", "empty"))?.bytes).toHaveLength(0);
  });
});
