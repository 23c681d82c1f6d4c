import { describe, expect, it } from "vitest";
import { DEFAULT_TOOLS, judgeCall } from "./index.js";
import { aCall, aMachine, aMount, judge, ruleOf, tables } from "./testing.js";

const forbidAll = { tools: { forbid_always: ["*"] } };

describe("the order of the rules", () => {
  const mounts = [aMount("skills"), aMount("kb", { governed: true })];
  const everything = {
    over: { mounts, skills: ["x"], toolPaths: { eval: { to: "write" as const } } },
    state: { tools: { forbid: ["*"] } },
    root: { ...forbidAll, skills: { forbid_always: ["x"] }, mounts: { forbid_always: ["kb", "skills"] } },
  };
  const script = { origin: "script", replyOnly: true } as const;

  it.each<[string, string, Record<string, unknown>, object]>([
    ["tool.path-argument", "archmax_run", { file_path: ["../x", 5] }, script],
    ["zone.escapes", "archmax_run", { file_path: ["workflows/a", "../x"] }, script],
    ["zone.governance-plane", "archmax_run", { file_path: "workflows/a/scripts/x.js" }, script],
    ["script.skill-only", "archmax_run", { file_path: "checkpoints/x" }, { replyOnly: true }],
    ["tool.reply-only", "task", {}, { replyOnly: true }],
    ["tool.reply-only", "write_file", { file_path: "skills/x/a" }, { replyOnly: true }],
    ["tool.ungrantable", "archmax_note", {}, {}],
    ["tool.ungrantable", "eval", { to: "skills/x/a" }, {}],
    ["zone.read-only", "write_file", { file_path: "skills/x/a" }, {}],
    ["zone.read-only", "write_file", { file_path: "kb/a" }, {}],
    ["zone.read-only", "move_file", { source: "checkpoints/a", destination: "skills/x/a" }, {}],
    ["zone.runtime-internal", "write_file", { file_path: "checkpoints/a" }, {}],
    ["zone.runtime-internal", "move_file", { source: "large_tool_results/a", destination: "checkpoints/a" }, {}],
    ["zone.runtime-managed", "copy_file", { source: "skills/x/a", destination: "large_tool_results/a" }, {}],
    ["skill.forbidden", "copy_file", { source: "skills/x/a", destination: "kb2" }, {}],
    ["mount.forbidden", "read_file", { file_path: "kb/a" }, {}],
    ["tool.forbidden", "read_file", { file_path: "scratchpad/a" }, {}],
  ])("W-209 R-205 R-206 lets %s decide before all that follows (%s %j)", (ruleId, tool, args, over) => {
    expect(judge(aCall(tool, args, over), everything)).toMatchObject({ decision: "block", ruleId });
  });

  it("W-209 R-205 goes on with state denials, host rules, open areas, controls and grants", () => {
    const hostRule = () => ({ decision: "block" as const, ruleId: "h.no", reason: "no" });
    const over = { policyRules: [hostRule] };
    const call = aCall("read_file", { file_path: "scratchpad/a" });

    expect(ruleOf(judge(call, { over, state: { tools: { forbid: ["read_file"] } } }))).toBe(
      "block tool.forbidden-here",
    );
    expect(ruleOf(judge(call, { over }))).toBe("block h.no");
    expect(ruleOf(judge(call))).toBe("allow tool.scratchpad");
    expect(ruleOf(judge(aCall("archmax_wait"), { over }))).toBe("block h.no");
    expect(ruleOf(judge(aCall("archmax_wait")))).toBe("allow tool.control");
    expect(ruleOf(judge(aCall("read_file", { file_path: "a" })))).toBe("allow tool.allowed");
    expect(ruleOf(judge(aCall("unheard_of")))).toBe("block tool.not-allowed");
  });
});

