import { describe, expect, it } from "vitest";
import type { StateSpec } from "../spec/types.js";
import { enabledSkills, reachableMounts } from "./index.js";
import { aCall, aMachine, aMount, judge, ruleOf, tables } from "./testing.js";

describe("skills", () => {
  const over = { skills: ["a", "b", "c", "d"] };
  const inherited = [{ workflow: "outer", machine: aMachine({}, { skills: { forbid_always: ["a"] } }, "outer") }];
  const at = (path: string, tool = "read_file") => aCall(tool, { file_path: path });

  it("W-223 W-222 R-220 are the state's own in order, then the workflow's, without repeats, denied and unserved ones", () => {
    const machine = aMachine(
      { work: { skills: { allow: ["c", "a", "unserved"], forbid: ["d"] } } },
      { skills: { allow_always: ["a", "b", "d"], forbid_always: ["b"] } },
    );

    expect(enabledSkills(machine, tables(over), "work")).toEqual(["c", "a"]);
    expect(enabledSkills(machine, tables({ ...over, inherited }), "work")).toEqual(["c"]);
    expect(enabledSkills(aMachine({ work: { skills: { allow: [] } } }), tables(over), "work")).toEqual([]);
  });

  it("W-225 R-205 refuse every access into a bundle that is not enabled, whatever grants the tool", () => {
    const essential = { ...over, essentialTools: ["read_file"] };

    for (const path of ["skills/a", "skills/a/SKILL.md", "/skills/./a//x"]) {
      expect(ruleOf(judge(at(path), { over: essential }))).toBe("block skill.not-allowed");
    }
    expect(ruleOf(judge(at("skills/a/x"), { over, root: { skills: { forbid_always: ["a"] } } }))).toBe(
      "block skill.forbidden",
    );
    expect(ruleOf(judge(at("skills/a/x"), { over, state: { skills: { forbid: ["a"], allow: ["a"] } } }))).toBe(
      "block skill.forbidden",
    );
    expect(ruleOf(judge(at("skills/README.md"), { over }))).toBe("allow tool.allowed");
  });

  it("W-224 make an enabled bundle readable and searchable; a tools entry narrows inside it; nothing grants a write", () => {
    const state = { skills: { allow: ["a"] } };
    const mounts = [aMount("skills")];

    expect(ruleOf(judge(at("skills/a/SKILL.md"), { over, state }))).toBe("allow tool.allowed");
    expect(ruleOf(judge(aCall("grep", { path: "skills/a" }), { over, state }))).toBe("allow tool.allowed");
    expect(ruleOf(judge(at("skills/a/x", "write_file"), { over: { ...over, mounts }, state }))).toBe(
      "block zone.read-only",
    );
    const narrowed = { ...state, tools: { allow: [{ tool: "read_file", paths: "skills/a/SKILL.md" }] } };
    expect(ruleOf(judge(at("skills/a/x"), { over, state: narrowed }))).toBe("block tool.not-allowed");
  });

  it("W-227 R-205 let archmax_run execute files of enabled bundles only", () => {
    const state = { skills: { allow: ["a"] } };

    expect(ruleOf(judge(at("skills/a/scripts/x.js", "archmax_run"), { over, state }))).toBe("allow tool.allowed");
    expect(ruleOf(judge(at("skills/b/scripts/x.js", "archmax_run"), { over, state }))).toBe("block skill.not-allowed");
    expect(ruleOf(judge(at("scratchpad/x.js", "archmax_run"), { over, state }))).toBe("block script.skill-only");
    expect(ruleOf(judge(at("skills/nowhere/x.js", "archmax_run"), { over, state }))).toBe("block script.skill-only");
  });

  it("R-220 W-224 run a script only where archmax_run itself is granted", () => {
    const run = (state: StateSpec) =>
      ruleOf(
        judge(at("skills/a/scripts/x.js", "archmax_run"), { over, state: { skills: { allow: ["a"] }, ...state } }),
      );

    expect(run({})).toBe("allow tool.allowed");
    expect(run({ tools: { allow: ["archmax_run"] } })).toBe("allow tool.allowed");
    expect(run({ tools: { forbid: ["archmax_run"] } })).toBe("block tool.forbidden-here");
    expect(run({ tools: { allow: [{ tool: "archmax_run", paths: "skills/a/scripts/y.js" }] } })).toBe(
      "block tool.not-allowed",
    );
  });

  it("W-228 R-181 are denied to every child, naming the workflow that declared it", () => {
    const verdict = judge(at("skills/a/x"), { over: { ...over, inherited }, state: { skills: { allow: ["a"] } } });

    expect(verdict).toMatchObject({ ruleId: "skill.forbidden", reason: expect.stringContaining("workflow outer") });
  });

  it("are found in every source the host names", () => {
    const more = { ...over, skillSources: ["skills/", "/lib/packs"] };

    expect(ruleOf(judge(at("lib/packs/a/x"), { over: more }))).toBe("block skill.not-allowed");
    expect(ruleOf(judge(at("lib/packs/a/x"), { over }))).toBe("allow tool.allowed");
  });
});

