import { describe, expect, it } from "vitest";
import type { ToolEntry } from "../spec/types.js";
import { aCall, judge, ruleOf, type tables } from "./testing.js";

type Args = Record<string, unknown>;
const YES = "allow tool.allowed";
const NO = "block tool.not-allowed";

function granted(entry: ToolEntry | ToolEntry[], args: Args, variables: Args = {}) {
  const allow = Array.isArray(entry) ? entry : [entry];
  const [first] = allow;
  const tool = typeof first === "string" ? first : first!.tool;
  return ruleOf(judge(aCall(tool, args, { variables }), { state: { tools: { allow } }, over: TOOLS }));
}

function denied(entry: ToolEntry, args: Args, variables: Args = {}) {
  const tool = typeof entry === "string" ? entry : entry.tool === "*" ? "send" : entry.tool;
  const state = { tools: { allow: [tool], forbid: [entry] } };
  return judge(aCall(tool, args, { variables }), { state, over: TOOLS }).decision === "block";
}

const TOOLS = { toolPaths: { upload: { sources: "read", target: "write" } } } satisfies Partial<
  ReturnType<typeof tables>
>;

describe("a guarded grant", () => {
  it.each<[string, ToolEntry, Args, string]>([
    ["every listed argument", { tool: "send", args: { to: "*@x.de", kind: "a" } }, { to: "j@x.de", kind: "a" }, YES],
    ["one argument that differs", { tool: "send", args: { to: "*@x.de", kind: "a" } }, { to: "j@x.de", kind: "b" }, NO],
    ["any glob of an argument", { tool: "send", args: { to: ["a", "b"] } }, { to: "b" }, YES],
    ["a dotted name", { tool: "send", args: { "head.to": "a" } }, { head: { to: "a" } }, YES],
    ["own properties only", { tool: "send", args: { "head.to": "a" } }, { head: Object.create({ to: "a" }) }, NO],
  ])("W-184 looks at %s", (_what, entry, args, expected) => {
    expect(granted(entry, args)).toBe(expected);
  });

  it("W-186 W-182 takes any arguments without a guard, and the tool's name literally", () => {
    expect(granted("send", { anything: 1 })).toBe(YES);
    expect(granted({ tool: "send", connection: "mail" }, { anything: 1 })).toBe(YES);
    expect(denied({ tool: "send", source: "host" }, { anything: 1 })).toBe(true);
    expect(ruleOf(judge(aCall("sendx"), { state: { tools: { allow: ["send"] } } }))).toBe(NO);
    expect(ruleOf(judge(aCall("send"), { state: { tools: { allow: ["*"] } } }))).toBe(NO);
    expect(ruleOf(judge(aCall("sendx"), { state: { tools: { allow: ["sendx"], forbid: ["send", "Sendx"] } } }))).toBe(
      YES,
    );
  });

  it.each<[Args, string]>([
    [{ sources: ["in/a", "in/b"], target: "in/c" }, YES],
    [{ sources: ["in/a", "out/b"], target: "in/c" }, NO],
    [{ sources: [], target: "in/c" }, NO],
    [{ target: "in/c" }, NO],
    [{ sources: "in/a" }, NO],
  ])("W-185 W-192 R-207 guards every declared path, which must be there: %j", (args, expected) => {
    expect(granted({ tool: "upload", paths: "in/**" }, args)).toBe(expected);
  });

  it("W-185 W-190 R-213 guards file_path of a tool that declares no paths", () => {
    expect(granted({ tool: "send", paths: "in/**" }, { file_path: "/in//a" })).toBe(YES);
    expect(granted({ tool: "send", paths: "in/**" }, { file_path: "in/../../in/a" })).toBe(NO);
    expect(granted({ tool: "send", paths: "in/**" }, { path: "in/a" })).toBe(NO);
    expect(granted({ tool: "send", args: { file_path: "in/*" } }, { file_path: "/in//a" })).toBe(YES);
    expect(granted({ tool: "send", args: { path: "in/*" } }, { path: "/in//a" })).toBe(NO);
  });

  it.each<[unknown, string, string]>([
    [7, "7", YES],
    [true, "true", YES],
    [null, "**", NO],
    [{ a: 1 }, "**", NO],
    [undefined, "**", NO],
    [[1, 2], "?", YES],
    [["a", "bb"], "?", NO],
    [[], "**", NO],
    ["", "", YES],
    [undefined, "", NO],
    ["", "?", NO],
  ])("W-192 W-195 matches %j by %j: %s", (value, glob, expected) => {
    expect(granted({ tool: "send", args: { x: glob } }, value === undefined ? {} : { x: value })).toBe(expected);
  });

  it.each<[string, string, string]>([
    ["docs/*", "docs/a", YES],
    ["docs/*", "docs/a/b", NO],
    ["logs/**", "logs", YES],
    ["logs/**", "logs/a/b", YES],
    ["**", ".env", YES],
    ["secrets/**", "secrets/.env", YES],
    ["/docs/a", "docs/a", YES],
    ["docs/r\u00e9sum\u00e9", "docs/re\u0301sume\u0301", YES],
    ["!(a)", "b", NO],
    ["Docs/a", "docs/a", NO],
    ["{a,b}/c", "b/c", YES],
  ])("W-193 W-194 W-196 R-213 F-99 matches the path glob %s against %s: %s", (glob, path, expected) => {
    expect(granted({ tool: "write_file", paths: glob }, { file_path: path })).toBe(expected);
  });

  it("W-196 W-191 matches any other argument as written, leading slash included", () => {
    expect(granted({ tool: "send", args: { url: "/a" } }, { url: "a" })).toBe(NO);
    expect(granted({ tool: "send", args: { url: "/a" } }, { url: "/a" })).toBe(YES);
    expect(granted({ tool: "send", args: { url: "a/b" } }, { url: "a//b" })).toBe(NO);
  });

  it("W-191 takes file_path for a path where the tool declares none, and no other argument", () => {
    expect(granted({ tool: "send", args: { file_path: "in/*" } }, { file_path: "/in//a" })).toBe(YES);
    expect(granted({ tool: "send", args: { file_path: "**" } }, { file_path: "../a" })).toBe(NO);
    expect(granted({ tool: "send", args: { path: "in/*" } }, { path: "/in//a" })).toBe(NO);
    expect(granted({ tool: "upload", args: { file_path: "in/*" } }, { file_path: "/in//a" })).toBe(NO);
  });

  it("W-200 R-210 admits a call that any entry of the deciding source admits", () => {
    const entries = [
      { tool: "send", args: { to: "a" } },
      { tool: "send", args: { to: "b" } },
    ];

    expect(granted(entries, { to: "b" })).toBe(YES);
    expect(granted(entries, { to: "c" })).toBe(NO);
  });

  it("W-188 R-215 reads the other spelling of a path, in the call and in the guard", () => {
    expect(granted({ tool: "read_file", paths: "in/**" }, { path: "in/a" })).toBe(YES);
    expect(granted({ tool: "read_file", paths: "in/**" }, { path: "out/a" })).toBe(NO);
    expect(granted({ tool: "read_file", args: { path: "in/*" } }, { file_path: "in/a" })).toBe(YES);
    expect(granted({ tool: "ls", paths: "in/**" }, { file_path: "in" })).toBe(YES);
    expect(judge(aCall("read_file", { path: "/in/a" }), {})).toMatchObject({ args: { file_path: "in/a" } });
  });
});

