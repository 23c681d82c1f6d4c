import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolEntry } from "../spec/types.js";
import { canonicalPath, judgeCall, offeredTools } from "./index.js";
import { aCall, aMachine, aMount, judge, tables } from "./testing.js";

const tool = fc.constantFrom(
  "read_file",
  "write_file",
  "ls",
  "copy_file",
  "send",
  "archmax_raise",
  "archmax_run",
  "keep",
);
const segment = fc.constantFrom("docs", "scratchpad", "skills", "a", "secrets", ".env", "kb", "r\u00e9", "checkpoints");
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
const glob = fc.oneof(path, fc.constantFrom("**", "*", "docs/**", "secrets/**", "{a,docs}/*", ""));
const entry: fc.Arbitrary<ToolEntry> = fc.oneof(
  tool,
  fc.record({ tool, paths: glob }),
  fc.record({ tool, args: fc.dictionary(fc.constantFrom("file_path", "to"), glob, { minKeys: 1 }) }),
);
const args = fc.record({ file_path: path, path, source: path, destination: path, to: path }, { requiredKeys: [] });
const mounts = [aMount("docs"), aMount("kb", { governed: true, readOnly: false }), aMount("skills")];
const over = { mounts, skills: ["a"], essentialTools: ["keep"], toolPaths: {} };

/** One of the many ways to write a path. */
const respelled = (text: string) =>
  fc
    .tuple(
      fc.constantFrom("", "/", "./", "//", "x/../"),
      fc.constantFrom("/", "//", "/./", "/y/../"),
      fc.constantFrom("", "/", "/."),
    )
    .map(([start, joint, end]) => (start + text.split("/").join(joint) + end).normalize("NFD"));

describe("the kernel", () => {
  it("W-180 W-206 R-206 lets a denial beat every grant, control, open area and host rule", () => {
    fc.assert(
      fc.property(tool, args, fc.array(entry), fc.array(entry), fc.boolean(), (name, given, allow, always, root) => {
        const forbid = { state: root ? [] : [name], root: root ? [name] : [] };
        const machine = aMachine(
          { work: { tools: { allow, forbid: forbid.state }, transitions: [{ to: "work" }] } },
          { tools: { allow_always: always, forbid_always: forbid.root } },
        );
        expect(judgeCall(machine, tables(over), aCall(name, given)).decision).toBe("block");
        expect(offeredTools(machine, tables(over), "work", { registered: [name] })).toEqual([]);
      }),
    );
  });

  it("W-180 gives a denial no power to permit: what it blocks or not, nothing refused becomes allowed", () => {
    fc.assert(
      fc.property(tool, args, fc.array(entry), fc.array(entry), (name, given, allow, forbid) => {
        const without = judge(aCall(name, given), { state: { tools: { allow } }, over });
        const withDenials = judge(aCall(name, given), { state: { tools: { allow, forbid } }, over });
        if (without.decision === "block") expect(withDenials.decision).toBe("block");
      }),
    );
  });

  it("W-190 W-188 R-214 R-215 F-96 reaches the same verdict however a path is spelled", () => {
    const call = fc
      .tuple(fc.constantFrom("read_file", "write_file", "ls", "remove_file"), path)
      .chain(([name, target]) =>
        fc.record({
          name: fc.constant(name),
          target: fc.constant(target),
          spelled: respelled(target),
          key: fc.constantFrom("path", "file_path"),
        }),
      );
    fc.assert(
      fc.property(call, fc.array(entry), fc.array(entry), ({ name, target, spelled, key }, allow, forbid) => {
        const lists = { state: { tools: { allow, forbid } }, over };
        const plain = judge(aCall(name, { [name === "ls" ? "path" : "file_path"]: target }), lists);

        expect(judge(aCall(name, { [key]: spelled }), lists)).toEqual(plain);
      }),
    );
  });

  it("W-190 makes a canonical path that is its own canonical path", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const once = canonicalPath(text);
        expect(canonicalPath(once.path)).toEqual({ ...once, escapes: false, control: /\p{Cc}/u.test(once.path) });
      }),
    );
  });

  it("W-158 R-95 never reads a variable's value as a pattern", () => {
    const text = fc.string({
      unit: fc.constantFrom("*", "?", "[", "]", "{", "}", ",", "\\", "!", "(", ")", "/", "a", "b", "."),
    });
    fc.assert(
      fc.property(text, text, (value, given) => {
        const state = { tools: { allow: [{ tool: "send", args: { to: "${{v}}" } }] } };
        const verdict = judge(aCall("send", { to: given }, { variables: { v: value } }), { state });

        expect(verdict.decision).toBe(value === given ? "allow" : "block");
      }),
    );
  });

  it("R-202 is a function: the same inputs give the same verdict and change nothing", () => {
    fc.assert(
      fc.property(tool, args, fc.array(entry), (name, given, allow) => {
        const call = aCall(name, given);
        const before = JSON.stringify(call);

        expect(judge(call, { state: { tools: { allow } }, over })).toEqual(
          judge(call, { state: { tools: { allow } }, over }),
        );
        expect(JSON.stringify(call)).toBe(before);
      }),
    );
  });
});