describe("mounts", () => {
  const over = {
    mounts: [
      aMount("kb", { governed: true, readOnly: false }),
      aMount("kb/sealed", { governed: true }),
      aMount("open"),
      aMount("out", { readOnly: false }),
    ],
  };
  const read = (path: string) => aCall("read_file", { file_path: path });
  const write = (path: string) => aCall("write_file", { file_path: path });

  it("W-233 R-221 reach a governed mount where a grant names it and nothing denies it, an ungoverned one unless denied", () => {
    expect(ruleOf(judge(read("kb/a"), { over }))).toBe("block mount.not-allowed");
    expect(ruleOf(judge(read("kb/a"), { over, state: { mounts: { allow: ["kb"] } } }))).toBe("allow tool.allowed");
    expect(ruleOf(judge(read("kb/a"), { over, root: { mounts: { allow_always: ["kb"] } } }))).toBe(
      "allow tool.allowed",
    );
    expect(
      ruleOf(
        judge(read("kb/a"), {
          over,
          root: { mounts: { allow_always: ["kb"] } },
          state: { mounts: { forbid: ["kb"] } },
        }),
      ),
    ).toBe("block mount.forbidden");
    expect(ruleOf(judge(read("open/a"), { over }))).toBe("allow tool.allowed");
    expect(ruleOf(judge(read("open/a"), { over, root: { mounts: { forbid_always: ["open"] } } }))).toBe(
      "block mount.forbidden",
    );
    expect(ruleOf(judge(read("kb/sealed/a"), { over, state: { mounts: { allow: ["kb"] } } }))).toBe(
      "block mount.not-allowed",
    );
  });

  it.each<[unknown[], unknown[], string]>([
    [["kb"], [], "block mount.read-only"],
    [[{ mount: "kb", access: "read_write" }], [], "allow tool.allowed"],
    [[], [{ mount: "kb", access: "read_write" }], "allow tool.allowed"],
    [["kb"], [{ mount: "kb", access: "read_write" }], "allow tool.allowed"],
    [[{ mount: "kb", access: "read" }], [{ mount: "kb", access: "read_write" }], "block mount.read-only"],
    [[{ mount: "kb", access: "read_write" }], [{ mount: "kb", access: "read" }], "block mount.read-only"],
  ])("W-234 R-221 write with the state granting %j and the workflow %j: %s", (own, always, expected) => {
    const state = { mounts: { allow: own as string[] } };
    const root = { mounts: { allow_always: always as string[] } };

    expect(ruleOf(judge(write("kb/a"), { over, state, root }))).toBe(expected);
  });

  it("W-234 W-235 R-206 keep the host's read-only as a ceiling, reported as the host's refusal", () => {
    const state = { mounts: { allow: [{ mount: "kb/sealed", access: "read_write" as const }] } };

    expect(ruleOf(judge(write("kb/sealed/a"), { over, state }))).toBe("block zone.read-only");
    expect(ruleOf(judge(write("out/a"), { over }))).toBe("allow tool.allowed");
    expect(ruleOf(judge(write("open/a"), { over }))).toBe("block zone.read-only");
  });

  it("W-235 R-206 are named by a refusal with its cause", () => {
    const state = { mounts: { allow: ["kb"] } };
    const cause = (call: ReturnType<typeof read>, more: Parameters<typeof judge>[1]) => judge(call, { over, ...more });

    expect(cause(read("kb/a"), { state: { mounts: { ...state.mounts, forbid: ["kb"] } } })).toMatchObject({
      ruleId: "mount.forbidden",
      reason: expect.stringMatching(/the mount kb, which state work forbids/),
    });
    expect(cause(read("kb/a"), {})).toMatchObject({
      ruleId: "mount.not-allowed",
      reason: expect.stringMatching(/the mount kb, which neither state work nor its workflow grants/),
    });
    expect(cause(write("kb/a"), { state })).toMatchObject({
      ruleId: "mount.read-only",
      reason: expect.stringMatching(/the mount kb, which .* grant for reading only/),
    });
    expect(cause(write("open/a"), {})).toMatchObject({
      ruleId: "zone.read-only",
      reason: expect.stringMatching(/open, which the host serves read-only/),
    });
  });

  it("W-239 R-181 are denied to every child, naming the workflow that declared it", () => {
    const inherited = [{ workflow: "outer", machine: aMachine({}, { mounts: { forbid_always: ["open"] } }, "outer") }];
    const verdict = judge(read("open/a"), { over: { ...over, inherited } });

    expect(verdict).toMatchObject({ ruleId: "mount.forbidden", reason: expect.stringContaining("workflow outer") });
  });

  it("W-264 W-234 list the reachable governed ones with their posture, sorted", () => {
    const machine = aMachine({
      work: {
        mounts: {
          allow: [
            { mount: "kb/sealed", access: "read_write" },
            { mount: "kb", access: "read_write" },
          ],
        },
      },
      other: {},
    });

    expect(reachableMounts(machine, tables(over), "work")).toEqual([
      { name: "kb", kind: "directory", readOnly: false, searchable: true },
      { name: "kb/sealed", kind: "directory", readOnly: true, searchable: true },
    ]);
    expect(reachableMounts(machine, tables(over), "other")).toEqual([]);
  });
});
