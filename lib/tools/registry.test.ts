import { describe, expect, it } from "vitest";
import { z } from "zod";
import { aToolContext } from "../../test/contract/tool-context.js";
import type { ToolPaths } from "../kernel/types.js";
import {
  createToolRegistry,
  hostTool,
  ReservedToolNameError,
  type RuntimeTool,
  resolveToolName,
  ToolPathsError,
  toolsFromMap,
} from "./index.js";

const aHostTool = async (name: string, paths?: ToolPaths): Promise<RuntimeTool> =>
  hostTool(
    toolsFromMap({
      [name]: { description: "d", inputSchema: z.object({ file: z.string().optional() }), paths, handler: () => "ok" },
    })[0]!,
  );

describe("createToolRegistry", () => {
  it("R-219 keeps the order of registration: built-ins, then the host's", async () => {
    const registry = createToolRegistry({ host: [await aHostTool("zeta"), await aHostTool("alpha")] });

    expect(registry.tools.map(({ name }) => name)).toEqual([
      "ls",
      "read_file",
      "write_file",
      "edit_file",
      "glob",
      "grep",
      "copy_file",
      "move_file",
      "remove_file",
      "zeta",
      "alpha",
    ]);
    expect(registry.hostTools).toEqual(["zeta", "alpha"]);
    expect(registry.get("alpha")?.name).toBe("alpha");
    expect(registry.get("none")).toBeNull();
  });

  it("R-58 finds a tool by its exact name, else the only one of a collection, else lists the candidates", () => {
    const names = ["find", "crm__find", "crm__close", "erp__open", "mail__open"];

    expect(resolveToolName("find", names)).toEqual({ kind: "tool", name: "find" });
    expect(resolveToolName("close", names)).toEqual({ kind: "tool", name: "crm__close" });
    expect(resolveToolName("open", names)).toEqual({ kind: "unknown", candidates: ["erp__open", "mail__open"] });
    expect(resolveToolName("none", names)).toEqual({ kind: "unknown", candidates: [] });
    expect(resolveToolName("lose", names)).toEqual({ kind: "unknown", candidates: [] });
    expect(createToolRegistry({ host: [] }).resolve("ls")).toEqual({ kind: "tool", name: "ls" });
  });

  it("H-105 W-205 refuses every reserved name at once", async () => {
    const names = [
      "archmax_x",
      "copy_file",
      "move_file",
      "remove_file",
      "ls",
      "read_file",
      "write_file",
      "edit_file",
      "glob",
      "grep",
      "write_todos",
      "task",
      "delete",
    ];
    const host = await Promise.all([...names, "fine"].map((name) => aHostTool(name)));

    expect(() => createToolRegistry({ host })).toThrow(ReservedToolNameError);
    expect(() => createToolRegistry({ host })).toThrow(expect.objectContaining({ names }));
  });

  it("H-105 refuses two tools of one name", async () => {
    const host = [await aHostTool("same"), await aHostTool("same")];

    expect(() => createToolRegistry({ host })).toThrow(TypeError);
  });

  it.each<[string, Record<string, unknown>]>([
    ["a built-in", { read_file: { file_path: "read" } }],
    ["a control", { archmax_advance: { to: "read" } }],
    ["a tool that does not exist", { none: { file: "read" } }],
    ["an empty declaration", { host_tool: {} }],
    ["an unknown access word", { host_tool: { file: "peek" } }],
  ])("H-104 refuses toolPaths for %s", async (_, toolPaths) => {
    const host = [await aHostTool("host_tool")];

    expect(() => createToolRegistry({ host, toolPaths: toolPaths as Record<string, ToolPaths> })).toThrow(
      ToolPathsError,
    );
  });

  it("H-104 H-20 R-216 checks a tool's own declaration too, and lets toolPaths win", async () => {
    const own = await aHostTool("t", { file: "read" });

    expect(createToolRegistry({ host: [own] }).toolPaths).toEqual({ t: { file: "read" } });
    expect(createToolRegistry({ host: [own], toolPaths: { t: { file: "write" } } })).toMatchObject({
      toolPaths: { t: { file: "write" } },
    });
    const empty = await aHostTool("t", {});
    expect(() => createToolRegistry({ host: [empty] })).toThrow(ToolPathsError);
  });

  it("H-131 lets toolEffects win, and refuses them for a built-in or an unknown tool", async () => {
    const host = [await aHostTool("t")];
    const registry = createToolRegistry({ host, toolEffects: { t: { reconcile: () => ({ done: false }) } } });

    expect(registry.get("t")?.effect).toBe("reconciled");
    expect(await registry.get("t")!.reconcile!({}, aToolContext(), undefined)).toEqual({ kind: "not-done" });
    expect(createToolRegistry({ host, toolEffects: { t: { readOnly: true } } }).get("t")?.effect).toBe("read-only");
    expect(() => createToolRegistry({ host, toolEffects: { ls: { readOnly: true } } })).toThrow(TypeError);
    expect(() => createToolRegistry({ host, toolEffects: { none: { readOnly: true } } })).toThrow(TypeError);
  });
});
