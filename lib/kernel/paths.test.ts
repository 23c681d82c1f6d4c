import { describe, expect, it } from "vitest";
import { canonicalPath, mountOf, zoneOf } from "./index.js";
import { aMount } from "./testing.js";

describe("canonicalPath", () => {
  it.each([
    ["/a/b", "a/b"],
    ["//a///b/", "a/b"],
    ["./a/./b", "a/b"],
    ["a/../b", "b"],
    ["/", ""],
    ["", ""],
    ["a/b/../../c", "c"],
    ["re\u0301sume\u0301", "r\u00e9sum\u00e9"],
    ["a\\..\\b", "a\\..\\b"],
    ["%2e%2e/a", "%2e%2e/a"],
    ["A/.env/...", "A/.env/..."],
  ])("W-190 R-214 F-96 makes %j to %j", (text, path) => {
    expect(canonicalPath(text)).toEqual({ path, escapes: false, control: false });
  });

  it.each(["..", "../a", "a/../../b", "/..", "./../a/.."])("W-190 marks %j as escaping", (text) => {
    expect(canonicalPath(text).escapes).toBe(true);
  });

  it.each(["a\u0000b", "a\nb", "\u007f", "a/\u009f"])("F-96 W-190 marks the control character of %j", (text) => {
    expect(canonicalPath(text).control).toBe(true);
  });
});

describe("zoneOf", () => {
  const mounts = [aMount("skills"), aMount("AGENTS.md", { kind: "file" }), aMount("out", { readOnly: false })];

  it.each([
    ["skills/x/SKILL.md", "authored"],
    ["AGENTS.md", "authored"],
    ["AGENTS.md/x", "session"],
    ["scratchpad", "open"],
    ["/scratchpad//x", "open"],
    ["scratchpad2/x", "session"],
    ["large_tool_results/1.txt", "offload"],
    ["conversation_history/1", "offload"],
    ["checkpoints/x", "internal"],
    ["artifacts", "internal"],
    ["_specs/h.json", "internal"],
    ["out/x", "session"],
    ["report.md", "session"],
    ["scratchpad/../report.md", "session"],
    ["../x", "outside"],
  ])("W-252 puts %s into zone %s", (path, zone) => {
    expect(zoneOf(path, mounts)).toBe(zone);
  });

  it("W-237 R-222 gives a path to the mount with the longest matching name, a file mount its exact path", () => {
    const table = [aMount("a"), aMount("a/b"), aMount("a/b/c.md", { kind: "file" })];

    expect(mountOf("a/b/x", table)?.name).toBe("a/b");
    expect(mountOf("a/bc", table)?.name).toBe("a");
    expect(mountOf("a/b/c.md", table)?.name).toBe("a/b/c.md");
    expect(mountOf("a/b/c.md/x", table)?.name).toBe("a/b");
    expect(mountOf("ab", table)).toBeNull();
  });
});
