/** Whoever makes a call and however: the same denial holds, by the same rule. */
import { describe, expect, it } from "vitest";
import type { GuardrailCall } from "../../lib/extensions/types.js";
import { benches } from "../turn/support.js";
import { type DeniedCall, ENTRANCES, type Entrance, tryCalls } from "./desk.js";

const open = benches();

const DENIED: [rule: string, call: DeniedCall][] = [
  ["tool.forbidden", { tool: "probe", args: { target: "secret" } }],
  ["tool.forbidden", { tool: "read_file", args: { file_path: "notes/../secret/key.txt" } }],
  ["tool.forbidden", { tool: "write_file", args: { file_path: "/secret/key.txt", content: "x" } }],
  ["tool.forbidden", { tool: "store", args: { target: "secret//key.txt" } }],
  ["tool.forbidden-here", { tool: "probe", args: { target: "here" } }],
  ["zone.read-only", { tool: "write_file", args: { file_path: "docs/a.txt", content: "x" } }],
  ["zone.read-only", { tool: "store", args: { target: "docs/a.txt" } }],
  ["skill.not-allowed", { tool: "read_file", args: { file_path: "skills/law/SKILL.md" } }],
  ["skill.not-allowed", { tool: "inspect", args: { target: "skills/law/SKILL.md" } }],
  ["skill.forbidden", { tool: "inspect", args: { target: "skills/gone/SKILL.md" } }],
  ["mount.not-allowed", { tool: "read_file", args: { file_path: "ledger/a.txt" } }],
  ["mount.not-allowed", { tool: "store", args: { target: "ledger/a.txt" } }],
  ["mount.forbidden", { tool: "inspect", args: { target: "shut/a.txt" } }],
  ["mount.read-only", { tool: "write_file", args: { file_path: "open/a.txt", content: "x" } }],
  ["zone.runtime-internal", { tool: "inspect", args: { target: "checkpoints/1" } }],
  ["zone.escapes", { tool: "inspect", args: { target: "../s2/a.txt" } }],
  ["host.rule", { tool: "probe", args: { target: "host" } }],
];

const FINE: DeniedCall = { tool: "probe", args: { target: "fine" } };

/** what a caller denies its children. Grants, and a state's own denials, are no part of it. */
const INHERITED = ["tool.forbidden", "skill.forbidden", "mount.forbidden"];
const isSaid = (entrance: Entrance, rule: string) => entrance !== "heir" || rule !== "tool.forbidden-here";
/** Scripts do not find what is not offered; a call of it is no call (R-226, W-208). */
const SCRIPTS: readonly Entrance[] = ["eval", "run", "code", "child's script"];

/** Entrances of a child's session. */
const HEIRS: readonly Entrance[] = ["child", "child's script", "heir"];
const ORIGINS: Record<Entrance, GuardrailCall["origin"]> = {
  model: "agent",
  eval: "script",
  run: "script",
  code: "code",
  grader: "grader",
  child: "agent",
  "child's script": "script",
  heir: "agent",
};

