import { describe, expect, it } from "vitest";
import { renderStateBlock, type StateBlockInput } from "../index.js";
import { aMachine } from "../testing.js";

const machine = aMachine({
  intake: {
    title: "Taking it in",
    triggers: {
      manual: {
        description: "For callers.",
        requires: ["order"],
        returns: [
          { name: "contact", type: "string", format: "email", maxLength: 80, description: "Where the answer\ngoes." },
          { name: "kind", type: "string", enum: ["a", "b"] },
        ],
      },
      other: { returns: ["secret_return"] },
      plain: {},
    },
    instructions: "\nRead the mail.\n",
    transitions: [
      { to: "check-policy", description: " The order,\n  the amount and\nthe rule are recorded. " },
      { to: "review", description: "The customer asks for a person.", type: "refine" },
      { to: "hand-over", description: "No order can be found.", type: "none" },
      { to: "grade", description: "Ready." },
      { to: "answer" },
      { to: "work", description: "  " },
    ],
  },
  "check-policy": { type: "code", script: "scripts/check.js", transitions: [{ to: "answer" }] },
  review: { type: "human", instructions: "Decide.", transitions: [{ to: "answer", description: "Fine." }] },
  "hand-over": { type: "code", script: "scripts/hand-over.js" },
  grade: { type: "grader", instructions: "Criteria.", transitions: [{ to: "answer", description: "Good." }] },
  answer: { instructions: "Look the order up.\n\nAnswer shortly.\n" },
  work: { instructions: "Work.", transitions: [{ to: "answer" }] },
});

const CONTROLS = ["archmax_advance", "archmax_reset", "archmax_get_variables", "archmax_set_variables"];

function block(input: Partial<StateBlockInput> = {}): string {
  return renderStateBlock({
    machine,
    state: "intake",
    clock: "CLOCK",
    trigger: "manual",
    child: false,
    offered: CONTROLS,
    skills: [],
    mounts: [],
    variables: [],
    argumentLimits: [],
    ...input,
  });
}