describe("a guarded denial", () => {
  it("W-185 W-207 R-207 is met by one matching path", () => {
    expect(denied({ tool: "upload", paths: "in/**" }, { sources: ["out/a", "in/b"], target: "x" })).toBe(true);
    expect(denied({ tool: "upload", paths: "in/**" }, { sources: ["out/a"], target: "in/c" })).toBe(true);
    expect(denied({ tool: "upload", paths: "in/**" }, { sources: ["out/a"], target: "x" })).toBe(false);
  });

  it("W-192 is met by one element of a list", () => {
    expect(denied({ tool: "send", args: { to: "a" } }, { to: ["b", "a"] })).toBe(true);
    expect(denied({ tool: "send", args: { to: "a" } }, { to: [] })).toBe(false);
  });

  it("W-191 R-213 tries an argument that is no path as written and in canonical form", () => {
    expect(denied({ tool: "send", args: { file: "secrets/**" } }, { file: "/a/../secrets//x" })).toBe(true);
    expect(denied({ tool: "send", args: { file: "/secrets/**" } }, { file: "/secrets/x" })).toBe(true);
    expect(denied({ tool: "send", args: { file: "secrets/**" } }, { file: "open/x" })).toBe(false);
  });

  it("W-183 means every tool with the name *", () => {
    expect(denied({ tool: "*", args: { to: "a" } }, { to: "a" })).toBe(true);
    expect(denied({ tool: "*", args: { to: "a" } }, { to: "b" })).toBe(false);
  });

  it("F-98 covers the folder itself, and an omitted folder of a listing is the root", () => {
    expect(denied({ tool: "ls", paths: "secrets/**" }, { path: "/secrets/" })).toBe(true);
    expect(denied({ tool: "ls", paths: "**" }, {})).toBe(true);
    expect(denied({ tool: "ls", paths: "secrets/**" }, {})).toBe(false);
  });
});

