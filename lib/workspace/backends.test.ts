import { mkdir, mkdtemp, readdir, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeBackend } from "../../test/contract/backend.contract.js";
import { aFileStore } from "../../test/contract/memory-file-store.js";
import { FileConflictError } from "../session/errors.js";
import type { FileStore } from "../session/ports.js";
import { createFilesystemFileStore } from "../stores/filesystem/index.js";
import { type Backend, createFilesystemBackend, createMemoryBackend, fileStoreBackend } from "./index.js";

const aFolder = () => mkdtemp(join(tmpdir(), "parkway-files-"));

/** The area of a store that lacks nothing. */
const wholeArea = (files: FileStore, sessionId: string) => fileStoreBackend(files, sessionId) as Required<Backend>;

describeBackend({ name: "memory", create: async () => createMemoryBackend() });
describeBackend({ name: "a folder on disk", create: async () => createFilesystemBackend(await aFolder()) });
describeBackend({
  name: "a session's area in the file store",
  create: async () => wholeArea(aFileStore(), "s-1"),
});

describe("a folder on disk", () => {
  it("F-97 refuses links out of the root for every operation and lists none of them", async () => {
    const [root, outside] = [await aFolder(), await aFolder()];
    await writeFile(join(outside, "secret.txt"), "secret");
    await symlink(outside, join(root, "way-out"));
    await symlink(join(outside, "secret.txt"), join(root, "link.txt"));
    await symlink(join(outside, "new.txt"), join(root, "dangling.txt"));
    const files = createFilesystemBackend(root);

    for (const path of ["/way-out/secret.txt", "/link.txt", "/way-out/new.txt", "/dangling.txt"]) {
      expect((await files.readRaw(path)).error, path).toMatch(/^(permission_denied|file_not_found)/);
      expect((await files.write(path, "x")).error, path).toMatch(/^permission_denied/);
      expect((await files.edit(path, "secret", "x")).error, path).toBeTypeOf("string");
      expect((await files.delete(path)).error, path).toBeTypeOf("string");
    }
    expect((await files.ls("/way-out")).error).toMatch(/^permission_denied/);
    expect((await files.ls("/")).files).toEqual([]);
    expect((await files.glob("**")).files).toEqual([]);
    expect((await files.grep("secret")).matches).toEqual([]);
    expect(await readdir(outside)).toEqual(["secret.txt"]);
  });

  it("F-97 follows links that stay inside the root, also in circles", async () => {
    const root = await aFolder();
    await mkdir(join(root, "a"));
    await writeFile(join(root, "a", "x.txt"), "here");
    await symlink(join(root, "a", "x.txt"), join(root, "inside.txt"));
    await symlink(root, join(root, "a", "up"));
    const files = createFilesystemBackend(root);

    expect((await files.readRaw("/inside.txt")).data?.content).toBe("here");
    expect((await files.glob("**/*.txt")).files?.map(({ path }) => path)).toEqual(["/a/x.txt", "/inside.txt"]);
  });

  it("R-231 says nothing of the real path", async () => {
    const root = await aFolder();
    const files = createFilesystemBackend(root);
    await files.write("/f", "x");

    const errors = [
      (await files.readRaw("/none")).error,
      (await files.write("/f/below", "x")).error,
      (await files.write(`/${"n".repeat(300)}`, "x")).error,
      (await files.delete("/none")).error,
    ];

    for (const error of errors) expect(error).not.toContain(root);
    expect(errors).not.toContain(undefined);
  });

  it("F-96 finds a name that the disk holds in another Unicode form", async () => {
    const root = await aFolder();
    await writeFile(join(root, "cafe\u0301.txt"), "x");
    const files = createFilesystemBackend(root);

    expect((await files.readRaw("/caf\u00e9.txt")).data?.content).toBe("x");
    expect((await files.ls("/")).files?.[0]?.path).toBe("/caf\u00e9.txt");
  });

  it("H-95 reads an absent root as empty and makes it at the first write", async () => {
    const files = createFilesystemBackend(join(await aFolder(), "later"));

    expect(await files.ls("/")).toEqual({ files: [] });
    await files.write("/a.txt", "x");
    expect((await files.read("/a.txt")).content).toBe("x");
  });
});

describe("a session's area in the file store", () => {
  it("H-89 W-251 keeps files under the session's id by their relative paths", async () => {
    const store = aFileStore();
    await fileStoreBackend(store, "s-1").write("/scratchpad/a.txt", "x");

    expect([...store.stored.keys()]).toEqual(["s-1/scratchpad/a.txt"]);
    expect((await fileStoreBackend(store, "s-2").ls("/")).files).toEqual([]);
  });

  it("F-97 R-231 answers a link on disk as an ordinary failure that names no address of the store", async () => {
    const [dir, outside] = [await aFolder(), await aFolder()];
    await writeFile(join(outside, "secret.txt"), "secret");
    const area = wholeArea(createFilesystemFileStore({ dir }), "s-1");
    await area.write("/a.txt", "x");
    await symlink(outside, join(dir, "s-1", "out"));

    const errors = [
      (await area.readRaw("/out/secret.txt")).error,
      (await area.downloadFiles(["/out/secret.txt"]))[0]?.error,
      (await area.edit("/out/secret.txt", "secret", "x")).error,
      (await area.write("/out/secret.txt", "x")).error,
      (await area.delete("/out/secret.txt")).error,
    ];

    for (const error of errors) expect(error).toMatch(/^invalid_path(?!.*s-1)/);
  });

  it("S-27 refuses a late write of a former owner, for a file that was changed and for one that was absent", async () => {
    const store = aFileStore();
    const later = fileStoreBackend(store, "s-1");
    await later.write("/a.txt", "old");
    const former = fileStoreBackend(
      stalling(store, async () => void (await later.write("/a.txt", "new"))),
      "s-1",
    );
    const formerNew = fileStoreBackend(
      stalling(store, async () => void (await later.write("/b.txt", "new"))),
      "s-1",
    );

    await expect(former.edit("/a.txt", "old", "late")).rejects.toThrow(FileConflictError);
    await expect(formerNew.write("/b.txt", "late")).rejects.toThrow(FileConflictError);

    expect((await later.read("/a.txt")).content).toBe("new");
    expect((await later.read("/b.txt")).content).toBe("new");
  });
});

/** The store as somebody sees it who is overtaken between looking and writing. */
function stalling(store: FileStore, meanwhile: () => Promise<void>): FileStore {
  return {
    ...store,
    async write(...args) {
      await meanwhile();
      return store.write(...args);
    },
  };
}