describe("path safety", () => {
  it.each([5, true, null, { a: 1 }, [["a"]], "a\u0000b"])("W-189 F-96 R-205 refuses the path argument %j", (value) => {
    const verdict = judge(aCall("read_file", { file_path: value }));

    expect(verdict).toMatchObject({ decision: "block", ruleId: "tool.path-argument" });
    expect(verdict).toHaveProperty("reason", expect.stringMatching(/read_file.*"file_path"/));
  });

  it("W-189 H-103 judges each element of a list by itself, and an omitted path names nothing", () => {
    expect(ruleOf(judge(aCall("read_file", { file_path: ["a", "checkpoints/x"] })))).toBe(
      "block zone.runtime-internal",
    );
    expect(ruleOf(judge(aCall("read_file", {})))).toBe("allow tool.allowed");
  });

  it("R-214 gives an allowed call its paths in canonical form and everything else as it was", () => {
    const args = { source: "/a/./b", destination: "c//../d", overwrite: true };

    expect(judge(aCall("copy_file", args))).toEqual({
      decision: "allow",
      ruleId: "tool.allowed",
      args: { source: "a/b", destination: "d", overwrite: true },
    });
    expect(args.source).toBe("/a/./b");

    const over = { toolPaths: { pack: { from: "read" } } } as const;
    const packed = judge(aCall("pack", { from: ["/a/./b", "c//d"] }), { over, state: { tools: { allow: ["pack"] } } });
    expect(packed).toMatchObject({ args: { from: ["a/b", "c/d"] } });
  });

  it("W-253 R-207 R-241 judges every path of a call and names the argument that failed", () => {
    const over = { mounts: [aMount("docs")] };
    const verdict = judge(aCall("move_file", { source: "docs/a", destination: "b" }), { over });

    expect(verdict).toMatchObject({ ruleId: "zone.read-only", reason: expect.stringMatching(/"source" \(docs\/a\)/) });
    expect(judge(aCall("copy_file", { source: "a", destination: "docs/b" }), { over })).toMatchObject({
      ruleId: "zone.read-only",
      reason: expect.stringMatching(/"destination" \(docs\/b\)/),
    });
    expect(ruleOf(judge(aCall("copy_file", { source: "docs/a", destination: "b" }), { over }))).toBe(
      "allow tool.allowed",
    );
  });

  it("W-250 R-205 keeps scripts out of workflows/ and judges a model's call there like any other", () => {
    const args = { file_path: "workflows/refunds/workflow.yaml" };

    expect(ruleOf(judge(aCall("read_file", args, { origin: "script" })))).toBe("block zone.governance-plane");
    expect(ruleOf(judge(aCall("read_file", args)))).toBe("allow tool.allowed");
  });

  it.each(["ls", "read_file"])("W-252 R-218 lets the granted %s into the offload areas whatever its guards", (tool) => {
    const args = { path: "large_tool_results/x" };
    const state = { tools: { allow: [{ tool, paths: "docs/**" }] } };

    expect(ruleOf(judge(aCall(tool, args), { state }))).toBe("allow tool.offload-read");
    expect(ruleOf(judge(aCall(tool, args), { root: { tools: { allow_always: [] } } }))).toBe("block tool.not-allowed");
    expect(
      ruleOf(
        judge(aCall("grep", { path: "conversation_history", pattern: "x" }), {
          state: { tools: { allow: [{ tool: "grep", paths: "docs/**" }] } },
        }),
      ),
    ).toBe("block tool.not-allowed");
  });

  it("W-252 lets nobody write where the runtime writes", () => {
    expect(ruleOf(judge(aCall("write_file", { file_path: "conversation_history/x" })))).toBe(
      "block zone.runtime-managed",
    );
    expect(ruleOf(judge(aCall("remove_file", { file_path: "large_tool_results/x" })))).toBe(
      "block zone.runtime-managed",
    );
    expect(ruleOf(judge(aCall("read_file", { file_path: "artifacts/x" })))).toBe("block zone.runtime-internal");
  });

  it("R-216 H-103 W-187 applies path rules to a host tool's declared arguments only, and no built-in's can be changed", () => {
    const toolPaths = { pull: { to: "write" }, write_file: { nothing: "read" } } as const;
    const over = { toolPaths, mounts: [aMount("docs")] };
    const state = { tools: { allow: ["pull", "push", "write_file"] } };

    expect(ruleOf(judge(aCall("pull", { to: "docs/a" }), { over, state }))).toBe("block zone.read-only");
    expect(ruleOf(judge(aCall("push", { to: "docs/a" }), { over, state }))).toBe("allow tool.allowed");
    expect(ruleOf(judge(aCall("write_file", { file_path: "docs/a" }), { over, state }))).toBe("block zone.read-only");
  });
});