describe("renderStateBlock", () => {
  it("W-264 W-266 W-267 W-268 W-269 W-270 W-271 renders every part in order", () => {
    const rendered = block({
      skills: [
        { slug: "refunds", description: "How to\nrefund." },
        { slug: "mail", description: "Mail.", path: "more/mail/SKILL.md" },
      ],
      mounts: [
        { name: "kb", kind: "directory", readOnly: true, searchable: false },
        { name: "drafts", kind: "directory", readOnly: false, searchable: true },
      ],
      variables: ["trigger", "order"],
      argumentLimits: ["- `write_file`: every path: `docs/**`"],
    });

    expect(rendered).toBe(`CLOCK

## You are in state intake

This overrides any movement recorded earlier in the conversation.

Read the mail.

### Skills here

- \`refunds\`: How to refund. (\`skills/refunds/SKILL.md\`)
- \`mail\`: Mail. (\`more/mail/SKILL.md\`)

### Mounts here

- \`drafts/\` (read/write)
- \`kb/\` (read-only, browse only)

### Variables

Set: \`order\`, \`trigger\`. \`archmax_get_variables\` shows their values.

### Argument limits

- \`write_file\`: every path: \`docs/**\`

### Contract

This work was started with these variables:

- order

It must set these variables with \`archmax_set_variables\` before it finishes:

- contact (string, format email, maxLength 80): Where the answer goes.
- kind (string, enum a | b)

Finishing with one of them unset, or set to a value that does not conform, rejects the session.

### Ways out

Leave through one of these with \`archmax_advance\` once the work is finished. A grader or code target runs by itself and may send the work straight back with a note.

- \`check-policy\` (code): The order, the amount and the rule are recorded.
- \`review\` (refine, human decision node): The customer asks for a person.
- \`hand-over\` (code, terminal): No order can be found.
- \`grade\` (grader): Ready.
- \`answer\` (terminal): the work there is:
  > Look the order up.
  > 
  > Answer shortly.
- \`work\`: the work there is:
  > Work.`);
  });

  it("W-264 R-273 leaves out parts with nothing to say, but never clock, state, variables and ways out", () => {
    expect(block({ state: "answer", trigger: "plain" })).toBe(`CLOCK

## You are in state answer

This overrides any movement recorded earlier in the conversation.

Look the order up.

Answer shortly.

### Variables

No variable is set.

### Ways out

This state is terminal: the work ends here.`);
  });

  it("W-271 says nothing of automated targets where there are none", () => {
    expect(block({ state: "work" })).not.toContain("runs by itself");
  });

  it("W-269 R-276 shows the opening trigger's signature alone, and what a child's shortfall does", () => {
    const child = block({ child: true });

    expect(child).toContain("adds a note to the caller");
    expect(child).not.toContain("rejects the session");
    expect(child).not.toMatch(/secret_return|For callers/);
    expect(block({ trigger: "other" })).toContain("- secret_return");
    expect(block({ trigger: "constructor" })).not.toContain("### Contract");
  });

  it("W-264 reminds of archmax_reset in a terminal state the session stood in, did not begin in, and may leave so", () => {
    const stood = { state: "answer", openedIn: "answer", entryState: "intake" };

    expect(block(stood)).toMatch(
      /earlier in the conversation\.\n\nThe session already stood here.*`archmax_reset` first/,
    );
    expect(block({ ...stood, openedIn: null })).not.toContain("archmax_reset");
    expect(block({ ...stood, entryState: "answer" })).not.toContain("archmax_reset");
    expect(block({ ...stood, offered: [] })).not.toContain("archmax_reset");
    expect(block({ state: "intake", openedIn: "intake", entryState: "work" })).not.toContain("archmax_reset");
  });

  it("W-264 names no control that the state does not offer", () => {
    for (const control of CONTROLS) {
      const rendered = block({
        offered: CONTROLS.filter((name) => name !== control),
        variables: ["order"],
        openedIn: "intake",
      });
      expect(rendered).not.toContain(control);
    }
    expect(block({ offered: [] })).toMatch(/### Ways out\n\nThese lead out of this state/);
  });

  it("W-279 R-274 is the same for variables and mounts in any order, and keeps skills in theirs", () => {
    const mounts = ["b", "a"].map((name) => ({ name, kind: "file" as const, readOnly: true, searchable: true }));
    const skills = ["y", "x"].map((slug) => ({ slug, description: slug }));

    expect(block({ mounts, variables: ["b", "a"] })).toBe(
      block({ mounts: [...mounts].reverse(), variables: ["a", "b"] }),
    );
    expect(block({ skills })).toMatch(/- `y`.*\n- `x`/);
  });

  it("refuses a state the machine does not have", () => {
    expect(() => block({ state: "nowhere" })).toThrow(/nowhere/);
  });
});

describe("the fixed sentences", () => {
  it("W-261 hold no count of what is listed", () => {
    const of = (count: number) => {
      const names = Array.from({ length: count }, (_, index) => `x${index}`);
      const rendered = block({
        skills: names.map((slug) => ({ slug, description: slug })),
        mounts: names.map((name) => ({ name, kind: "directory", readOnly: true, searchable: true })),
        variables: names,
        argumentLimits: names.map((name) => `- \`${name}\`: every path: \`docs\``),
      });
      return rendered.split("\n").filter((line) => !/^(- `x\d|Set: )/.test(line));
    };

    expect(of(3)).toEqual(of(1));
  });

  it("W-261 hold nothing that changes within a session: only the lines that list values differ", () => {
    const of = (n: number) =>
      block({
        clock: `CLOCK ${n}`,
        skills: [{ slug: `skill-${n}`, description: `What ${n} is for.` }],
        mounts: [{ name: `mount-${n}`, kind: "directory", readOnly: true, searchable: true }],
        variables: [`name_${n}`],
        argumentLimits: [`- \`write_file\`: every path: \`docs/${n}\``],
      }).split("\n");
    const [first, second] = [of(1), of(2)];
    const differing = first.filter((line, index) => line !== second[index]);

    expect(first).toHaveLength(second.length);
    expect(differing).toEqual([
      "CLOCK 1",
      "- `skill-1`: What 1 is for. (`skills/skill-1/SKILL.md`)",
      "- `mount-1/` (read-only)",
      "Set: `name_1`. `archmax_get_variables` shows their values.",
      "- `write_file`: every path: `docs/1`",
    ]);
  });
});
