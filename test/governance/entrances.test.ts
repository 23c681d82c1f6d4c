/** Whoever makes a call and however: the same denial holds, by the same rule. */
import { describe, expect, it } from "vitest";
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
});
