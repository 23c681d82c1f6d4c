import { describe, expect, it } from "vitest";
import { aToolContext, callTool } from "../../test/contract/tool-context.js";
import { BUILTIN_PATHS } from "../kernel/index.js";
import { type Backend, createMemoryBackend, createWorkspace } from "../workspace/index.js";
import { createFileTools, type ToolContext } from "./index.js";

const tools = new Map(createFileTools().map((tool) => [tool.name, tool]));
const call = (name: string, args: Record<string, unknown>, context: ToolContext) =>
  callTool(tools.get(name)!, args, context);

describe("the file tools", () => {
  it("W-187 R-216 S-42 are these, with the kernel's path declarations and their effect", () => {
    expect([...tools.values()].map(({ name, effect }) => [name, effect])).toEqual([
      ["ls", "read-only"],
      ["read_file", "read-only"],
      ["write_file", "idempotent"],
      ["edit_file", "reconciled"],
      ["glob", "read-only"],
      ["grep", "read-only"],
      ["copy_file", "reconciled"],
      ["move_file", "reconciled"],
      ["remove_file", "reconciled"],
    ]);
    for (const tool of tools.values()) {
      expect(tool.paths).toEqual(BUILTIN_PATHS[tool.name]);
      expect(tool.parameters).toMatchObject({ type: "object" });
      expect("$schema" in tool.parameters).toBe(false);
    }
  });

  it("R-215 W-188 read `path` and `file_path` for each other", async () => {
    const context = aToolContext({ files: { "/d/a.txt": "text" } });

    expect(await call("read_file", { path: "d/a.txt" }, context)).toBe("     1\ttext");
    expect(await call("ls", { file_path: "d" }, context)).toBe("/d/a.txt");
  });

  it("R-59 name the field of an argument that does not fit, and take null for an optional one", () => {
    const read = tools.get("read_file")!;

    expect(read.parse({ file_path: 3 })).toEqual({ ok: false, problems: [expect.stringContaining("`file_path`")] });
    expect(read.parse({ file_path: "a", limit: 0, offset: -1 })).toMatchObject({
      ok: false,
      problems: [expect.stringContaining("`offset`"), expect.stringContaining("`limit`")],
    });
    expect(read.parse({ file_path: "a", limit: null })).toEqual({ ok: true, args: { file_path: "a" } });
    expect(tools.get("copy_file")!.parse({ source: "a" })).toEqual({
      ok: false,
      problems: [expect.stringContaining("`destination`")],
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ["read_file", { file_path: "x/none.txt" }],
    ["edit_file", { file_path: "x/none.txt", old_string: "a", new_string: "b" }],
    ["copy_file", { source: "x/none.txt", destination: "y" }],
    ["move_file", { source: "x/none.txt", destination: "y" }],
    ["remove_file", { file_path: "x/none.txt" }],
    ["ls", { path: "x/none.txt" }],
    ["glob", { pattern: "*", path: "x/none.txt" }],
    ["grep", { pattern: "a", path: "x/none.txt" }],
    ["write_file", { file_path: "x/none.txt", content: "" }],
  ])("R-231 %s answers a store's failure in its own words, with the workspace path", async (name, args) => {
    const failure = { error: "ENOENT: no such file s3://bucket/tenant/x at /srv/data" };
    const fail = async () => failure;
    const broken: Backend = { ls: fail, read: fail, readRaw: fail, write: fail, edit: fail, glob: fail, grep: fail };
    const context = aToolContext({ workspace: createWorkspace({ area: broken, mounts: {} }) });

    const answer = await call(name, args, context);

    expect(answer).toMatch(/^Error: .*\/x\/none\.txt/);
    expect(answer).not.toMatch(/s3:|srv|ENOENT/);
  });
});

describe("ls", () => {
  it("R-232 lists one level, sorted, folders with a slash, the root by default", async () => {
    const context = aToolContext({
      files: { "/b.txt": "", "/a/x/y.txt": "", "/checkpoints/1": "" },
      mounts: { "/skills/": createMemoryBackend() },
    });

    expect(await call("ls", {}, context)).toBe("/a/\n/b.txt\n/skills/");
    expect(await call("ls", { path: "a" }, context)).toBe("/a/x/");
    expect(await call("ls", {}, aToolContext({ files: { "/n/x": "", "/n.md": "" } }))).toBe("/n.md\n/n/");
  });

  it("R-232 answers an absent folder as empty, to a script with the empty text", async () => {
    expect(await call("ls", { path: "none" }, aToolContext())).toBe("/none is empty.");
    expect(await call("ls", { path: "none" }, aToolContext({ caller: "script" }))).toBe("");
  });

  it("R-223 F-98 leaves out what the state may not see, without a word", async () => {
    const visible = (tool: string, path: string) =>
      !(tool === "ls" && (path === "secrets" || path.startsWith("secrets/")));
    const context = aToolContext({ files: { "/secrets/a": "", "/b": "" }, visible });

    expect(await call("ls", {}, context)).toBe("/b");
  });
});

describe("read_file", () => {
  const read = (
    files: Record<string, string | Uint8Array>,
    args: Record<string, unknown>,
    caller: "model" | "script" = "model",
  ) => call("read_file", { file_path: "f", ...args }, aToolContext({ files, caller }));
  const hundreds = Array.from({ length: 250 }, (_, index) => `line ${index}`).join("\n");

  it("R-233 numbers lines from 1, a hundred by default, from a 0-based offset", async () => {
    const first = (await read({ "/f": hundreds }, {})).split("\n");
    expect(first).toHaveLength(100);
    expect(first[0]).toBe("     1\tline 0");
    expect(await read({ "/f": hundreds }, { offset: 248, limit: 10 })).toBe("   249\tline 248\n   250\tline 249");
    expect(await read({ "/f": "a\n\nb\n" }, {})).toBe("     1\ta\n     2\t\n     3\tb");
  });

  it("R-233 splits a line over 5,000 characters into numbered pieces and tears no character", async () => {
    const answer = await read({ "/f": `${"x".repeat(4999)}😀${"y".repeat(5001)}\nz` }, {});

    expect(answer.split("\n").map((line) => line.split("\t")[0]!.trim())).toEqual(["1", "1.1", "1.2", "2"]);
    expect(answer.split("\n").map((line) => line.split("\t")[1]!.length)).toEqual([4999, 5000, 3, 1]);
    expect(answer.isWellFormed()).toBe(true);
  });

  it("R-233 tells of an empty file, refuses an offset past the end, and cuts at 80,000 characters", async () => {
    expect(await read({ "/f": "" }, {})).toBe("/f is empty.");
    expect(await read({ "/f": "a\nb" }, { offset: 2 })).toMatch(/^Error: .*`offset` 2.*\/f.*2 lines/);

    const long = await read({ "/f": `${"x".repeat(4000)}\n`.repeat(30) }, {});
    expect(long.length).toBeLessThanOrEqual(80_000);
    expect(long).toMatch(/`offset` 19.*`limit`/);
    const lines = `${"x".repeat(4_900)}\n`.repeat(16);
    expect(await read({ "/f": lines + "x".repeat(1_465) }, {})).toHaveLength(80_000);
    expect(await read({ "/f": lines + "x".repeat(1_465) }, {})).not.toContain("[");
    expect(await read({ "/f": lines + "x".repeat(1_466) }, {})).toContain("[The answer was cut");
    expect(await read({ "/f": "x".repeat(100_000) }, {})).toMatch(/`offset` 1.*`limit`/);
  });

  it("R-234 gives a script the whole text, unnumbered and uncut, and the error as text", async () => {
    const text = `${"x".repeat(90_000)}\n${hundreds}`;

    expect(await read({ "/f": text }, {}, "script")).toBe(text);
    expect(await read({ "/f": "" }, {}, "script")).toBe("");
    expect(await read({}, {}, "script")).toMatch(/^Error: /);
    expect(await read({ "/f": "a\0b" }, {}, "script")).toMatch(/^Error: /);
  });

  it.each<[string, string, string | Uint8Array, RegExp]>([
    ["a binary extension", "p.PNG", new Uint8Array(2048), /^Error: \/p\.PNG .*image\/png, 2 KB\)\.$/],
    ["bytes that are no text", "f", new Uint8Array([0xff, 0xfe]), /^Error: \/f .*application\/octet-stream, 2 B\)\.$/],
    ["a NUL", "f", "a\0b", /^Error: \/f .*application\/octet-stream, 3 B\)\.$/],
  ])("R-235 H-87 answers one line for %s", async (_, name, content, expected) => {
    expect(await call("read_file", { file_path: name }, aToolContext({ files: { [`/${name}`]: content } }))).toMatch(
      expected,
    );
  });

  it("R-235 knows pictures, sound, films and documents by their extension, whatever they hold", async () => {
    const kinds = {
      image: "png jpg jpeg gif webp heic heif",
      audio: "mp3 wav aiff aac ogg flac",
      video: "mp4 webm mpeg mov avi flv mpg wmv 3gpp",
      application: "pdf ppt pptx",
    };
    for (const [kind, extensions] of Object.entries(kinds)) {
      for (const extension of extensions.split(" ")) {
        const context = aToolContext({ files: { [`/f.${extension}`]: "text" } });
        expect(await call("read_file", { file_path: `f.${extension}` }, context)).toMatch(
          new RegExp(`^Error: /f\\.${extension} .*\\(${kind}/[^)]*, 4 B\\)`),
        );
      }
    }
  });

  it("R-235 H-87 believes a store that reports a media type, and reads SVG as text", async () => {
    const reporting = (mimeType: string): ToolContext => {
      const area = createMemoryBackend({ "/f": "abc" });
      const readRaw = async () => ({ data: { content: "abc", mimeType } });
      return aToolContext({ workspace: createWorkspace({ area: { ...area, readRaw }, mounts: {} }) });
    };

    expect(await call("read_file", { file_path: "f" }, reporting("application/zip"))).toMatch(
      /^Error: .*application\/zip, 3 B/,
    );
    expect(await call("read_file", { file_path: "f" }, reporting("image/svg+xml"))).toBe("     1\tabc");
    expect(await call("read_file", { file_path: "f" }, reporting("application/json; charset=utf-8"))).toBe(
      "     1\tabc",
    );
    expect(await call("read_file", { file_path: "a.svg" }, aToolContext({ files: { "/a.svg": "<svg/>" } }))).toBe(
      "     1\t<svg/>",
    );
  });

  it("R-231 says that a folder is none", async () => {
    expect(await call("read_file", { file_path: "d" }, aToolContext({ files: { "/d/x": "" } }))).toMatch(
      /^Error: \/d is a folder/,
    );
  });
});

