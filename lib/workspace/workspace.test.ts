import { describe, expect, it } from "vitest";
import { WorkspacePathEscapeError } from "../session/errors.js";
import {
  AuthoringBackendExposedError,
  type Backend,
  checkAuthoringExposure,
  createMemoryBackend,
  createWorkspace,
  MountCollisionError,
  type MountTable,
  mountInfos,
  mountSubtree,
  resolveMounts,
} from "./index.js";

const paths = (answer: { files?: { path: string }[] }) => answer.files?.map(({ path }) => path);

/** A store with the required methods only, as a foreign one may be. */
function plain(backend: Backend): Backend {
  const { downloadFiles: _, uploadFiles: __, delete: ___, ...required } = backend;
  return required;
}

describe("the mount table", () => {
  it("H-93 H-94 H-99 reads keys in one form, with the defaults of an entry; only a directory can be kept from searches", () => {
    const backend = createMemoryBackend();
    const table: MountTable = {
      "docs//api/": backend,
      AGENTS: { backend, readOnly: false, governed: true },
      "//x/": { backend, searchable: false },
      "/y": { backend, searchable: false },
    };

    expect(mountInfos(table)).toEqual([
      { name: "AGENTS", kind: "file", readOnly: false, governed: true, searchable: true },
      { name: "docs/api", kind: "directory", readOnly: true, governed: false, searchable: true },
      { name: "x", kind: "directory", readOnly: true, governed: false, searchable: false },
      { name: "y", kind: "file", readOnly: true, governed: false, searchable: true },
    ]);
  });

  it.each([
    "/scratchpad/x/",
    "/large_tool_results/",
    "/conversation_history",
    "checkpoints/",
    "/artifacts/a",
    "/_specs/",
    "/workflows/",
    "/",
    "/../x/",
  ])("H-97 refuses a mount at %s", (key) => {
    expect(() => resolveMounts({ [key]: createMemoryBackend() })).toThrow(MountCollisionError);
  });

  it("H-97 names the key, and refuses two keys for one place", () => {
    const backend = createMemoryBackend();

    expect(() => mountInfos({ "/artifacts/": backend })).toThrow(expect.objectContaining({ key: "/artifacts/" }));
    expect(() => resolveMounts({ "/a/": backend, "a//": backend })).toThrow(MountCollisionError);
  });

  it("H-31 refuses a writable mount on the authoring backend, and allows a read-only one", () => {
    const backend = createMemoryBackend();

    expect(() => checkAuthoringExposure({ "/w/": { backend, readOnly: false } }, backend)).toThrow(
      AuthoringBackendExposedError,
    );
    expect(() => checkAuthoringExposure({ "/w/": backend }, backend)).not.toThrow();
  });
});

