import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  FileConflictError,
  InvalidSessionPathError,
  SessionStoreIdError,
  WorkspacePathEscapeError,
} from "../../session/errors.js";
import type { FileStore } from "../../session/ports.js";
import { createFilesystemFileStore } from "./file-store.js";

describe("file store on a file system", () => {
  let base: string;
  let dir: string;
  let files: FileStore;
  const put = (sessionId: string, path: string, text = "x") => files.write(sessionId, path, Buffer.from(text));

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), "parkway-"));
    dir = join(base, "sessions");
    files = createFilesystemFileStore({ dir });
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it("H-89 stores at the public address", async () => {
    await put("a/b", "scratchpad/f.txt", "text");
    await files.writeShared("_specs/h.json", Buffer.from("{}"));

    expect(readFileSync(join(dir, "a/b/scratchpad/f.txt"), "utf8")).toBe("text");
    expect(readFileSync(join(dir, "_specs/h.json"), "utf8")).toBe("{}");
  });

  it("H-89 reads what a host put at the address", async () => {
    mkdirSync(join(dir, "s1/artifacts"), { recursive: true });
    writeFileSync(join(dir, "s1/artifacts/made.txt"), "host");

    expect(Buffer.from((await files.read("s1", "artifacts/made.txt"))?.bytes ?? []).toString()).toBe("host");
  });

  describe("F-97 links", () => {
    beforeEach(async () => {
      mkdirSync(join(base, "outside"));
      writeFileSync(join(base, "outside", "secret"), "secret");
      await put("s1", "kept", "kept");
      symlinkSync(join(base, "outside"), join(dir, "s1", "out"));
      symlinkSync(join(base, "outside", "secret"), join(dir, "s1", "file"));
      symlinkSync(join(base, "outside", "new"), join(dir, "s1", "dangling"));
    });

    it.each(["out/secret", "out/new", "file", "dangling"])(
      "F-97 refuses %s for read, write and removal",
      async (path) => {
        await expect(files.read("s1", path)).rejects.toBeInstanceOf(WorkspacePathEscapeError);
        await expect(put("s1", path)).rejects.toBeInstanceOf(WorkspacePathEscapeError);
        await expect(files.remove("s1", path)).rejects.toBeInstanceOf(WorkspacePathEscapeError);
        expect(readdirSync(join(base, "outside"))).toEqual(["secret"]);
        expect(readFileSync(join(base, "outside", "secret"), "utf8")).toBe("secret");
      },
    );

    it("F-97 H-88 lists nothing behind a link and removes the link, never what it names", async () => {
      expect((await files.list("s1")).map((entry) => entry.path)).toEqual(["kept"]);
      await files.removeAll("s1");

      expect(existsSync(join(dir, "s1"))).toBe(false);
      expect(readFileSync(join(base, "outside", "secret"), "utf8")).toBe("secret");
    });

    it("F-97 refuses a session's folder that is a link", async () => {
      symlinkSync(join(base, "outside"), join(dir, "s2"));

      await expect(files.read("s2", "secret")).rejects.toBeInstanceOf(WorkspacePathEscapeError);
      await expect(files.list("s2")).rejects.toBeInstanceOf(WorkspacePathEscapeError);
      await expect(files.removeAll("s2")).rejects.toBeInstanceOf(WorkspacePathEscapeError);
      expect(existsSync(join(base, "outside", "secret"))).toBe(true);
    });

    it("F-97 works under a root that is itself reached by a link", async () => {
      symlinkSync(dir, join(base, "alias"));
      const aliased = createFilesystemFileStore({ dir: join(base, "alias") });
      await aliased.write("s3", "f", Buffer.from("via"));

      expect(readFileSync(join(dir, "s3", "f"), "utf8")).toBe("via");
    });
  });

  it("H-88 leaves no empty folder behind, and never removes the root", async () => {
    await put("a/b/c", "x/y/z");
    await files.remove("a/b/c", "x/y/z");

    expect(readdirSync(dir)).toEqual([".parkway"]);
    await files.removeAll("a/b/c");
    expect(existsSync(dir)).toBe(true);
  });

  it("leaves no temporary file, whether the write is done or refused", async () => {
    await put("s1", "f");
    await expect(files.write("s1", "f", Buffer.from("y"), { ifVersion: null })).rejects.toBeInstanceOf(
      FileConflictError,
    );
    await expect(put("s1", "f/below")).rejects.toBeInstanceOf(FileConflictError);
    await put("s1", "folder/f");
    await expect(put("s1", "folder")).rejects.toBeInstanceOf(FileConflictError);

    expect(readdirSync(join(dir, ".parkway", "tmp"))).toEqual([]);
  });

  it("R-312 remembers whose files are whose in a fresh process", async () => {
    await put("run7", "f");
    await put("run7/cases/x", "g");
    const fresh = createFilesystemFileStore({ dir });

    expect((await fresh.list("run7")).map((entry) => entry.path)).toEqual(["f"]);
  });

  it("refuses to write a name longer than folders take, and finds none", async () => {
    const path = `a/${"x".repeat(256)}`;

    await expect(put("s1", path)).rejects.toBeInstanceOf(InvalidSessionPathError);
    expect(await files.read("s1", path)).toBeNull();
  });

  it.each(["a//b", "a/", `a/${"x".repeat(256)}`])("H-90 takes no id that folders cannot spell: %s", async (id) => {
    await expect(put(id, "f")).rejects.toBeInstanceOf(SessionStoreIdError);
  });

  it.each(["a//b", "a/", `a/${"x".repeat(256)}`])(
    "H-91 has no file of an id that folders cannot spell: %s",
    async (id) => {
      await put("a/b", "f");

      expect(await files.read(id, "f")).toBeNull();
      expect(await files.list(id)).toEqual([]);
      expect(await files.remove(id, "f")).toBe(false);
      await files.removeAll(id);
      expect((await files.list("a/b")).map(({ path }) => path)).toEqual(["f"]);
    },
  );
});