describe("open areas", () => {
  const guarded = (tool: string) => ({ state: { tools: { allow: [{ tool, paths: "docs/**" }] } } });

  it.each([
    ["read_file", { file_path: "scratchpad/a" }],
    ["ls", { path: "scratchpad" }],
    ["write_file", { file_path: "/scratchpad/a" }],
    ["remove_file", { file_path: "scratchpad/a" }],
    ["move_file", { source: "scratchpad/a", destination: "scratchpad/b" }],
  ])("W-210 R-217 opens scratchpad/ to the granted %s whatever its guards", (tool, args) => {
    expect(ruleOf(judge(aCall(tool, args), guarded(tool)))).toBe("allow tool.scratchpad");
  });

  it("W-210 R-217 stays closed to searches, to paths outside, and to tools without a grant", () => {
    expect(ruleOf(judge(aCall("grep", { path: "scratchpad" }), guarded("grep")))).toBe("block tool.not-allowed");
    expect(ruleOf(judge(aCall("copy_file", { source: "scratchpad/a", destination: "b" }), guarded("copy_file")))).toBe(
      "block tool.not-allowed",
    );
    expect(ruleOf(judge(aCall("ls", {}), guarded("ls")))).toBe("block tool.not-allowed");
    const none = { root: { tools: { allow_always: ["read_file"] } } };
    expect(ruleOf(judge(aCall("write_file", { file_path: "scratchpad/a" }), none))).toBe("block tool.not-allowed");
  });

  it("R-217 H-103 W-210 opens to essential tools, and to no other host tool", () => {
    const over = { toolPaths: { keep: { to: "write" }, toss: { to: "write" } }, essentialTools: ["keep"] } as const;
    const state = { tools: { allow: ["keep", "toss"].map((tool) => ({ tool, paths: "docs/**" })) } };

    expect(ruleOf(judge(aCall("keep", { to: "scratchpad/a" }), { over, state }))).toBe("allow tool.scratchpad");
    expect(ruleOf(judge(aCall("toss", { to: "scratchpad/a" }), { over, state }))).toBe("block tool.not-allowed");
  });
});

describe("grants", () => {
  it("W-198 R-211 are the twelve default tools unless the workflow writes a list, an empty one included", () => {
    for (const tool of DEFAULT_TOOLS.filter((name) => name !== "archmax_run")) {
      expect(ruleOf(judge(aCall(tool)))).toBe("allow tool.allowed");
      expect(ruleOf(judge(aCall(tool), { root: { tools: { allow_always: [] } } }))).toBe("block tool.not-allowed");
      expect(ruleOf(judge(aCall(tool), { root: { tools: { forbid_always: ["zzz"] } } }))).toBe("allow tool.allowed");
    }
    expect(DEFAULT_TOOLS).toHaveLength(12);
  });

  it("W-199 R-210 come from the state where it names the tool, else from the host, else from the workflow", () => {
    const limited = { tool: "send", args: { to: "state" } };
    const root = { tools: { allow_always: [{ tool: "send", args: { to: "workflow" } }] } };
    const over = { essentialTools: ["send"] };
    const to = (who: string) => aCall("send", { to: who });

    expect(judge(to("workflow"), { root }).decision).toBe("allow");
    expect(judge(to("anyone"), { root }).decision).toBe("block");
    expect(judge(to("anyone"), { root, over }).decision).toBe("allow");
    expect(judge(to("anyone"), { root, over, state: { tools: { allow: [limited] } } }).decision).toBe("block");
    expect(judge(to("workflow"), { root, over, state: { tools: { allow: [limited] } } }).decision).toBe("block");
    expect(judge(to("state"), { root, over, state: { tools: { allow: [limited] } } }).decision).toBe("allow");
    expect(judge(to("workflow"), { root, state: { tools: { allow: ["other"] } } }).decision).toBe("allow");
  });

  it("W-202 H-19 grant an essential tool in every state, and a denial takes it away", () => {
    const over = { essentialTools: ["keep"] };

    expect(ruleOf(judge(aCall("keep"), { over, root: { tools: { allow_always: [] } } }))).toBe("allow tool.allowed");
    expect(ruleOf(judge(aCall("keep"), { over, root: { tools: { forbid_always: ["keep"] } } }))).toBe(
      "block tool.forbidden",
    );
  });

  it("W-201 R-212 need not name controls, mean nothing when they do, and a denial takes one away", () => {
    const inert = { tools: { allow: [{ tool: "archmax_wait", args: { reason: "x" } }] } };

    expect(ruleOf(judge(aCall("archmax_wait", { reason: "y" }), { state: inert }))).toBe("allow tool.control");
    expect(ruleOf(judge(aCall("archmax_wait"), { state: { tools: { forbid: ["archmax_wait"] } } }))).toBe(
      "block tool.forbidden-here",
    );
    expect(ruleOf(judge(aCall("archmax_advance"), { state: { tools: { allow: ["archmax_advance"] } } }))).toBe(
      "block tool.not-allowed",
    );
    expect(ruleOf(judge(aCall("archmax_advance"), { state: { transitions: [{ to: "other" }] } }))).toBe(
      "allow tool.control",
    );
  });

  it.each(["task", "eval", "archmax_note", "archmax_get_history"])("W-204 R-205 R-265 never grant %s", (tool) => {
    const everywhere = { state: { tools: { allow: [tool] } }, root: { tools: { allow_always: [tool] } } };

    expect(ruleOf(judge(aCall(tool), { ...everywhere, over: { essentialTools: [tool] } }))).toBe(
      "block tool.ungrantable",
    );
  });

  it("W-242 treat a delegation tool like any other", () => {
    const state = { tools: { allow: [{ tool: "archmax_workflow_child", args: { id: "7" } }] } };

    expect(ruleOf(judge(aCall("archmax_workflow_child", { id: 7 }), { state }))).toBe("allow tool.allowed");
    expect(ruleOf(judge(aCall("archmax_workflow_child", { id: 8 }), { state }))).toBe("block tool.not-allowed");
    expect(ruleOf(judge(aCall("archmax_workflow_other"), { state }))).toBe("block tool.not-allowed");
  });
});

