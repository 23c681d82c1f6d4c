/** What every file store promises. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileConflictError, SessionStoreIdError, WorkspacePathEscapeError } from "../../lib/session/index.js";
import type { FileStore } from "../../lib/session/ports.js";

export interface FileStoreUnderTest {
  /** Another handle on the same files, as another process would have. */
  open(): FileStore;
  dispose(): Promise<void>;
}

export function fileStoreContract(name: string, create: () => Promise<FileStoreUnderTest>): void {
  describe(`file store contract: ${name}`, () => {
    let under: FileStoreUnderTest;
    let files: FileStore;

    beforeEach(async () => {
      under = await create();
      files = under.open();
    });
    afterEach(() => under.dispose());

    const paths = async (sessionId: string) => (await files.list(sessionId)).map((entry) => entry.path);
    const textOf = async (sessionId: string, path: string) => {
      const file = await files.read(sessionId, path);
      return file === null ? null : new TextDecoder().decode(file.bytes);
    };
    const put = (sessionId: string, path: string, text = path) => files.write(sessionId, path, bytes(text));

    it("H-89 keeps bytes exactly, replaces whole, and shows them to every handle", async () => {
      const all = Uint8Array.from({ length: 256 }, (_, n) => n);
      await files.write("s1", "scratchpad/a.bin", new Uint8Array(10_000));
      const { version } = await files.write("s1", "scratchpad/a.bin", all);
      const read = await under.open().read("s1", "scratchpad/a.bin");

      expect(read?.bytes).toEqual(all);
      expect(read?.version).toBe(version);
      expect(read?.modifiedAt).toBeGreaterThan(0);
      expect(await files.list("s1")).toEqual([
        { path: "scratchpad/a.bin", sizeBytes: 256, modifiedAt: read?.modifiedAt },
      ]);
    });

    it("H-89 keeps an empty file, and answers null for an absent one and for a folder", async () => {
      await put("s1", "a/empty", "");

      expect((await files.read("s1", "a/empty"))?.bytes).toEqual(new Uint8Array());
      expect(await files.read("s1", "a/other")).toBeNull();
      expect(await files.read("s1", "a")).toBeNull();
      expect(await files.read("s1", "a/empty/below")).toBeNull();
      expect(await files.read("nobody", "a")).toBeNull();
    });

    it("S-27 writes only over the version it expects, and only where nothing is when it expects nothing", async () => {
      const first = await files.write("s1", "f", bytes("1"), { ifVersion: null });
      await expect(files.write("s1", "f", bytes("x"), { ifVersion: null })).rejects.toBeInstanceOf(FileConflictError);
      await files.write("s1", "f", bytes("2"), { ifVersion: first.version });
      await expect(files.write("s1", "f", bytes("x"), { ifVersion: first.version })).rejects.toBeInstanceOf(
        FileConflictError,
      );
      await expect(files.write("s1", "g", bytes("x"), { ifVersion: first.version })).rejects.toBeInstanceOf(
        FileConflictError,
      );

      expect(await textOf("s1", "f")).toBe("2");
      expect(await paths("s1")).toEqual(["f"]);
    });

    it("S-27 lets one of 20 writers win who expect the same version", async () => {
      const { version } = await put("s1", "f", "start");
      const writes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) => under.open().write("s1", "f", bytes(`w${n}`), { ifVersion: version })),
      );

      const winner = writes.findIndex((write) => write.status === "fulfilled");
      expect(writes.filter((write) => write.status === "fulfilled")).toHaveLength(1);
      expect(await textOf("s1", "f")).toBe(`w${winner}`);
    });

    it("lists by path, and removes what is there", async () => {
      for (const path of ["b", "a/z", "a/b/c", "B"]) await put("s1", path);
      expect(await paths("s1")).toEqual(["B", "a/b/c", "a/z", "b"]);

      expect(await files.remove("s1", "a/b/c")).toBe(true);
      expect(await files.remove("s1", "a/b/c")).toBe(false);
      expect(await files.remove("s1", "a")).toBe(false);
      expect(await paths("s1")).toEqual(["B", "a/z", "b"]);
    });

    it("F-96 W-190 takes any legal name as it is", async () => {
      const names = [
        "a b",
        "%2e%2e",
        "back\\slash",
        "..",
        "...x",
        "-rf",
        "*?[x]",
        "Ünïcode 漢 🙂",
        ".hidden",
        "__proto__",
        "con",
      ];
      const legal = names.filter((name) => name !== "..");
      for (const name of legal) await put("s1", `x/${name}/${name}`, name);

      expect((await paths("s1")).sort()).toEqual(legal.map((name) => `x/${name}/${name}`).sort());
      for (const name of legal) expect(await textOf("s1", `x/${name}/${name}`)).toBe(name);
    });

    it.each(["../s2/f", "a/../../s2/f", "a/../b", "./a", "/etc/passwd", "a//b", "a/", "", "nul\u0000", "line\n"])(
      "F-96 R-229 refuses %j for reading, writing and removing alike",
      async (path) => {
        await put("s2", "f", "kept");

        await expect(files.read("s1", path)).rejects.toBeInstanceOf(WorkspacePathEscapeError);
        await expect(files.write("s1", path, bytes("x"))).rejects.toBeInstanceOf(WorkspacePathEscapeError);
        await expect(files.remove("s1", path)).rejects.toBeInstanceOf(WorkspacePathEscapeError);
        expect(await textOf("s2", "f")).toBe("kept");
      },
    );

    it.each(["..", "a/../b", "", "_specs", ".parkway", ".parkway/tmp", "scratchpad", "a/artifacts", "a~x"])(
      "F-100 R-2 takes no session id %j",
      async (id) => {
        await expect(files.read(id, "f")).rejects.toBeInstanceOf(SessionStoreIdError);
        await expect(files.write(id, "f", bytes("x"))).rejects.toBeInstanceOf(SessionStoreIdError);
        await expect(files.remove(id, "f")).rejects.toBeInstanceOf(SessionStoreIdError);
        await expect(files.list(id)).rejects.toBeInstanceOf(SessionStoreIdError);
        await expect(files.removeAll(id)).rejects.toBeInstanceOf(SessionStoreIdError);
      },
    );

    it("H-90 F-14 keeps two sessions' files apart, a caller's and its child's included", async () => {
      await put("s1", "scratchpad/f", "caller");
      await put("s1~1", "scratchpad/f", "child");

      expect(await textOf("s1", "scratchpad/f")).toBe("caller");
      expect(await textOf("s1~1", "scratchpad/f")).toBe("child");
      expect(await paths("s1")).toEqual(["scratchpad/f"]);
    });

    it("R-312 S-84 deletes what a session owns and nothing of one whose id begins the same", async () => {
      await put("run7", "scratchpad/a");
      await put("run7", "cases/notes");
      await put("run7/cases/x", "scratchpad/b");
      await put("run7/cases/x", "c");
      await put("run70", "scratchpad/d");

      expect(await paths("run7")).toEqual(["cases/notes", "scratchpad/a"]);
      await under.open().removeAll("run7");
      expect(await paths("run7")).toEqual([]);
      expect(await paths("run7/cases/x")).toEqual(["c", "scratchpad/b"]);
      expect(await paths("run70")).toEqual(["scratchpad/d"]);
      await files.removeAll("run7");
      expect(await textOf("run7/cases/x", "scratchpad/b")).toBe("scratchpad/b");
    });

    it("R-312 reaches no file of a longer id by path", async () => {
      await put("run7", "cases/y/own");
      await put("run7/cases/x", "f", "theirs");

      expect(await files.read("run7", "cases/x/f")).toBeNull();
      expect(await files.remove("run7", "cases/x/f")).toBe(false);
      await expect(put("run7", "cases/x/g")).rejects.toBeInstanceOf(WorkspacePathEscapeError);
      expect(await paths("run7/cases/x")).toEqual(["f"]);
      expect(await textOf("run7", "cases/y/own")).toBe("cases/y/own");
    });

    it("R-312 R-301 gives the place of a deleted longer id back", async () => {
      await put("run7/cases/x", "f");
      await files.removeAll("run7/cases/x");
      await put("run7", "cases/x/f", "mine");

      expect(await paths("run7")).toEqual(["cases/x/f"]);
    });

    it("H-89 shares specs between sessions, in no session's list, and never changes one", async () => {
      expect(await files.readShared("_specs/h.json")).toBeNull();
      await files.writeShared("_specs/h.json", bytes("one"));
      await files.writeShared("_specs/h.json", bytes("two"));

      expect(new TextDecoder().decode((await under.open().readShared("_specs/h.json")) ?? undefined)).toBe("one");
      await expect(files.writeShared("s1/f", bytes("x"))).rejects.toBeInstanceOf(WorkspacePathEscapeError);
      await expect(files.readShared("_specs/../s1/f")).rejects.toBeInstanceOf(WorkspacePathEscapeError);
      expect(await paths("s1")).toEqual([]);
    });

    it("S-79 pages through what is shared by path, and removes it for good", async () => {
      const uploads = [".parkway/uploads/a/1", ".parkway/uploads/a/2", ".parkway/uploads/b/漢", ".parkway/uploads/c"];
      for (const path of [...uploads].reverse()) await files.writeShared(path, bytes(path));
      await files.writeShared("_specs/h.json", bytes("spec"));
      await put("s1", "f");
      const page = async (after: string) =>
        (await under.open().listShared(".parkway/uploads/", { after, limit: 3 })).map(({ path }) => path);

      expect(await page("")).toEqual(uploads.slice(0, 3));
      expect(await page(uploads[2] ?? "")).toEqual(uploads.slice(3));
      expect(await page(uploads[3] ?? "")).toEqual([]);
      const [entry] = await files.listShared(".parkway/uploads/", { after: "", limit: 1 });
      expect(entry).toMatchObject({ sizeBytes: bytes(uploads[0] ?? "").length });
      expect(Math.abs((entry?.modifiedAt ?? 0) - Date.now())).toBeLessThan(60_000);

      await files.removeShared(uploads[1] ?? "");
      await files.removeShared(uploads[1] ?? "");
      expect(await page("")).toEqual([uploads[0], uploads[2], uploads[3]]);
      expect(await files.readShared(uploads[1] ?? "")).toBeNull();
      expect(await files.readShared("_specs/h.json")).not.toBeNull();
      await expect(files.removeShared("s1/f")).rejects.toBeInstanceOf(WorkspacePathEscapeError);
      await expect(files.listShared("s1/", { after: "", limit: 1 })).rejects.toBeInstanceOf(WorkspacePathEscapeError);
    });

    it("hands out copies", async () => {
      const given = bytes("kept");
      await files.write("s1", "f", given);
      given[0] = 0;
      const read = await files.read("s1", "f");
      if (read) read.bytes[0] = 0;

      expect(await textOf("s1", "f")).toBe("kept");
    });
  });
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