describe("the workspace", () => {
  const aWorkspace = (mounts: MountTable = {}, files: Record<string, string> = {}) => {
    const area = createMemoryBackend(files);
    return { area, workspace: createWorkspace({ area, mounts }) };
  };

  it("R-222 R-228 H-93 serves each path from the mount with the longest prefix, else from the session", async () => {
    const { area, workspace } = aWorkspace(
      {
        "/docs/": createMemoryBackend({ "/a.txt": "docs", "/api/a.txt": "shadowed" }),
        "/docs/api/": createMemoryBackend({ "/a.txt": "api" }),
        "/AGENTS.md": createMemoryBackend({ "/AGENTS.md": "persona" }),
      },
      { "/docs/a.txt": "shadowed", "/AGENTS.md.bak": "own", "/AGENTS.md/below": "own too" },
    );
    const text = async (path: string) => (await workspace.readRaw(path)).data?.content;

    expect(await text("docs/a.txt")).toBe("docs");
    expect(await text("/docs/api/a.txt")).toBe("api");
    expect(await text("/AGENTS.md")).toBe("persona");
    expect(await text("/AGENTS.md.bak")).toBe("own");
    expect(await text("/AGENTS.md/below")).toBe("own too");
    await workspace.write("/new.txt", "x");
    expect((await area.readRaw("/new.txt")).data?.content).toBe("x");
  });

  it.each(["/../x", "a/../../b"])("R-229 throws for %s, whatever is asked", async (path) => {
    const { workspace } = aWorkspace();

    for (const ask of [
      () => workspace.ls(path),
      () => workspace.readRaw(path),
      () => workspace.write(path, ""),
      () => workspace.grep("x", path),
      () => workspace.downloadFiles([path]),
      () => workspace.uploadFiles!([[path, new Uint8Array()]]),
      () => workspace.delete(path),
    ]) {
      await expect(ask()).rejects.toThrow(WorkspacePathEscapeError);
    }
  });

  it("R-230 H-84 refuses every change of a read-only mount itself, and passes them to a writable one", async () => {
    const served = createMemoryBackend({ "/a.txt": "a" });
    const { workspace } = aWorkspace({ "/ro/": served, "/rw/": { backend: served, readOnly: false } });

    expect((await workspace.write("/ro/b.txt", "b")).error).toMatch(/^permission_denied/);
    expect((await workspace.edit("/ro/a.txt", "a", "b")).error).toMatch(/^permission_denied/);
    expect((await workspace.delete("/ro/a.txt")).error).toMatch(/^permission_denied/);
    expect(await workspace.uploadFiles!([["/ro/a.txt", new Uint8Array()]])).toEqual([
      { path: "/ro/a.txt", error: "permission_denied" },
    ]);
    expect(paths(await served.glob("**"))).toEqual(["/a.txt"]);
    expect((await served.read("/a.txt")).content).toBe("a");
    expect(await workspace.edit("/rw/a.txt", "a", "b")).toEqual({ path: "/rw/a.txt", occurrences: 1 });
  });

  it("R-232 shows mounts and the session's files at the root, and no area of the runtime", async () => {
    const { workspace } = aWorkspace(
      {
        "/skills/": createMemoryBackend(),
        "/lib/deep/": createMemoryBackend(),
        "/AGENTS.md": createMemoryBackend({ "/AGENTS.md": "x" }),
        "/ABSENT.md": createMemoryBackend(),
      },
      {
        "/checkpoints/1": "",
        "/artifacts/a": "needle",
        "/_specs/x": "",
        "/scratchpad/n.md": "needle",
        "/skills/own": "",
      },
    );

    expect(await workspace.ls("/")).toMatchObject({
      files: [
        { path: "/AGENTS.md" },
        { path: "/lib", isDir: true },
        { path: "/scratchpad", isDir: true },
        { path: "/skills", isDir: true },
      ],
    });
    expect(paths(await workspace.ls("/lib"))).toEqual(["/lib/deep"]);
    expect(paths(await workspace.ls("/skills"))).toEqual([]);
    expect(paths(await workspace.glob("**"))).toEqual(["/AGENTS.md", "/scratchpad/n.md"]);
    expect((await workspace.grep("needle")).matches?.map(({ path }) => path)).toEqual(["/scratchpad/n.md"]);
  });

  it("H-93 R-240 searches across stores in path order, under workspace paths, with patterns that span them", async () => {
    const { workspace } = aWorkspace(
      {
        "/skills/": createMemoryBackend({ "/a/SKILL.md": "needle" }),
        "/AGENTS.md": createMemoryBackend({ "/AGENTS.md": "needle" }),
      },
      { "/notes/z.md": "needle\nneedle", "/b.txt": "needle" },
    );

    expect(paths(await workspace.glob("skills/*/SKILL.md"))).toEqual(["/skills/a/SKILL.md"]);
    expect(paths(await workspace.glob("*.md"))).toEqual(["/AGENTS.md"]);
    expect(paths(await workspace.glob("*.md", "/AGENTS.md"))).toEqual([]);
    expect(paths(await workspace.glob("**", "/AGENTS.md"))).toEqual(["/AGENTS.md"]);
    expect((await workspace.grep("needle")).matches?.map(({ path, line }) => `${path}:${line}`)).toEqual([
      "/AGENTS.md:1",
      "/b.txt:1",
      "/notes/z.md:1",
      "/notes/z.md:2",
      "/skills/a/SKILL.md:1",
    ]);
    const matched = async (glob: string) =>
      (await workspace.grep("needle", "/", glob)).matches?.map(({ path }) => path);
    expect(await matched("skills/**")).toEqual(["/skills/a/SKILL.md"]);
    expect(await matched("*.txt")).toEqual(["/b.txt"]);
  });

  it("R-224 H-99 skips an unsearchable mount from above and asks it when addressed, giving its answer as it comes", async () => {
    const asked: string[] = [];
    const shy: Backend = {
      ...createMemoryBackend({ "/in/x.txt": "needle" }),
      grep: async (_pattern, path) => {
        asked.push(path ?? "");
        return { error: "too big to search" };
      },
    };
    const { workspace } = aWorkspace({ "/big/": { backend: shy, searchable: false } }, { "/x.txt": "needle" });

    expect((await workspace.grep("needle")).matches).toHaveLength(1);
    expect(paths(await workspace.glob("**"))).toEqual(["/x.txt"]);
    expect(asked).toEqual([]);
    expect(await workspace.grep("needle", "/big/in")).toEqual({ error: "too big to search" });
    expect(await workspace.grep("needle", "/big")).toEqual({ error: "too big to search" });
    expect(asked).toEqual(["/in", "/"]);
    expect(paths(await workspace.glob("**", "/big"))).toEqual(["/big/in/x.txt"]);
    expect((await workspace.readRaw("/big/in/x.txt")).data?.content).toBe("needle");
  });

  it("H-86 R-240 passes the cap to every layer and applies it again to one that ignores it", async () => {
    const caps: (number | undefined)[] = [];
    const careless = (inner: Backend): Backend => ({
      ...inner,
      grep: async (pattern, path, glob, maxCount) => {
        caps.push(maxCount);
        return inner.grep(pattern, path, glob, 10_000);
      },
    });
    const many = createMemoryBackend({ "/x.txt": "n\n".repeat(1500) });
    const area = careless(many);
    const workspace = createWorkspace({
      area,
      mounts: {
        "/m/": careless(many),
        "/sub/": mountSubtree(careless(many), "/"),
        "/shy/": { backend: careless(many), searchable: false },
      },
    });

    const bare = await workspace.grep("n");
    expect(bare.matches).toHaveLength(1000);
    expect(bare.truncated).toBe(true);
    expect(await workspace.grep("n", "/", undefined, 7)).toMatchObject({ matches: { length: 7 }, truncated: true });
    expect((await workspace.grep("n", "/shy", undefined, 3)).matches).toHaveLength(3);
    expect(caps).toEqual([1000, 1000, 1000, 7, 7, 7, 3]);

    caps.length = 0;
    const chosen = await workspace.grep("n", "/", "{x.txt,m/*}", 5);
    expect(chosen).toMatchObject({ matches: { length: 5 }, truncated: true });
    expect(caps).toEqual([5, 5]);
  });

  it("R-232 R-240 lets what no search shows use up no cap, and says nothing of it", async () => {
    const files = { "/artifacts/trail.json": "n\n".repeat(9), "/m/under": "n\n".repeat(9), "/note": "n", "/z": "n\nn" };
    const mounts = { "/m/": createMemoryBackend({ "/seen": "n" }) };
    const workspace = createWorkspace({ area: createMemoryBackend(files), mounts });
    const found = async (maxCount: number) => {
      const { matches = [], truncated = false } = await workspace.grep("n", "/", undefined, maxCount);
      return [...matches.map(({ path, line }) => `${path}:${line}`), ...(truncated ? ["more"] : [])];
    };

    expect(await found(1)).toEqual(["/m/seen:1", "more"]);
    expect(await found(3)).toEqual(["/m/seen:1", "/note:1", "/z:1", "more"]);
    expect(await found(4)).toEqual(["/m/seen:1", "/note:1", "/z:1", "/z:2"]);
  });

  it("H-84 R-244 reads exact bytes out of a store without downloadFiles, or refuses where exactness cannot be known", async () => {
    const texts: Record<string, string> = {
      "/t.txt": "\uFEFFtext\r\n",
      "/p.png": "AP8=",
      "/bad.png": "no base64!",
      "/lost.txt": "a\uFFFDb",
      "/half.txt": "\uD83D",
    };
    const store: Backend = {
      ...plain(createMemoryBackend()),
      readRaw: async (path) => (path in texts ? { data: { content: texts[path]! } } : { error: "File not found" }),
    };
    const { workspace } = aWorkspace({ "/m/": store });

    const answers = await workspace.downloadFiles([
      "/m/t.txt",
      "/m/p.png",
      "/m/bad.png",
      "/m/lost.txt",
      "/m/half.txt",
      "/m/none",
    ]);

    expect(answers.map(({ error }) => error)).toEqual([
      null,
      null,
      "permission_denied",
      "permission_denied",
      "permission_denied",
      "file_not_found",
    ]);
    expect(answers[0]!.content).toEqual(new TextEncoder().encode("\uFEFFtext\r\n"));
    expect(answers[1]!.content).toEqual(new Uint8Array([0, 255]));
  });

  it("H-84 has uploadFiles exactly when the session's store has it, and always answers delete", async () => {
    const without = createWorkspace({ area: plain(createMemoryBackend({ "/a": "x" })), mounts: {} });
    const { workspace } = aWorkspace({ "/m/": { backend: plain(createMemoryBackend()), readOnly: false } });

    expect("uploadFiles" in without).toBe(false);
    expect((await without.delete("/a")).error).toBeTypeOf("string");
    expect(
      await workspace.uploadFiles!([
        ["/m/x", new Uint8Array()],
        ["/y", new Uint8Array()],
      ]),
    ).toEqual([
      { path: "/m/x", error: "permission_denied" },
      { path: "/y", error: null },
    ]);
    expect((await workspace.delete("/m/x")).error).toBeTypeOf("string");
  });

  it("R-228 keeps a file from hiding a mount", async () => {
    const { workspace } = aWorkspace({ "/docs/api/": createMemoryBackend() });

    expect((await workspace.write("/docs", "x")).error).toMatch(/^is_directory/);
  });
});

