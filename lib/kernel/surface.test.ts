import { describe, expect, it } from "vitest";
import { argumentLimits, offeredTools, readableEvidencePath, scriptTools, visiblePath } from "./index.js";
import { aMachine, aMount, tables } from "./testing.js";

const registered = [
  "archmax_advance",
  "archmax_reset",
  "archmax_wait",
  "archmax_raise",
  "archmax_get_variables",
  "archmax_set_variables",
  "archmax_get_history",
  "write_todos",
  "grep",
  "read_file",
  "ls",
  "archmax_eval",
  "archmax_run",
  "send",
  "post",
  "keep",
  "archmax_workflow_child",
];

describe("offeredTools", () => {
  const root = {
    tools: { allow_always: ["ls", "read_file", "archmax_eval", "write_todos", "archmax_workflow_child"] },
  };
  const machine = aMachine(
    {
      work: {
        tools: {
          allow: ["send", { tool: "post", args: { to: "a" } }],
          forbid: ["ls", { tool: "read_file", paths: "x" }],
        },
        transitions: [{ to: "end" }],
      },
      end: {},
      human: { type: "human", tools: { allow: ["send"] }, transitions: [{ to: "end" }] },
      code: { type: "code", tools: { allow: ["send"], forbid: ["archmax_raise"] }, transitions: [{ to: "end" }] },
      closed: { tools: { forbid: ["*"] } },
    },
    root,
  );
  const offered = (state: string, over = {}) => offeredTools(machine, tables(over), state, { registered });

  it("W-207 R-219 W-278 are the granted tools and controls without bare denials, guarded ones kept, in registration order", () => {
    expect(offered("work")).toEqual([
      "archmax_advance",
      "archmax_reset",
      "archmax_wait",
      "archmax_raise",
      "archmax_get_variables",
      "archmax_set_variables",
      "write_todos",
      "read_file",
      "archmax_eval",
      "send",
      "post",
      "archmax_workflow_child",
    ]);
  });

  it("W-201 W-207 have no advance in a terminal state, and nothing where everything is denied", () => {
    expect(offered("end")).not.toContain("archmax_advance");
    expect(offered("end")).toContain("archmax_raise");
    expect(offered("closed")).toEqual([]);
  });

  it("R-105 R-212 W-272 are in a human state those of an agent state with the same grants", () => {
    const agent = aMachine({ human: { tools: { allow: ["send"] }, transitions: [{ to: "end" }] }, end: {} }, root);

    expect(offered("human")).toEqual(offeredTools(agent, tables(), "human", { registered }));
    expect(offered("human")).toContain("archmax_advance");
  });

  it("W-77 W-203 W-208 R-148 are in a code state its grants without the five, and its controls", () => {
    expect(offered("code")).toEqual([
      "archmax_advance",
      "archmax_get_variables",
      "archmax_set_variables",
      "archmax_get_history",
      "read_file",
      "ls",
      "send",
      "archmax_workflow_child",
    ]);
  });

  it("W-202 W-206 R-219 include essential tools and leave out what an ancestor denies", () => {
    const outer = aMachine({}, { tools: { forbid_always: ["send", "keep"] } }, "outer");

    expect(offered("work", { essentialTools: ["keep"] })).toContain("keep");
    const child = offered("work", { essentialTools: ["keep"], inherited: [{ workflow: "outer", machine: outer }] });
    expect(child).not.toContain("keep");
    expect(child).not.toContain("send");
  });

  it("W-204 leave out what cannot be granted", () => {
    const greedy = aMachine({ work: { tools: { allow: ["task", "archmax_get_history", "archmax_note"] } } });

    expect(
      offeredTools(greedy, tables(), "work", { registered: ["task", "archmax_get_history", "archmax_note", "ls"] }),
    ).toEqual(["ls"]);
  });

  it("W-208 R-226 are for a script those of the state without controls and sandbox tools", () => {
    expect(scriptTools(machine, tables(), "work", { registered })).toEqual([
      "write_todos",
      "read_file",
      "send",
      "post",
      "archmax_workflow_child",
    ]);
  });
});

