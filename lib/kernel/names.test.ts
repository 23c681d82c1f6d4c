import { describe, expect, it } from "vitest";
import { DEFAULT_TOOLS, RESERVED_TOOL_NAMES, RESERVED_TOOL_PREFIX } from "./index.js";
import { aCall, aMount, judge, ruleOf } from "./testing.js";

describe("the built-in path declarations", () => {
  const over = { mounts: [aMount("docs")] };

  it.each([
    ["read_file", "file_path", false],
    ["write_file", "file_path", true],
    ["edit_file", "file_path", true],
    ["ls", "path", false],
    ["glob", "path", false],
    ["grep", "path", false],
    ["copy_file", "source", false],
    ["copy_file", "destination", true],
    ["move_file", "source", true],
    ["move_file", "destination", true],
    ["remove_file", "file_path", true],
  ])("W-187 R-216 W-253 reads %s's %s as a path that it writes or removes: %s", (tool, argument, writes) => {
    const verdict = judge(aCall(tool, { [argument]: "/docs//a" }), { over });

    if (writes) expect(ruleOf(verdict)).toBe("block zone.read-only");
    else expect(verdict).toMatchObject({ decision: "allow", args: { [argument]: "docs/a" } });
  });

  it.each(["glob", "grep", "archmax_run"])(
    "W-187 W-210 R-216 has %s search or execute, which opens no scratchpad",
    (tool) => {
      const state = { tools: { allow: [{ tool, paths: "docs/**" }] }, skills: { allow: ["a"] } };
      const given = tool === "archmax_run" ? { file_path: "scratchpad/a/x.js" } : { path: "scratchpad" };
      const verdict = judge(aCall(tool, given), { state, over: { skills: ["a"], skillSources: ["scratchpad"] } });

      expect(ruleOf(verdict)).toBe("block tool.not-allowed");
    },
  );
});

describe("names", () => {
  it("W-197 are twelve default tools", () => {
    expect([...DEFAULT_TOOLS].sort()).toEqual(
      "archmax_eval archmax_run copy_file edit_file glob grep ls move_file read_file remove_file write_file write_todos".split(
        " ",
      ),
    );
  });

  it("H-105 W-205 reserve for the runtime every built-in and the prefix", () => {
    const unreserved = DEFAULT_TOOLS.filter((name) => !name.startsWith(RESERVED_TOOL_PREFIX));

    for (const name of [...unreserved, "task", "delete"]) expect(RESERVED_TOOL_NAMES).toContain(name);
    expect(RESERVED_TOOL_NAMES).toHaveLength(12);
  });
});
