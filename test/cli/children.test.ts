/** What the command shows of a session that waits for its child, every command a process of its own. */
import { describe, expect, it } from "vitest";
import { parkway } from "../workflows/command.js";
import { aRoot } from "./stage.js";

const FILES = {
  "workflows/order/workflow.yaml": `title: Order
runtime: { engine: archmax-harness, version: "3" }
tools: { allow_always: [archmax_workflow_inspect] }
states:
  work:
    triggers: { manual: { description: Has the goods inspected. } }
    instructions: Have the goods inspected, then say what came of it.
`,
  "workflows/inspect/workflow.yaml": `title: Inspection
runtime: { engine: archmax-harness, version: "3" }
states:
  look:
    type: human
    title: Look at the goods
    instructions: Are they whole?
    triggers: { manual: { description: Inspects the goods. } }
    transitions:
      - { to: fine, type: approve, description: They are whole. }
      - { to: broken, type: reject, description: They are not. }
  fine: { instructions: Say that they are whole. }
  broken: { instructions: Say that they are broken. }
`,
  "script.yaml": `replies:
  - { when: { state: work, call: 1 }, toolCalls: [{ name: archmax_workflow_inspect }] }
  - { when: { state: work }, text: The goods are inspected. }
  - { when: { state: fine }, text: They are whole. }
  - { when: { parked: true }, text: Please look at the goods. }
`,
};

describe("a session that waits for its child", { timeout: 60_000 }, () => {
  it("C-62 C-64 C-68 C-69 names the child, is answered through the caller, and folds the child's steps", async () => {
    const root = aRoot([], FILES);
    const env = { ARCHMAX_MODEL: "script:script.yaml" };

    const asked = await parkway(root, ["run", "order", "Inspect.", "--session", "o1"], env);
    const listed = await parkway(root, ["sessions"], env);
    const refused = await parkway(root, ["decide", "o1~1", "--to", "fine", "--workflow", "inspect"], env);
    const decided = await parkway(root, ["decide", "o1", "--to", "fine", "--workflow", "order"], env);

    expect([asked.exit, listed.exit, refused.exit, decided.exit]).toEqual([0, 0, 1, 0]);
    expect(asked.err).toMatch(/⇢ inspect ~1\n {4}⏸ inspect ~1 parked in /);
    expect(asked.err).toContain(
      "  state        look (Look at the goods)\n  child        o1~1 (inspect), called in work\n",
    );
    expect(asked.err).toMatch(/parkway decide o1 --to <state> --park \S+ --workflow order\n/);
    expect(asked.err).not.toContain("▶ look");
    expect(listed.out).toMatch(
      /^o1 {2}awaiting_decision.*\n {4}decision: Look at the goods in o1~1 \(fine \| broken\)\n/,
    );
    expect(listed.out).toMatch(/\no1~1 {2}awaiting_decision.* child-of=o1/);
    expect(refused.err).toContain("o1");
    expect(decided.err).toContain("⇠ inspect ~1 ok in ");
    expect(decided.out).toBe("The goods are inspected.\n");
  });
});
