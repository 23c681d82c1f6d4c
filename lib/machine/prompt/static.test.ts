import { describe, expect, it } from "vitest";
import { BUILTIN_PLATFORM_PROMPT, type PromptMount, renderStateBlock, renderStaticPrompt } from "../index.js";
import { aMachine } from "../testing.js";

const states = { intake: { triggers: { manual: {} }, transitions: [{ to: "done" }] }, done: {} };
const machine = aMachine(states, { title: "Refunds", instructions: "\n Be exact.\n\n  Always. \n" });
const mount = (name: string, more: Partial<PromptMount> = {}): PromptMount => ({
  name,
  kind: "directory",
  readOnly: true,
  governed: false,
  searchable: true,
  ...more,
});

describe("renderStaticPrompt", () => {
  it("W-260 W-262 W-263 renders its layers in order, one blank line between them", () => {
    const prompt = renderStaticPrompt({
      machine,
      child: false,
      mounts: [
        mount("skills"),
        mount(".platform"),
        mount("AGENTS.md", { kind: "file" }),
        mount("kb", { governed: true }),
        mount("catalogs/eu", { readOnly: false, searchable: false }),
      ],
      agentsMd: "\nYou are Ada.\n\n",
      hostPrompt: "House rules.",
      platformOverride: "Platform.\n",
      workflowMd: "<!-- note -->\nProse.\n",
      toolGuidance: "Tools.",
    });

    expect(prompt).toBe(`You are Ada.

House rules.

Platform.

## Workspace

Paths begin at the root of this session's own files, without a leading slash.

- \`scratchpad/\` (read/write): your working files
- \`large_tool_results/\` (read-only): tool results that were too long to show
- \`conversation_history/\` (read-only): earlier parts of this conversation, when they were put aside
- \`AGENTS.md\` (read-only)
- \`catalogs/eu/\` (read/write, browse only)
- \`skills/\` (read-only)

Some further mounts depend on the state; those reachable in a state are listed with it.

# Workflow: Refunds

## Instructions

Be exact.

  Always.

Prose.

Tools.`);
  });

  it("W-256 W-255 W-260 leaves no gap for absent, blank and comment-only layers", () => {
    const bare = renderStaticPrompt({ machine, child: false, mounts: [] });

    expect(bare.startsWith("# How you work here")).toBe(true);
    expect(bare.endsWith("Always.")).toBe(true);
    expect(bare).not.toMatch(/\n{3,}/);
    expect(
      renderStaticPrompt({
        machine,
        child: false,
        mounts: [],
        agentsMd: " ",
        hostPrompt: "",
        workflowMd: "<!-- x -->",
      }),
    ).toBe(bare);
  });

  it("W-262 heads a workflow without title and instructions with the bare words", () => {
    expect(renderStaticPrompt({ machine: aMachine(states), child: false, mounts: [] })).toMatch(/\n\n# Workflow$/);
  });

  it("W-257 uses the built-in platform prompt unless the override has text", () => {
    const first = BUILTIN_PLATFORM_PROMPT.split("\n")[0]!;

    expect(renderStaticPrompt({ machine, child: false, mounts: [], platformOverride: " \n" })).toContain(first);
    expect(renderStaticPrompt({ machine, child: false, mounts: [], platformOverride: "Mine." })).not.toContain(first);
  });

  it("W-263 says nothing of governed mounts when there are none, and names none when there are", () => {
    const without = renderStaticPrompt({ machine, child: false, mounts: [mount("skills")] });
    const withGoverned = renderStaticPrompt({ machine, child: false, mounts: [mount("kb", { governed: true })] });

    expect(without).not.toContain("depend on the state");
    expect(withGoverned).toContain("depend on the state");
    expect(withGoverned).not.toContain("kb");
  });

  it("W-274 W-275 W-276 R-271 is the same for documents that differ only under states, and for mounts in any order", () => {
    const others = { one: {}, two: { type: "code" as const }, three: { instructions: "x" } };
    const mounts = [mount("a"), mount("b"), mount("c", { governed: true })];

    for (const root of [machine.spec, {}]) {
      const prompt = renderStaticPrompt({ machine: aMachine(states, root), child: false, mounts });
      const other = aMachine(others, root);
      expect(renderStaticPrompt({ machine: other, child: false, mounts: [...mounts].reverse() })).toBe(prompt);
      expect(prompt).not.toContain("intake");
    }
  });

  it("W-280 has no byte of settings, tests and metadata, and neither has the state's block", () => {
    const other = aMachine(states, {
      ...machine.spec,
      settings: { prompt_cache: { enabled: false, ttl: "1h" }, model: "m" },
      tests: { maxConcurrency: 2 },
      metadata: { owner: "x" },
    });
    const blockOf = (of: typeof machine) =>
      renderStateBlock({
        machine: of,
        state: "intake",
        clock: "CLOCK",
        trigger: "manual",
        child: false,
        offered: [],
        skills: [],
        mounts: [],
        variables: [],
        argumentLimits: [],
      });

    expect(blockOf(other)).toBe(blockOf(machine));
    expect(renderStaticPrompt({ machine: other, child: false, mounts: [] })).toBe(
      renderStaticPrompt({ machine, child: false, mounts: [] }),
    );
  });
});