describe("references in guards", () => {
  it("W-157 W-158 R-95 are replaced at every call by a value that matches only itself", () => {
    const entry = { tool: "send", args: { to: "${{customer.mail}}-*" } };

    expect(granted(entry, { to: "a*-x" }, { customer: { mail: "a*" } })).toBe(YES);
    expect(granted(entry, { to: "ab-x" }, { customer: { mail: "a*" } })).toBe(NO);
    expect(granted(entry, { to: "b-x" }, { customer: { mail: "b" } })).toBe(YES);
  });

  it("W-159 R-96 R-203 R-205 fail the state when the deciding grants hold an unresolved one and none admits", () => {
    const entry = { tool: "send", args: { to: "${{mail}}" } };
    const state = { tools: { allow: [entry] } };

    expect(judge(aCall("send", { to: "a" }), { state })).toMatchObject({
      decision: "block",
      ruleId: "tool.unresolved-variable",
      terminal: true,
    });
    expect(granted([entry, { tool: "send", args: { to: "a" } }], { to: "a" })).toBe(YES);
    expect(granted([entry, { tool: "send", args: { to: "b" } }], { to: "a" })).toBe("block tool.unresolved-variable");
    expect(granted({ tool: "send", args: { to: ["${{mail}}", "a"] } }, { to: "a" })).toBe(
      "block tool.unresolved-variable",
    );
    expect(granted(entry, { to: "a" }, { mail: "b" })).toBe(NO);
  });

  it.each<[string, ToolEntry, string, Args, string]>([
    ["an empty value opens nothing", { tool: "read_file", paths: "${{dir}}/**" }, "secret.txt", { dir: "" }, NO],
    ["not below the root either", { tool: "read_file", paths: "/${{dir}}/**" }, "secret.txt", { dir: "" }, NO],
    ["nor in the middle", { tool: "read_file", paths: "a/${{dir}}/**" }, "a/secret.txt", { dir: "" }, NO],
    ["nor as a guarded argument", { tool: "read_file", args: { file_path: "${{dir}}/**" } }, "x", { dir: "" }, NO],
    ["a rooted value is a path", { tool: "read_file", paths: "${{dir}}/**" }, "docs/a.txt", { dir: "/docs" }, YES],
  ])("W-158 W-196 in a path guard: %s", (_what, entry, file_path, variables, expected) => {
    expect(granted(entry, { file_path }, variables)).toBe(expected);
  });

  it("W-159 R-96 count as matching in a denial", () => {
    expect(denied({ tool: "send", args: { to: "${{mail}}", kind: "x" } }, { to: "a", kind: "y" })).toBe(true);
    expect(denied({ tool: "send", args: { to: "${{mail}}" } }, { to: "a" }, { mail: "b" })).toBe(false);
    expect(denied({ tool: "send", args: { to: "${{mail}}" } }, { to: "a" }, { mail: "a" })).toBe(true);
  });

  it("R-97 resolve for a script's calls too", () => {
    const state = { tools: { allow: [{ tool: "send", args: { to: "${{mail}}" } }] } };
    const call = aCall("send", { to: "a" }, { origin: "script", variables: { mail: "a" } });

    expect(ruleOf(judge(call, { state }))).toBe(YES);
  });
});