describe("visiblePath", () => {
  const mounts = [aMount("skills"), aMount("kb", { governed: true }), aMount("open"), aMount("shut")];
  const machine = aMachine(
    {
      work: {
        skills: { allow: ["a"], forbid: ["gone"] },
        mounts: { forbid: ["shut"] },
        tools: {
          forbid: [
            { tool: "grep", paths: "secrets/**" },
            { tool: "ls", args: { path: "${{dir}}" } },
          ],
        },
      },
      deep: { tools: { forbid: [{ tool: "grep", args: { path: "notes/**", pattern: "key*" } }] } },
    },
    { tools: { forbid_always: [{ tool: "*", paths: "vault/**" }] } },
  );
  const visible = (path: string, over: Partial<Parameters<typeof visiblePath>[2]> = {}) =>
    visiblePath(machine, tables({ mounts, skills: ["a", "b"] }), {
      state: "work",
      tool: "grep",
      variables: { dir: "hidden" },
      path,
      ...over,
    });

  it.each([
    ["skills/a/SKILL.md", true],
    ["skills/b", false],
    ["skills/b/SKILL.md", false],
    ["skills/gone/x", false],
    ["skills", true],
    ["kb", false],
    ["/kb/x", false],
    ["open/x", true],
    ["shut/x", false],
    ["notes/x", true],
    ["workflows/refunds/workflow.yaml", false],
    ["checkpoints/1", false],
    ["large_tool_results/1", true],
  ])("R-223 W-226 W-236 W-250 shows a line of %s: %s", (path, expected) => {
    expect(visible(path)).toBe(expected);
  });

  it("F-98 R-223 hides places where a denial refuses that same tool, the folder itself included", () => {
    expect(visible("secrets")).toBe(false);
    expect(visible("secrets/x/y")).toBe(false);
    expect(visible("secrets/x", { tool: "glob" })).toBe(true);
    expect(visible("vault/x", { tool: "ls" })).toBe(false);
    expect(visible("hidden", { tool: "ls" })).toBe(false);
    expect(visible("hidden", { tool: "ls", variables: {} })).toBe(false);
    expect(visible("notes", { tool: "ls", variables: {} })).toBe(false);
  });

  it("R-223 looks at the call's other arguments where a denial does", () => {
    expect(visible("notes/x", { state: "deep", args: { pattern: "keys" } })).toBe(false);
    expect(visible("notes/x", { state: "deep", args: { pattern: "other" } })).toBe(true);
  });
});

describe("argumentLimits", () => {
  const machine = aMachine(
    {
      work: {
        tools: {
          allow: [
            { tool: "send", args: { to: ["${{mail}}", "*@x.de"], "head.kind": "a" } },
            { tool: "send", args: { to: "${{unset_name}}" } },
            { tool: "ls", args: { path: "**" } },
            { tool: "post", args: { to: "x" } },
            { tool: "archmax_wait", args: { reason: "x" } },
            "post",
          ],
          forbid: ["ls"],
        },
      },
    },
    {
      tools: {
        allow_always: [
          "read_file",
          { tool: "write_file", paths: ["docs/**", "${{dir}}/*"] },
          { tool: "send", args: { to: "z" } },
        ],
      },
    },
  );

  it("W-270 W-264 are one line for each guarded grant that decides, with values unescaped and unset ones said to be so", () => {
    expect(argumentLimits(machine, tables(), "work", { mail: "a*{b}@x.de\nc", dir: "out" })).toEqual([
      "- `send`: `to`: `a*{b}@x.de c` or `*@x.de`; `head.kind`: `a`",
      "- `send`: `to`: `${{unset_name}} (unset)`",
      "- `write_file`: every path: `docs/**` or `out/*`",
    ]);
  });
});

describe("readableEvidencePath", () => {
  const mounts = [aMount("docs")];

  it.each([
    ["/scratchpad//a", "scratchpad/a"],
    ["report.md", "report.md"],
    ["large_tool_results/x", "large_tool_results/x"],
    ["docs/./a", "docs/a"],
  ])("R-66 accepts %s as %s", (text, path) => {
    expect(readableEvidencePath(text, mounts)).toEqual({ ok: true, path });
  });

  it.each(["../x", "", "/", "checkpoints/a", "artifacts", "_specs/x", "a\u0007"])("R-66 refuses %j by name", (text) => {
    expect(readableEvidencePath(text, mounts)).toMatchObject({
      ok: false,
      reason: expect.stringContaining(JSON.stringify(text)),
    });
  });
});
