import { describe, expect, it } from "vitest";
import { aToolContext, callTool } from "../../test/contract/tool-context.js";
import { type Backend, createMemoryBackend, createWorkspace } from "../workspace/index.js";
import { createFileTools, type ToolContext } from "./index.js";

const tools = new Map(createFileTools().map((tool) => [tool.name, tool]));
const call = (name: string, args: Record<string, unknown>, context: ToolContext) =>
  callTool(tools.get(name)!, args, context);
const over = (area: Backend) => aToolContext({ workspace: createWorkspace({ area, mounts: {} }) });

async function contents(context: ToolContext): Promise<Record<string, string>> {
  const { files = [] } = await context.workspace.glob("**");
  const downloads = await context.workspace.downloadFiles(files.map(({ path }) => path));
  return Object.fromEntries(downloads.map(({ path, content }) => [path, Buffer.from(content!).toString("latin1")]));
}

describe("copy_file, move_file and remove_file", () => {
  it("R-241 R-242 do what they say, byte for byte, parents made, in one line with the size", async () => {
    const context = aToolContext({ files: { "/a.bin": new Uint8Array([0, 255, 200]), "/b.txt": "x".repeat(1536) } });
    const sized = aToolContext({ files: { "/k": "x".repeat(1_048_000), "/m": "x".repeat(1_572_864) } });

    expect(await call("copy_file", { source: "a.bin", destination: "d/e/c.bin" }, context)).toBe(
      "Copied /a.bin to /d/e/c.bin (3 B).",
    );
    expect(await call("move_file", { source: "b.txt", destination: "d/b.txt" }, context)).toBe(
      "Moved /b.txt to /d/b.txt (1.5 KB).",
    );
    expect(await call("remove_file", { file_path: "a.bin" }, context)).toBe("Removed /a.bin (3 B).");
    expect(await contents(context)).toEqual({ "/d/b.txt": "x".repeat(1536), "/d/e/c.bin": "\u0000\u00ff\u00c8" });
    expect(await call("remove_file", { file_path: "k" }, sized)).toBe("Removed /k (1023.4 KB).");
    expect(await call("remove_file", { file_path: "m" }, sized)).toBe("Removed /m (1.5 MB).");
  });

  it.each<[string, string, Record<string, unknown>]>([
    ["a missing source", "copy_file", { source: "none", destination: "x" }],
    ["a folder as source", "move_file", { source: "d", destination: "x" }],
    ["an existing destination", "copy_file", { source: "a", destination: "b" }],
    ["an existing destination", "move_file", { source: "a", destination: "b" }],
    ["a folder as destination", "copy_file", { source: "a", destination: "d", overwrite: true }],
    ["the same file in another spelling", "copy_file", { source: "a", destination: "/d/../a", overwrite: true }],
    ["the same file", "move_file", { source: "a", destination: "a", overwrite: true }],
    ["a missing file", "remove_file", { file_path: "none" }],
    ["a folder", "remove_file", { file_path: "d" }],
  ])("R-241 R-243 %s is an error of %s that changes nothing", async (_, name, args) => {
    const context = aToolContext({ files: { "/a": "A", "/b": "B", "/d/x": "X" } });

    expect(await call(name, args, context)).toMatch(/^Error: /);

    expect(await contents(context)).toEqual({ "/a": "A", "/b": "B", "/d/x": "X" });
  });

  it("R-243 removes no folder over a store that would remove all in it", async () => {
    const area = createMemoryBackend({ "/d/x": "X", "/d/y": "Y", "/z": "Z" });
    const recursive: Backend = {
      ...area,
      delete: async (path) => {
        const { files = [] } = await area.glob("**");
        for (const file of files) if (`${file.path}/`.startsWith(`${path}/`)) await area.delete(file.path);
        return {};
      },
    };
    const context = over(recursive);

    for (const file_path of ["d", "/d/", "/"]) {
      expect(await call("remove_file", { file_path }, context)).toMatch(/^Error: .*is a folder/);
    }
    expect(Object.keys(await contents(context))).toEqual(["/d/x", "/d/y", "/z"]);
  });

  it("R-241 replaces an existing destination when told to", async () => {
    const context = aToolContext({ files: { "/a": "A", "/b": "B" } });

    expect(await call("move_file", { source: "a", destination: "b", overwrite: true }, context)).toBe(
      "Moved /a to /b (1 B).",
    );
    expect(await contents(context)).toEqual({ "/b": "A" });
  });

  it("R-241 H-85 never reports a copy that the store did not keep", async () => {
    const area = createMemoryBackend({ "/a": "A" });
    const altering: Backend = {
      ...area,
      uploadFiles: (files) => area.uploadFiles(files.map(([path]) => [path, new Uint8Array([1])])),
    };

    expect(await call("copy_file", { source: "a", destination: "b" }, over(altering))).toMatch(/^Error: .*exact bytes/);
  });

  it("R-241 keeps the copy and says so when the source cannot be removed", async () => {
    const area = createMemoryBackend({ "/a": "A" });
    const keeping: Backend = { ...area, delete: async () => ({ error: "nope" }) };

    const answer = await call("move_file", { source: "a", destination: "b" }, over(keeping));

    expect(answer).toMatch(/^Error: \/a was copied to \/b .*both/);
    expect((await area.read("/b")).content).toBe("A");
  });

  it("R-244 H-85 copies text over a store with the required methods only, and refuses other bytes there", async () => {
    const {
      uploadFiles: _,
      downloadFiles: __,
      delete: ___,
      ...area
    } = createMemoryBackend({ "/t": "text", "/z": new Uint8Array([255]), "/p.png": new Uint8Array([255]) });

    expect(await call("copy_file", { source: "t", destination: "t2" }, over(area))).toBe("Copied /t to /t2 (4 B).");
    expect(await call("copy_file", { source: "p.png", destination: "q.png" }, over(area))).toBe(
      "Copied /p.png to /q.png (1 B).",
    );
    expect(await call("copy_file", { source: "z", destination: "y" }, over(area))).toMatch(/^Error: /);
    expect((await area.readRaw("/y")).error).toBeTypeOf("string");
  });
});

