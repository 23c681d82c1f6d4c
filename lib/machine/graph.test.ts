import { describe, expect, it } from "vitest";
import { graphOf } from "./index.js";
import { aMachine } from "./testing.js";

const machine = aMachine({
  intake: {
    title: "Intake",
    triggers: { manual: {}, mail: {} },
    on_error: "review",
    transitions: [{ to: "end", description: 'Says "done" <b>|x| `y`\nand more #35;' }, { to: "grade" }],
  },
  grade: { type: "grader", transitions: [{ to: "end", description: "Good." }] },
  review: { type: "human", transitions: [{ to: "end", description: "Fine." }] },
  end: { type: "code", script: "scripts/end.js" },
});

describe("graphOf", () => {
  it("H-108 has the start, every state, an edge for each trigger, transition and error route", () => {
    const { nodes, edges } = graphOf(machine);

    expect(nodes.map(({ id }) => id)).toEqual(["__start__", "intake", "grade", "review", "end"]);
    expect(edges).toContainEqual({
      from: "__start__",
      to: "intake",
      kind: "trigger",
      conditional: true,
      label: "mail",
    });
    expect(edges).toContainEqual({ from: "grade", to: "end", kind: "transition", conditional: false, label: "Good." });
    expect(edges).toContainEqual({ from: "intake", to: "grade", kind: "transition", conditional: false });
    expect(edges).toContainEqual({
      from: "intake",
      to: "review",
      kind: "on_error",
      conditional: true,
      label: "on_error",
    });
    expect(edges).toHaveLength(7);
  });
});