describe("write_file", () => {
  it("R-237 creates with parents, replaces whole, and says the size", async () => {
    const context = aToolContext({ files: { "/a/b.txt": "a long old text" } });

    expect(await call("write_file", { file_path: "a/b.txt", content: "é" }, context)).toBe("Wrote /a/b.txt (2 B).");
    expect(await call("write_file", { file_path: "x/y/z.txt", content: "" }, context)).toBe("Wrote /x/y/z.txt (0 B).");
    expect((await context.workspace.readRaw("/a/b.txt")).data?.content).toBe("é");
  });

  it("R-237 decodes base64 for a binary extension and writes nothing when it is none, or half a character", async () => {
    const context = aToolContext();

    expect(await call("write_file", { file_path: "p.pdf", content: "AP8=" }, context)).toBe("Wrote /p.pdf (2 B).");
    expect((await context.workspace.downloadFiles(["/p.pdf"]))[0]?.content).toEqual(new Uint8Array([0, 255]));
    expect(await call("write_file", { file_path: "q.pdf", content: "%PDF-1.7" }, context)).toMatch(
      /^Error: \/q\.pdf .*base64/,
    );
    expect(await call("write_file", { file_path: "h.txt", content: "\uD83D" }, context)).toMatch(/^Error: /);
    expect((await context.workspace.ls("/")).files?.map(({ path }) => path)).toEqual(["/p.pdf"]);
  });

  it("R-231 refuses a folder and a read-only mount", async () => {
    const context = aToolContext({ files: { "/d/x": "" }, mounts: { "/ro/": createMemoryBackend() } });

    expect(await call("write_file", { file_path: "d", content: "" }, context)).toMatch(/^Error: \/d is a folder/);
    expect(await call("write_file", { file_path: "ro/x", content: "" }, context)).toMatch(
      /^Error: \/ro\/x cannot be written/,
    );
  });
});