describe("automated states", () => {
  const judgeIn = (type: "code" | "grader", tool: string, more = {}) =>
    ruleOf(judge(aCall(tool), { state: { type, transitions: [{ to: "other" }], ...more } }));

  it.each(["archmax_eval", "archmax_run", "archmax_wait", "archmax_reset", "write_todos"])(
    "W-78 R-134 keep %s away whatever the lists say",
    (tool) => {
      expect(judgeIn("code", tool, { tools: { allow: [tool] } })).toBe("block tool.ungrantable");
      expect(judgeIn("grader", tool)).toBe("block tool.ungrantable");
      expect(ruleOf(judge(aCall(tool, { file_path: "skills/x/a" }), { over: { skills: ["x"] } }))).not.toContain(
        "ungrantable",
      );
    },
  );

  it("W-77 R-133 R-212 have five controls, without the advance in a terminal one", () => {
    for (const tool of [
      "archmax_get_history",
      "archmax_get_variables",
      "archmax_set_variables",
      "archmax_raise",
      "archmax_advance",
    ]) {
      expect(judgeIn("code", tool)).toBe("allow tool.control");
    }
    expect(judgeIn("code", "archmax_advance", { transitions: [] })).toBe("block tool.not-allowed");
    expect(judgeIn("code", "archmax_raise", { transitions: [] })).toBe("allow tool.control");
  });

  it("W-203 R-135 are judged against their own lists alone", () => {
    const machine = aMachine({
      work: { type: "code", script: "scripts/a.js" },
      other: { tools: { allow: ["send"], forbid: ["read_file"] }, skills: { allow: ["x"] } },
    });

    expect(ruleOf(judgeCall(machine, tables(), aCall("send", {}, { origin: "script" })))).toBe(
      "block tool.not-allowed",
    );
    expect(ruleOf(judgeCall(machine, tables(), aCall("read_file", {}, { origin: "script" })))).toBe(
      "allow tool.allowed",
    );
    const call = aCall("read_file", { file_path: "skills/x/a" });
    expect(ruleOf(judgeCall(machine, tables({ skills: ["x"] }), call))).toBe("block skill.not-allowed");
  });
});

describe("denials", () => {
  it("W-180 W-206 R-206 beat grants, essential tools, controls and open areas", () => {
    const over = { essentialTools: ["keep"] };
    const calls = [
      aCall("read_file", { file_path: "scratchpad/a" }),
      aCall("ls", { path: "large_tool_results" }),
      aCall("keep"),
      aCall("archmax_raise"),
      aCall("send"),
    ];
    for (const call of calls) {
      const state = { tools: { allow: ["send"] } };
      expect(judge(call, { over, state }).decision).toBe("allow");
      expect(ruleOf(judge(call, { over, state, root: forbidAll }))).toBe("block tool.forbidden");
      expect(ruleOf(judge(call, { over, state: { tools: { ...state.tools, forbid: ["*"] } } }))).toBe(
        "block tool.forbidden-here",
      );
    }
  });

  it("W-206 R-181 R-205 are inherited from every ancestor, the outermost named first; grants and state lists are not", () => {
    const outer = aMachine({ work: {} }, { tools: { forbid_always: ["send"], allow_always: ["gift"] } }, "outer");
    const inner = aMachine(
      { work: { tools: { forbid: ["read_file"] } } },
      { tools: { forbid_always: ["send", "post"] } },
      "inner",
    );
    const over = { inherited: [outer, inner].map((machine) => ({ workflow: machine.workflow, machine })) };
    const root = { tools: { forbid_always: ["send"] } };
    const verdict = judge(aCall("send"), { over, root });

    expect(verdict).toMatchObject({ ruleId: "tool.forbidden", reason: expect.stringContaining("workflow outer") });
    expect(judge(aCall("post"), { over })).toMatchObject({ reason: expect.stringContaining("workflow inner") });
    expect(judge(aCall("send"), { root })).toMatchObject({ reason: expect.stringContaining("workflow refunds") });
    expect(judge(aCall("gift"), { over }).decision).toBe("block");
    expect(judge(aCall("read_file"), { over }).decision).toBe("allow");
  });
});