describe("mountSubtree", () => {
  it("H-96 maps paths both ways, also when nested, and never leaves its folder", async () => {
    const source = createMemoryBackend({ "/a/b/c.txt": "needle", "/a/secret.txt": "needle" });
    const files = mountSubtree(mountSubtree(source, "a"), "/b/");

    expect(paths(await files.ls("/"))).toEqual(["/c.txt"]);
    expect(paths(await files.glob("**"))).toEqual(["/c.txt"]);
    expect((await files.grep("needle")).matches?.map(({ path }) => path)).toEqual(["/c.txt"]);
    expect(await files.write("/d.txt", "x")).toEqual({ path: "/d.txt" });
    expect((await source.read("/a/b/d.txt")).content).toBe("x");
    expect((await files.readRaw("/../secret.txt")).error).toBeTypeOf("string");
    expect(await files.downloadFiles!(["/../secret.txt", "/d.txt"])).toMatchObject([
      { path: "/../secret.txt", content: null, error: "invalid_path" },
      { path: "/d.txt", error: null },
    ]);
    expect(
      await files.uploadFiles!([
        ["/../x", new Uint8Array()],
        ["/e", new Uint8Array([1])],
      ]),
    ).toEqual([
      { path: "/../x", error: "invalid_path" },
      { path: "/e", error: null },
    ]);
    expect(paths(await source.glob("**"))).toEqual(["/a/b/c.txt", "/a/b/d.txt", "/a/b/e", "/a/secret.txt"]);
  });

  it("H-96 has the optional methods exactly when the source has them", () => {
    expect(Object.keys(mountSubtree(createMemoryBackend(), "/a"))).toEqual(
      expect.arrayContaining(["downloadFiles", "uploadFiles", "delete"]),
    );
    const rebased = mountSubtree(plain(createMemoryBackend()), "/a");
    expect(["downloadFiles", "uploadFiles", "delete"].filter((method) => method in rebased)).toEqual([]);
  });
});
