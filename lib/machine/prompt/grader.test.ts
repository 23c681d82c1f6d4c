import { describe, expect, it } from "vitest";
import { GRADER_PREAMBLE, renderGraderSystem, renderGraderTask, stateOf } from "../index.js";
import { aMachine } from "../testing.js";

const machine = aMachine(
  {
    work: { instructions: "Work.\nWell.", triggers: { manual: {} }, transitions: [{ to: "grade" }] },
    grade: {
      type: "grader",
      title: "The grade",
      instructions: "\nThe letter is polite.\n",
      transitions: [
        { to: "send", type: "approve", description: "It is\n  polite." },
        { to: "ask", description: "Nobody can tell." },
        { to: "work" },
      ],
    },
    send: { type: "code", script: "scripts/send.js" },
    ask: { type: "human", instructions: "Decide.", transitions: [{ to: "send", description: "Fine." }] },
  },
  { title: "Letters", instructions: "Be exact." },
);

const task = (clock = "CLOCK") => renderGraderTask({ machine, state: "grade", clock });

describe("a grader's system text", () => {
  it("R-155 W-70 W-296 is the preamble followed by the state's instructions, and nothing else", () => {
    expect(renderGraderSystem(stateOf(machine, "grade")!)).toBe(
      `${GRADER_PREAMBLE}\n\n# The criteria\n\nThe letter is polite.`,
    );
    expect(renderGraderSystem(stateOf(machine, "send")!)).toBe(GRADER_PREAMBLE);
  });

  it("R-155 says whom it judges, where it reads, and how it has to end", () => {
    for (const named of ["archmax_get_history", "archmax_advance", "archmax_raise"])
      expect(GRADER_PREAMBLE).toContain(named);
    expect(GRADER_PREAMBLE).toMatch(/not its author/);
    expect(GRADER_PREAMBLE).toMatch(/Do not answer in plain text/);
  });
});

describe("a grader's task", () => {
  it("R-155 W-70 W-296 lists the transitions as a state block does, and ends with the clock line", () => {
    expect(task()).toBe(`## You are in state grade

Judge the work of this session by the criteria you were given. It can take one of these ways:

- \`send\` (approve, code, terminal): It is polite.
- \`ask\` (human decision node): Nobody can tell.
- \`work\`: the work there is:
  > Work.
  > Well.

CLOCK`);
  });

  it("refuses a state the machine does not have", () => {
    expect(() => renderGraderTask({ machine, state: "nowhere", clock: "" })).toThrow(/nowhere/);
  });
});