describe.each(ENTRANCES)("through the entrance %s", (entrance) => {
  it("W-206 R-204 R-206 R-225 R-227 H-36 every denial refuses by its rule, and nothing is done", async () => {
    const denied = DENIED.filter(([rule]) => isSaid(entrance, rule));

    const { blocked, ran, changed } = await tryCalls(open, entrance, { made: denied.map(([, call]) => call) });

    expect(blocked.map(({ rule, tool }) => [rule, tool])).toEqual(denied.map(([rule, { tool }]) => [rule, tool]));
    expect(ran).toEqual([]);
    expect(changed).toEqual([]);
    const byWorkflow = blocked.filter(({ rule }) => INHERITED.includes(rule));
    for (const { reason } of entrance === "heir" ? byWorkflow : []) expect(reason).toMatch(/workflow case/);
  });

  it("W-207 W-208 R-226 a tool that is denied whatever its arguments is refused, and no script finds it", async () => {
    const { blocked, ran } = await tryCalls(open, entrance, { made: [{ tool: "never", args: {} }] });

    const refused = SCRIPTS.includes(entrance) ? [] : [["tool.forbidden", "never"]];
    expect(blocked.map(({ rule, tool }) => [rule, tool])).toEqual(refused);
    expect(ran).toEqual([]);
  });

  it("R-204 lets a permitted call through, once", async () => {
    const { blocked, ran } = await tryCalls(open, entrance, { made: [FINE] });

    expect(blocked).toEqual([]);
    expect(ran).toEqual([{ tool: "probe", target: "fine" }]);
  });

  it("C-19 a mock answers in place of the tool, and only a call that is permitted", async () => {
    const mocks = (ran: unknown[]) => (call: DeniedCall) => {
      if (call.tool !== "probe") return null;
      ran.push({ tool: "a mock", target: call.args.target });
      return { text: "mocked" };
    };

    const { blocked, ran } = await tryCalls(open, entrance, { made: [DENIED[0]![1], FINE], mocks });

    expect(blocked).toMatchObject([{ rule: "tool.forbidden", tool: "probe" }]);
    expect(ran).toEqual([{ tool: "a mock", target: "fine" }]);
  });

  it("A-12 A-13 A-14 A-15 a guardrail denies here as everywhere, and no hook, mock, middleware or tool is reached", async () => {
    const seen: GuardrailCall[] = [];
    const reached: string[] = [];
    const byRules: string[] = [];
    const denied = { tool: "probe", args: { target: "guarded" } };
    const mocks = () => (call: DeniedCall) => {
      if (call.args.target === "guarded") reached.push("mock");
      return null;
    };

    const { blocked, ran } = await tryCalls(open, entrance, {
      made: [denied, FINE],
      mocks,
      extensions: {
        policyRules: [
          ({ tool, origin: asker }) => {
            if (tool === "probe") byRules.push(asker);
            return null;
          },
        ],
        guardrails: [
          (call) => {
            seen.push(call);
            return call.args.target === "guarded" ? "not on my watch" : undefined;
          },
        ],
        hooks: {
          beforeTool: ({ args }) => {
            if (args.target === "guarded") reached.push("hook");
          },
        },
        middleware: [
          {
            name: "watch",
            wrapToolCall: (request, next) => {
              if (request.args.target === "guarded") reached.push("middleware");
              return next(request);
            },
          },
        ],
      },
    });

    expect(blocked).toEqual([{ rule: "guardrail", tool: "probe", reason: "not on my watch" }]);
    expect(ran).toEqual([{ tool: "probe", target: "fine" }]);
    expect(reached).toEqual([]);
    const [first] = seen.filter(({ name }) => name === "probe");
    const workflow = HEIRS.includes(entrance) ? "child" : "case";
    const origin = ORIGINS[entrance];
    const state = entrance === "code" ? "check" : entrance === "grader" ? "grade" : "work";
    expect(first).toMatchObject({ workflow, origin, state, args: { target: "guarded" }, id: expect.any(String) });
    expect(byRules).toEqual(Array(2).fill(origin === "code" ? "script" : origin));
    expect(first?.turn).toBe(entrance === "grader" ? 2 : 1);
    expect(first?.sessionId).toBe(workflow === "child" ? "s1~1" : "s1");
  });

  it("A-12 A-42 arguments that a hook puts in place are judged like any, and what it answers is the tool's answer", async () => {
    const to = (target: string): DeniedCall => ({ tool: "probe", args: { target } });
    const given: Record<string, unknown> = {
      moved: { args: { target: "secret" } },
      warded: { args: { target: "guarded" } },
      changed: { args: { target: "fine" } },
      answered: { result: { ok: 1 } },
    };

    const { blocked, ran, told } = await tryCalls(open, entrance, {
      made: ["moved", "warded", "changed", "answered"].map(to),
      extensions: {
        guardrails: [({ args }) => (args.target === "guarded" ? "not that one" : "allow")],
        hooks: { beforeTool: ({ args }) => given[String(args.target)] as { result: unknown } },
      },
    });

    expect(blocked.map(({ rule }) => rule)).toEqual(["tool.forbidden", "guardrail"]);
    expect(ran).toEqual([{ tool: "probe", target: "fine" }]);
    const begun = told.filter((type) => type === "tool-called").length;
    expect(told.filter((type) => type === "tool-result")).toHaveLength(begun);
  });

  it("A-12 A-43 the hook is asked after the kernel and the guardrails, and denies where it throws", async () => {
    const asked: unknown[] = [];

    const { blocked, ran } = await tryCalls(open, entrance, {
      made: [DENIED[0]![1], { tool: "probe", args: { target: "guarded" } }, FINE],
      extensions: {
        guardrails: [({ args }) => (args.target === "guarded" ? "no" : undefined)],
        hooks: {
          beforeTool: ({ name, args }) => {
            if (name !== "probe") return;
            asked.push(args.target);
            throw new Error("no route");
          },
        },
      },
    });

    expect(asked).toEqual(["fine"]);
    expect(blocked.at(-1)).toMatchObject({ rule: "guardrail", reason: expect.stringContaining("no route") });
    expect(blocked).toHaveLength(3);
    expect(ran).toEqual([]);
  });
});

describe("guardrails along a chain of callers", () => {
  const asks = (who: string, log: string[], says?: string) => (call: GuardrailCall) => {
    if (call.name === "probe") log.push(who);
    return call.name === "probe" ? says : undefined;
  };

  it("A-11 A-13 a child asks those of everywhere, its caller's and its own, and the first denial ends it", async () => {
    const log: string[] = [];
    const extensions = (says?: string) => ({
      guardrails: [asks("everywhere", log)],
      agents: {
        case: { guardrails: [asks("caller", log, says)] },
        child: { guardrails: [asks("own", log)] },
      },
    });

    const allowed = await tryCalls(open, "child", { made: [FINE], extensions: extensions() });
    expect(log).toEqual(["everywhere", "caller", "own"]);
    expect(allowed.ran).toHaveLength(1);

    log.length = 0;
    const refused = await tryCalls(open, "child", { made: [FINE], extensions: extensions("the caller says no") });
    expect(log).toEqual(["everywhere", "caller"]);
    expect(refused.blocked).toMatchObject([{ rule: "guardrail", reason: "the caller says no" }]);
    expect(refused.ran).toEqual([]);
  });
});