describe("host rules", () => {
  const rule = (answer: unknown) => () => answer as null;

  it("H-36 R-205 R-209 refuse in order, have no opinion, and can permit nothing", () => {
    const policyRules = [
      rule(null),
      rule({ decision: "allow", ruleId: "x", reason: "y" }),
      rule({ decision: "block", ruleId: "two.no", reason: "Because." }),
      rule({ decision: "block", ruleId: "three.no", reason: "Late." }),
    ];

    expect(judge(aCall("ls"), { over: { policyRules } })).toEqual({
      decision: "block",
      ruleId: "two.no",
      reason: "Because.",
    });
    expect(judge(aCall("send"), { over: { policyRules: policyRules.slice(0, 2) } }).decision).toBe("block");
  });

  it("R-209 refuse with their own id when they throw, and see the call as it would run", () => {
    const seen: unknown[] = [];
    const broken = (call: unknown) => {
      seen.push(call);
      throw new Error("boom");
    };
    const call = aCall("read_file", { path: "/a//b" }, { sessionId: "s", origin: "script" });

    expect(judge(call, { over: { policyRules: [broken] } })).toMatchObject({ decision: "block", ruleId: "broken" });
    expect(seen).toEqual([
      { tool: "read_file", args: { file_path: "a/b" }, state: "work", origin: "script", sessionId: "s" },
    ]);
  });
});

describe("reply-only calls", () => {
  it("R-107 W-272 refuse every tool, controls included, after the path and zone safety rules", () => {
    for (const tool of ["archmax_advance", "read_file", "archmax_note"]) {
      expect(ruleOf(judge(aCall(tool, {}, { replyOnly: true })))).toBe("block tool.reply-only");
    }
    expect(ruleOf(judge(aCall("read_file", { file_path: "../x" }, { replyOnly: true })))).toBe("block zone.escapes");
  });
});

describe("refusals", () => {
  it.each([
    [aCall("write_file", { file_path: "docs/a" }), "docs/a", "host", "Write to scratchpad/"],
    [aCall("read_file", { file_path: "kb/a" }), "kb/a", "state work", "Work with the mounts listed"],
    [aCall("read_file", { file_path: "skills/x/a" }), "skills/x/a", "workflow refunds", ""],
    [aCall("send"), "", "state work", "Use the tools that are offered"],
    [aCall("post"), "", "workflow refunds forbids it", "Use the tools that are offered"],
    [aCall("grep", {}), "", "state work forbids it", "Use the tools that are offered"],
    [aCall("ls", { path: "b" }), "for these arguments", "state work forbids it", "Other arguments may be permitted"],
  ])("R-203 W-235 name the tool, what was refused, who refuses it, and the way out (%#)", (call, what, who, wayOut) => {
    const over = { mounts: [aMount("docs"), aMount("kb", { governed: true })], skills: ["x"] };
    const root = { skills: { forbid_always: ["x"] }, tools: { forbid_always: ["post"] } };
    const state = { tools: { forbid: ["grep", { tool: "ls", args: { path: "b" } }] } };
    const verdict = judge(call, { over, root, state });

    for (const said of [`${call.tool} was refused: `, what, who, wayOut])
      expect(verdict).toHaveProperty("reason", expect.stringContaining(said));
  });

  it("are also given in a state that the spec no longer has", () => {
    expect(judge(aCall("send", {}, { state: "gone" })).decision).toBe("block");
    expect(judge(aCall("send", {}, { state: "constructor" })).decision).toBe("block");
  });
});