describe("edit_file", () => {
  const edit = (text: string, args: Record<string, unknown>) => {
    const context = aToolContext({ files: { "/f": text } });
    return call("edit_file", { file_path: "f", ...args }, context).then(async (answer) => ({
      answer,
      text: (await context.workspace.readRaw("/f")).data?.content,
    }));
  };

  it("R-238 replaces the only occurrence, or all, and counts", async () => {
    expect(await edit("one two", { old_string: "two", new_string: "$&" })).toEqual({
      answer: "Edited /f: 1 replacement.",
      text: "one $&",
    });
    expect(await edit("a a", { old_string: "a", new_string: "b", replace_all: true })).toEqual({
      answer: "Edited /f: 2 replacements.",
      text: "b b",
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ["it does not occur", { old_string: "none", new_string: "x" }],
    ["it occurs twice", { old_string: "a", new_string: "x" }],
    ["both are equal", { old_string: "b", new_string: "b" }],
    ["the old text is empty", { old_string: "", new_string: "x" }],
  ])("R-238 changes nothing and answers an error when %s", async (_, args) => {
    const { answer, text } = await edit("a a b", args);

    expect(answer).toMatch(/^Error: /);
    expect(text).toBe("a a b");
  });
});

describe("glob and grep", () => {
  const files = { "/b.md": "needle", "/a/.c.md": "x needle\nno\nneedle.", "/d.txt": "nee.le" };

  it("R-239 lists matching files, sorted, dot-names included", async () => {
    expect(await call("glob", { pattern: "**/*.md" }, aToolContext({ files }))).toBe("/a/.c.md\n/b.md");
    expect(await call("glob", { pattern: "*", path: "a" }, aToolContext({ files }))).toBe("/a/.c.md");
    expect(await call("glob", { pattern: "*.zip" }, aToolContext({ files, caller: "script" }))).toBe("");
  });

  it("R-240 searches literal text in path order, in three output modes", async () => {
    const grep = (args: Record<string, unknown>) =>
      call("grep", { pattern: "needle", ...args }, aToolContext({ files }));

    expect(await grep({})).toBe("/a/.c.md:1:x needle\n/a/.c.md:3:needle.\n/b.md:1:needle");
    expect(await grep({ output_mode: "files_with_matches" })).toBe("/a/.c.md\n/b.md");
    expect(await grep({ output_mode: "count" })).toBe("/a/.c.md:2\n/b.md:1");
    expect(await grep({ pattern: "nee.le" })).toBe("/d.txt:1:nee.le");
    expect(await grep({ glob: "*.txt" })).toBe("Nothing was found.");
    expect(await grep({ path: "b.md" })).toBe("/b.md:1:needle");
  });

  it("R-240 H-86 stops at max_count, else at 1,000, and says so", async () => {
    const context = aToolContext({ files: { "/f": "n\n".repeat(1001) } });
    const answer = (await call("grep", { pattern: "n" }, context)).split("\n");

    expect(answer).toHaveLength(1001);
    expect(answer.at(-1)).toMatch(/1000 matches/);
    expect(await call("grep", { pattern: "n", max_count: 1 }, context)).toMatch(/^\/f:1:n\n.*1 matches/);
    expect(await call("grep", { pattern: "n", max_count: 1001 }, context)).not.toContain("[");
  });

  it("R-223 R-240 says that there are more where more is shown, and not for what is hidden", async () => {
    const visible = (_: string, path: string) => !path.startsWith("hidden/");
    const search = (files: Record<string, string>, max_count: number) =>
      call("grep", { pattern: "n", max_count }, aToolContext({ files, visible }));

    expect(await search({ "/a": "n", "/hidden/b": "n" }, 1)).toBe("/a:1:n");
    expect(await search({ "/a": "n", "/hidden/b": "n", "/z": "n" }, 1)).toMatch(/^\/a:1:n\n\[.*more/);
    expect(await search({ "/hidden/a": "n\n".repeat(50), "/y": "n", "/z": "n" }, 1)).toMatch(/^\/y:1:n\n\[.*more/);
  });

  it("R-223 filters results for models and scripts alike, and lets hidden matches use up no cap", async () => {
    const visible = (_: string, path: string) => !path.startsWith("hidden/");
    const hiding = { files: { "/hidden/a": "n\n".repeat(50), "/z": "n" }, visible };

    for (const caller of ["model", "script"] as const) {
      expect(await call("grep", { pattern: "n", max_count: 2 }, aToolContext({ ...hiding, caller }))).toBe("/z:1:n");
      expect(await call("glob", { pattern: "**" }, aToolContext({ ...hiding, caller }))).toBe("/z");
    }
  });
});
