import { describe, expect, it } from "vitest";
import type { StateSpec } from "../spec/types.js";
import { renderMermaid } from "./index.js";
import { aMachine } from "./testing.js";

/** The drawing of one agent state with a transition. */
function drawn(description: string): string[] {
  return renderMermaid(aMachine({ a: { transitions: [{ to: "b", description }] }, b: {} })).split("\n");
}

function labelOf(state: StateSpec, root: Parameters<typeof aMachine>[1] = {}): string {
  return renderMermaid(aMachine({ a: state }, root))
    .split("\n")[2]!
    .trim();
}

describe("renderMermaid", () => {
  it("H-108 draws the start, each kind in its shape, and each edge with its label, what only may happen dashed", () => {
    const machine = aMachine({
      intake: {
        title: "Intake",
        triggers: { manual: {}, mail: {} },
        on_error: "review",
        transitions: [{ to: "end", description: "Says so.\n" }, { to: "grade" }],
      },
      grade: { type: "grader", transitions: [{ to: "end", description: "Good." }] },
      review: { type: "human", transitions: [{ to: "end", description: "Fine." }] },
      end: { type: "code", script: "scripts/end.js" },
    });

    expect(renderMermaid(machine)).toBe(`flowchart TD
  n0(("__start__"))
  n1["intake"]
  n2(["grade"])
  n3{{"review"}}
  n4[["end"]]
  n0 -.->|"manual"| n1
  n0 -.->|"mail"| n1
  n1 -->|"Says so."| n4
  n1 --> n2
  n1 -.->|"on_error"| n3
  n2 -->|"Good."| n4
  n3 -->|"Fine."| n4
`);
    expect(renderMermaid(machine)).toBe(renderMermaid(machine));
  });

  it.each([
    ['Says "done" <b>|x| `y`\n  and more #35;', "Says #34;done#34; #60;b#62;#124;x#124; #96;y#96; and more #35;35#59;"],
    ["%%{init: {}}%% \\ end;\u2028subgraph", "#37;#37;#123;init: #123;#125;#125;#37;#37; #92; end#59; subgraph"],
    ["**bold** ~x~ [a](b) 👍 é &amp;", "#42;#42;bold#42;#42; #126;x#126; #91;a#93;(b) #128077; é #38;amp#59;"],
    ["1. First", "1#46; First"],
    ["- item", "#45; item"],
    ["Over 1.50 EUR - or not", "Over 1.50 EUR - or not"],
    ["\u0000\ud800", "#0;#55296;"],
  ])("H-108 leaves nothing of %j that mermaid would read as markup", (description, label) => {
    expect(drawn(description)).toEqual([
      "flowchart TD",
      '  n0(("__start__"))',
      '  n1["a"]',
      '  n2["b"]',
      `  n1 -->|"${label}"| n2`,
      "",
    ]);
  });

  it("H-108 names the workflows that a state offers to call, less what a bare denial takes away", () => {
    const root = { tools: { allow_always: ["archmax_workflow_all", "read_file"] } };
    const grant = { tool: "archmax_workflow_own", args: { id: "7" } };

    expect(labelOf({ tools: { allow: [grant, "archmax_workflow_own"] } }, root)).toBe('n1["a<br/>calls all, own"]');
    expect(labelOf({ type: "code", tools: { allow: [grant] } })).toBe('n1[["a<br/>calls own"]]');
    expect(labelOf({ tools: { forbid: ["archmax_workflow_all"] } }, root)).toBe('n1["a"]');
    expect(labelOf({ tools: { forbid: ["*"] } }, root)).toBe('n1["a"]');
    expect(labelOf({ tools: { forbid: [{ tool: "archmax_workflow_all", args: { id: "7" } }] } }, root)).toBe(
      'n1["a<br/>calls all"]',
    );
    expect(labelOf({ type: "human", instructions: "x" }, root)).toBe('n1{{"a"}}');
  });
});