describe("after a crash", () => {
  type Case = [string, string, Record<string, unknown>];
  const calls: Case[] = [
    ["an edit", "edit_file", { file_path: "a", old_string: "A", new_string: "Z" }],
    ["a copy", "copy_file", { source: "a", destination: "c" }],
    ["a copy over a file", "copy_file", { source: "a", destination: "b", overwrite: true }],
    ["a move", "move_file", { source: "a", destination: "c" }],
    ["a move over a file", "move_file", { source: "a", destination: "b", overwrite: true }],
    ["a removal", "remove_file", { file_path: "a" }],
  ];
  const start = () => aToolContext({ files: { "/a": "A", "/b": "B" } });
  const asStored = (facts: unknown) => JSON.parse(JSON.stringify(facts)) as unknown;

  async function begun(name: string, given: Record<string, unknown>) {
    const tool = tools.get(name)!;
    const parsed = tool.parse(given);
    if (!parsed.ok) throw new Error("bad arguments");
    const context = start();
    return { tool, args: parsed.args, context, before: asStored(await tool.before!(parsed.args, context)) };
  }

  it.each(calls)("S-42 S-41 %s that happened is found done, with the same answer", async (_, name, given) => {
    const { tool, args, context, before } = await begun(name, given);
    const answer = await tool.run(args, context);

    expect(await tool.reconcile!(args, context, before)).toEqual({ kind: "done", result: answer });
  });

  it.each(calls)("S-42 S-41 %s that did not happen is found not done", async (_, name, given) => {
    const { tool, args, context, before } = await begun(name, given);

    expect(await tool.reconcile!(args, context, before)).toEqual({ kind: "not-done" });
  });

  it.each(calls)("S-42 S-41 %s is unknown when somebody else wrote meanwhile", async (_, name, given) => {
    const { tool, args, context, before } = await begun(name, given);
    for (const path of ["/a", "/b", "/c"]) await context.workspace.write(path, "other");

    expect(await tool.reconcile!(args, context, before)).toEqual({ kind: "unknown" });
  });

  it("S-42 a move that stopped between copy and removal is finished", async () => {
    const { tool, args, context, before } = await begun("move_file", { source: "a", destination: "c" });
    await context.workspace.write("/c", "A");

    expect(await tool.reconcile!(args, context, before)).toEqual({ kind: "done", result: "Moved /a to /c (1 B)." });
    expect(await contents(context)).toEqual({ "/b": "B", "/c": "A" });
  });

  it.each<Case>([
    ["an edit", "edit_file", { file_path: "a", old_string: "none", new_string: "Z" }],
    ["a copy", "copy_file", { source: "a", destination: "b" }],
    ["a move", "move_file", { source: "none", destination: "c" }],
    ["a removal", "remove_file", { file_path: "none" }],
  ])("S-42 %s that could only be refused is run again, to be refused", async (_, name, given) => {
    const { tool, args, context, before } = await begun(name, given);

    expect(await tool.reconcile!(args, context, before)).toEqual({ kind: "not-done" });
  });
});
