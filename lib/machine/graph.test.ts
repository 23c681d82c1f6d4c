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

  it("H-108 draws each kind in its shape, with labels in which nothing is markup", () => {
    expect(graphOf(machine).mermaid).toBe(`flowchart TD
  n0(("__start__"))
  n1["intake"]
  n2(["grade"])
  n3{{"review"}}
  n4[["end"]]
  n0 -.->|"manual"| n1
  n0 -.->|"mail"| n1
  n1 -->|"Says #34;done#34; #60;b#62;#124;x#124; #96;y#96; and more #35;35#59;"| n4
  n1 --> n2
  n1 -.->|"on_error"| n3
  n2 -->|"Good."| n4
  n3 -->|"Fine."| n4
`);
  });
});
