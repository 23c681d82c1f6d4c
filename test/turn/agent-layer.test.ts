/** What holds between the parts of chapter A, and between it and the options of chapter H. */
import { describe, expect, it } from "vitest";
import { createAgent } from "../../lib/agent.js";
import { createMemorySessionStore } from "../../lib/stores/bundles/index.js";
import { createMemoryBackend } from "../../lib/workspace/index.js";
import { writeTree } from "../harness/temporary.js";
import { benches, calls, results, says, system } from "./support.js";

const open = benches();

const SPEC = `
states:
  draft:
    instructions: Draft.
    triggers: { manual: { description: Writes what a caller asks for in seventeen words. } }
    skills: { allow: [tone] }
`;
const skill = (description: string, body: string) => `---\ndescription: ${description}\n---\n${body}\n`;

describe("the agent layer and the options of an agent", () => {
  it("H-121 keeps a trigger's description from the session's own model", async () => {
    const bench = await open({ spec: SPEC, replies: [says("Done.")] });

    await bench.agent.workflow.send("s1", { message: "go" });

    expect(bench.requests).toHaveLength(1);
    expect(JSON.stringify(bench.requests[0])).not.toContain("seventeen words");
  });

  it("A-69 has no tool for skills: one is read with read_file, where the state opens it", async () => {
    const files = {
      "skills/tone/SKILL.md": skill("How we write.", "Short."),
      "skills/law/SKILL.md": skill("The law.", "§"),
    };
    const read = calls(
      ["read_file", { file_path: "skills/tone/SKILL.md" }],
      ["read_file", { file_path: "skills/law/SKILL.md" }],
      ["skill", { name: "tone" }],
    );
    const bench = await open({ spec: SPEC, files, replies: [read, says("Done.")] });

    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    const [opened, closed, tool] = results(outcome);
    expect(opened).toMatchObject({ status: "success", text: expect.stringContaining("Short.") });
    expect(closed).toMatchObject({ status: "error" });
    expect(tool).toMatchObject({ status: "error", refusal: "unknown-tool" });
    const offered = (bench.requests[0]!.body as { tools: { function: { name: string } }[] }).tools;
    expect(offered.map((each) => each.function.name).filter((name) => /skill/i.test(name))).toEqual([]);
  });

  it("A-70 reads a bundle's text anew each time, and lists what was there at assembly", async () => {
    const read = calls(["read_file", { file_path: "skills/tone/SKILL.md" }]);
    const files = { "skills/tone/SKILL.md": skill("How we write.", "Short.") };
    const bench = await open({ spec: SPEC, files, replies: [read, says("One."), read, says("Two.")] });

    const first = await bench.agent.workflow.send("s1", { message: "go" });
    writeTree(bench.rootDir, {
      "skills/tone/SKILL.md": skill("How we shout.", "LOUD."),
      "skills/late/SKILL.md": skill("Came late.", "x"),
    });
    const second = await bench.agent.workflow.send("s1", { message: "again" });

    expect(results(first)[0]!.text).toContain("Short.");
    expect(results(second)[1]!.text).toContain("LOUD.");
    expect(system(bench.requests[3])).toContain("How we write.");
    expect(system(bench.requests[3])).not.toMatch(/How we shout|Came late/);
  });

  it("H-29 H-28 reads mounts and keeps sessions where it is told, without a root", async () => {
    const handbook = createMemoryBackend({ "/tea.md": "Boil." });
    const authoring = createMemoryBackend({
      "/workflows/case/workflow.yaml": `
states:
  look:
    type: code
    script: scripts/look.js
    triggers: { manual: { message: false } }
    tools: { allow: [read_file, write_file] }
    transitions: [{ to: end }]
  end: {}
`,
      "/workflows/case/scripts/look.js": `export default async ({ tools }) => {
        const read = await tools.read_file({ file_path: "handbook/tea.md" });
        await tools.write_file({ file_path: "scratchpad/seen.md", content: read });
        await tools.archmax_raise({ code: "seen", reason: "It was read." });
      };`,
    });
    const sessionStore = createMemorySessionStore();
    const agent = await createAgent({
      workflow: "case",
      authoring,
      workspace: { mounts: { "/handbook/": handbook }, sessionStore },
      env: {},
      onEvent: () => {},
    });

    const outcome = await agent.workflow.send("s1", {});
    await agent.close();

    expect(outcome).toMatchObject({ kind: "failed", exit: { code: "seen" } });
    expect((await sessionStore.backend.readRaw("/s1/scratchpad/seen.md")).data?.content).toContain("Boil.");
  });

  it("H-29 takes a root, mounts and a session store of the workspace, and refuses what is misspelt", async () => {
    for (const name of ["mount", "sessionStores", "root"]) {
      const refused = createAgent({ workflow: "case", workspace: { rootDir: "/nowhere", [name]: {} } });
      await expect(refused, name).rejects.toThrow(new TypeError(`createAgent has no option "workspace.${name}".`));
    }
  });

  it("H-42 takes every option of chapter A, and refuses one that is misspelt, before anything is read", async () => {
    const all = {
      guardrails: [() => undefined],
      completion: { verify: () => ({ ok: true }), maxAttempts: 1 },
      hooks: { beforeLLM: () => undefined },
      onMetric: () => {},
      agents: { case: { model: "other-model" } },
      limits: { maxTokensPerTurn: 1_000_000 },
      mcp: { mcpServers: {} },
      retry: { retries: 0 },
      compaction: { maxTokens: 1_000_000, summarize: () => "" },
      toolEffects: {},
    };
    const bench = await open({ spec: SPEC, replies: [says("Done.")], ...all });

    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(outcome.kind).toBe("completed");
    for (const [name, value] of Object.entries(all)) {
      const misspelt = { [`${name}s`]: value } as object;
      const refused = createAgent({ workflow: "case", workspace: { rootDir: "/nowhere" }, ...misspelt });
      await expect(refused, name).rejects.toThrow(new TypeError(`createAgent has no option "${name}s".`));
    }
  });

  it("A-6 takes a field of another agent model by its own name only: what would be lost is refused", async () => {
    const specs = [
      { does: "x" },
      { uses: [] },
      { soul: "x" },
      { team: [] },
      { budget: {} },
      { waitFor: [] },
      { onSpawn() {} },
    ];
    for (const spec of specs) {
      const [field] = Object.keys(spec);

      const opened = open({ spec: SPEC, agents: { case: spec as object } });

      await expect(opened, field).rejects.toThrow(`\`agents.case\` has no option "${field}".`);
    }
  });

  it("A-6 bounds a turn's wall time by the signal it is sent with", async () => {
    const bench = await open({ spec: SPEC, answer: () => new Promise(() => {}) });
    const controller = new AbortController();

    const turn = bench.agent.workflow.send("s1", { message: "go" }, { signal: controller.signal });
    await expect.poll(() => bench.requests.length).toBe(1);
    controller.abort(new Error("too long"));

    await expect(turn).rejects.toThrow();
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "turn-cancelled" } });
  });
});
