/** What every backend of this project does (H-82 a–j): one suite, run for each. */
import { describe, expect, it } from "vitest";
import type { Backend } from "../../lib/workspace/index.js";

export interface BackendUnderTest {
  name: string;
  /** A fresh, empty backend. */
  create(): Promise<Required<Backend>>;
}

export function describeBackend({ name, create }: BackendUnderTest): void {
  describe(`${name} as a backend`, () => {
    it("H-82 a answers absolute paths, whatever the spelling of the question", async () => {
      const files = await create();
      await files.write("a/./b//../c.txt", "x");

      expect((await files.ls("a/")).files?.map(({ path }) => path)).toEqual(["/a/c.txt"]);
      expect((await files.readRaw("/a/c.txt")).data?.content).toBe("x");
    });

    it("H-82 a F-96 keeps backslashes and percent signs as characters, and NFC as the one form", async () => {
      const files = await create();
      await files.write("/a\\b %2F.txt", "x");
      await files.write("/e\u0301.txt", "y");

      expect((await files.ls("/")).files?.map(({ path }) => path)).toEqual(["/a\\b %2F.txt", "/\u00e9.txt"]);
      expect((await files.readRaw("/\u00e9.txt")).data?.content).toBe("y");
    });

    it.each(["/../x", "../x", "/a/../../x", "/a\nb"])(
      "H-82 a b answers an error for %j in every method",
      async (path) => {
        const files = await create();

        for (const answer of [
          await files.ls(path),
          await files.read(path),
          await files.readRaw(path),
          await files.write(path, "x"),
          await files.edit(path, "a", "b"),
          await files.glob("**", path),
          await files.grep("x", path),
          await files.delete(path),
        ]) {
          expect(answer.error).toBeTypeOf("string");
        }
        expect(await files.downloadFiles([path])).toEqual([{ path, content: null, error: "invalid_path" }]);
        expect(await files.uploadFiles([[path, new Uint8Array()]])).toEqual([{ path, error: "invalid_path" }]);
      },
    );

    it("H-82 b answers what is missing, and a folder where a file is meant, with an error", async () => {
      const files = await create();
      await files.write("/dir/x.txt", "x");

      for (const path of ["/none", "/dir/none/x", "/dir"]) {
        expect((await files.read(path)).error, path).toBeTypeOf("string");
        expect((await files.readRaw(path)).error, path).toBeTypeOf("string");
        expect((await files.edit(path, "x", "y")).error, path).toBeTypeOf("string");
        expect((await files.delete(path)).error, path).toBeTypeOf("string");
      }
      expect((await files.write("/dir", "y")).error).toMatch(/^is_directory/);
      expect((await files.write("/", "y")).error).toMatch(/^is_directory/);
    });

    it("H-82 c creates parents, replaces a file whole, and the next read sees it", async () => {
      const files = await create();

      expect(await files.write("/a/b/c.txt", "a long first text")).toEqual({ path: "/a/b/c.txt" });
      await files.write("/a/b/c.txt", "short");

      expect((await files.read("/a/b/c.txt")).content).toBe("short");
    });

    it("H-82 d edits the only occurrence, or all of them when told to, and changes nothing otherwise", async () => {
      const files = await create();
      await files.write("/x.txt", "one two two $&");

      expect((await files.edit("/x.txt", "three", "x")).error).toBeTypeOf("string");
      expect((await files.edit("/x.txt", "two", "x")).error).toBeTypeOf("string");
      expect((await files.read("/x.txt")).content).toBe("one two two $&");
      expect(await files.edit("/x.txt", "two", "$&", true)).toEqual({ path: "/x.txt", occurrences: 2 });
      expect(await files.edit("/x.txt", "one", "1")).toEqual({ path: "/x.txt", occurrences: 1 });
      expect((await files.read("/x.txt")).content).toBe("1 $& $& $&");
    });

    it("H-82 e lists one level with folders marked, and an absent folder as empty", async () => {
      const files = await create();
      await files.write("/b.txt", "12345");
      await files.write("/a/x/deep.txt", "");

      const { files: entries } = await files.ls("/");
      expect(entries?.map(({ path, isDir }) => [path, isDir ?? false])).toEqual([
        ["/a", true],
        ["/b.txt", false],
      ]);
      expect(entries?.[1]?.size).toBe(5);
      expect(await files.ls("/none")).toEqual({ files: [] });
    });

    it("H-82 f counts lines of read from 0 and gives the whole file unaltered with readRaw", async () => {
      const files = await create();
      const text = "zero\r\none\n\ntwo\n";
      await files.write("/x.txt", text);

      expect((await files.read("/x.txt", 1, 2)).content).toBe("one\n");
      expect((await files.read("/x.txt")).content).toBe(text);
      expect((await files.readRaw("/x.txt")).data).toMatchObject({ content: text, mimeType: "text/plain" });
    });

    it("H-82 g keeps * and ? inside a segment, lets ** cross, and matches dot-names", async () => {
      const files = await create();
      for (const path of ["/a.md", "/.hidden.md", "/d/b.md", "/d/.e/c.md", "/d/x.txt"]) await files.write(path, "");
      const found = async (pattern: string, path?: string) =>
        (await files.glob(pattern, path)).files?.map((file) => file.path);

      expect(await found("*.md")).toEqual(["/.hidden.md", "/a.md"]);
      expect(await found("?.md")).toEqual(["/a.md"]);
      expect(await found("**/*.md")).toEqual(["/.hidden.md", "/a.md", "/d/.e/c.md", "/d/b.md"]);
      expect(await found("*.md", "/d")).toEqual(["/d/b.md"]);
      expect(await found("**", "/none")).toEqual([]);
    });

    it("H-82 h finds literal text with 1-based lines in path order, and says when it stopped", async () => {
      const files = await create();
      await files.write("/b.txt", "a.c\nabc\na.c");
      await files.write("/a/x.txt", "-- a.c --");

      expect(await files.grep("a.c")).toEqual({
        matches: [
          { path: "/a/x.txt", line: 1, text: "-- a.c --" },
          { path: "/b.txt", line: 1, text: "a.c" },
          { path: "/b.txt", line: 3, text: "a.c" },
        ],
      });
      const cut = await files.grep("a.c", "/", undefined, 2);
      expect(cut.truncated).toBe(true);
      expect(cut.matches?.map(({ path }) => path)).toEqual(["/a/x.txt", "/b.txt"]);
      expect((await files.grep("a.c", "/", "*.md")).matches).toEqual([]);
      expect((await files.grep("a.c", "/b.txt")).matches).toHaveLength(2);
    });

    it("H-82 i answers one result per input, in order, one failure not touching the others", async () => {
      const files = await create();
      await files.write("/dir/x.txt", "x");
      const bytes = new Uint8Array([1, 2]);

      const uploads = await files.uploadFiles([
        ["/one.bin", bytes],
        ["/dir", bytes],
        ["/../out", bytes],
        ["/two.bin", bytes],
      ]);
      expect(uploads.map(({ path, error }) => [path, error])).toEqual([
        ["/one.bin", null],
        ["/dir", "is_directory"],
        ["/../out", "invalid_path"],
        ["/two.bin", null],
      ]);
      const downloads = await files.downloadFiles(["/two.bin", "/none", "/dir", "/one.bin"]);
      expect(downloads.map(({ path, error }) => [path, error])).toEqual([
        ["/two.bin", null],
        ["/none", "file_not_found"],
        ["/dir", "is_directory"],
        ["/one.bin", null],
      ]);
    });

    it.each([
      ["every byte value", Uint8Array.from({ length: 256 }, (_, byte) => byte)],
      ["an empty file", new Uint8Array()],
      ["invalid UTF-8", new Uint8Array([0x61, 0xc3, 0x28, 0xff])],
      ["CRLF", new TextEncoder().encode("a\r\nb\r\n")],
      ["a byte order mark", new TextEncoder().encode("\uFEFFtext")],
      ["5 MB", new Uint8Array(5 * 1024 * 1024).map((_, index) => index * 31)],
    ])("H-82 j keeps %s byte for byte", async (_, bytes) => {
      const files = await create();

      await files.uploadFiles([["/x.dat", bytes]]);

      const [download] = await files.downloadFiles(["/x.dat"]);
      expect(Buffer.compare(download!.content!, bytes)).toBe(0);
      const raw = (await files.readRaw("/x.dat")).data!.content;
      expect(Buffer.compare(typeof raw === "string" ? new TextEncoder().encode(raw) : raw, bytes)).toBe(0);
    });

    it("H-83 R-237 decodes base64 written to a binary path, and writes nothing when it is none", async () => {
      const files = await create();

      await files.write("/p.png", "AP8=");
      expect((await files.downloadFiles(["/p.png"]))[0]?.content).toEqual(new Uint8Array([0, 255]));
      expect((await files.readRaw("/p.png")).data).toMatchObject({
        content: new Uint8Array([0, 255]),
        mimeType: "image/png",
      });
      for (const wrong of ["not base64!", "AP8", "AP9=", "AP8=="]) {
        expect((await files.write("/q.png", wrong)).error, wrong).toBeTypeOf("string");
      }
      expect((await files.ls("/")).files?.map(({ path }) => path)).toEqual(["/p.png"]);
    });

    it("R-244 refuses text that UTF-8 cannot carry", async () => {
      const files = await create();

      expect((await files.write("/x.txt", "half \uD83D")).error).toBeTypeOf("string");
      expect((await files.ls("/")).files).toEqual([]);
    });

    it("lets parallel writes and edits of one file wait for each other", async () => {
      const files = await create();
      await files.write("/x.txt", "0");

      await Promise.all([
        files.edit("/x.txt", "0", "1"),
        files.edit("/x.txt", "1", "2"),
        files.edit("/x.txt", "2", "3"),
      ]);

      expect((await files.read("/x.txt")).content).toBe("3");
    });

    it("deletes one file", async () => {
      const files = await create();
      await files.write("/a/x.txt", "x");

      expect(await files.delete("/a/x.txt")).toEqual({});
      expect((await files.readRaw("/a/x.txt")).error).toMatch(/^file_not_found/);
    });
  });
}
