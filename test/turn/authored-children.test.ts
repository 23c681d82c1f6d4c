/** What a child session and a script of the agent's see of mounts and skills, and what a child leaves. */
import { describe, expect, it } from "vitest";
import type { RunMetadata, Trajectory } from "../../lib/artifacts/index.js";
import { createMemoryBackend } from "../../lib/workspace/index.js";
import type { Bench } from "../harness/agent.js";
import { byModel, caller, worker, workflow } from "./delegating.js";
import { benches, calls, ofType, results, says, system } from "./support.js";

const open = benches();
const CHECK = "archmax_workflow_check";

async function written<T>({ stores }: Pick<Bench, "stores">, session: string, name: string): Promise<T> {
  const file = await stores.files.read(session, `artifacts/${name}`);
  return JSON.parse(new TextDecoder().decode(file?.bytes)) as T;
}

describe("the artifacts of a child", () => {
  it("R-304 H-107 are its own, of its own workflow, beside those of its caller", async () => {
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", worker("child", "{ requires: [order] }")),
      answer: byModel({
        "test-model": [calls([CHECK, { order: "A-7" }, "c1"]), says("All is well.")],
        child: [says("Checked A-7.")],
      }),
    });
    await bench.agent.workflow.send("s1", { message: "Check." });

    expect(await bench.agent.emitRunArtifacts("s1~1")).toBe("s1~1/artifacts");
    expect(await written<Trajectory>(bench, "s1~1", "trajectory.json")).toMatchObject({
      sessionId: "s1~1",
      workflow: "check",
      finalAnswer: "Checked A-7.",
      segments: [{ state: "work" }],
    });
    expect(await written<RunMetadata>(bench, "s1~1", "metadata.json")).toMatchObject({ workflow: "check" });
    expect((await bench.stores.files.list("s1")).some(({ path }) => path.startsWith("artifacts/"))).toBe(false);

    expect(await bench.agent.emitRunArtifacts("s1")).toBe("s1/artifacts");
    const { segments } = await written<Trajectory>(bench, "s1", "trajectory.json");
    expect(segments.flatMap(({ items }) => items)).toContainEqual({
      kind: "tool_call",
      name: CHECK,
      args: { order: "A-7" },
      result: "Checked A-7.",
    });
    expect(await written(bench, "s1", "trail.json")).toMatchObject({
      steps: [{ kind: "trigger" }, { kind: "sub-workflow", workflow: "check", status: "ok" }],
    });
  });
});

describe("a child", () => {
  const mounts = {
    "/kb/": { backend: createMemoryBackend({ "/a.txt": "needle" }), governed: true },
    "/skills/": createMemoryBackend({ "/tone/SKILL.md": "---\ndescription: How we write.\n---\nneedle\n" }),
  };
  const CHILD = worker("child", "", "skills: { allow_always: [tone] }\nmounts: { allow_always: [kb] }");
  const run = async (denials: string) => {
    const bench = await open({
      spec: `${denials}\n${caller("check")}`,
      files: workflow("check", CHILD),
      workspace: { mounts },
      answer: byModel({
        "test-model": [calls([CHECK, {}, "c1"]), says("end")],
        child: [
          calls(
            ["read_file", { file_path: "kb/a.txt" }],
            ["read_file", { file_path: "skills/tone/SKILL.md" }],
            ["grep", { pattern: "needle" }],
          ),
          says("done"),
        ],
      }),
    });
    await bench.agent.workflow.send("s1", { message: "go" });
    const child = bench.events.filter((event) => event.sessionId === "s1~1");
    return { child, prompt: system(bench.requests[1]) };
  };

  it("R-220 R-221 has the skills and mounts of its own workflow", async () => {
    const { child, prompt } = await run("");

    expect(ofType(child, "tool-blocked")).toEqual([]);
    expect(prompt).toContain("- `tone`: How we write.");
    expect(prompt).toContain("- `kb/` (read-only)");
  });

  it("W-228 W-239 R-181 never those that its caller's workflow forbids, with that workflow named", async () => {
    const { child, prompt } = await run("skills: { forbid_always: [tone] }\nmounts: { forbid_always: [kb] }");

    expect(ofType(child, "tool-blocked")).toMatchObject([
      { rule: "mount.forbidden", reason: expect.stringContaining("workflow case") },
      { rule: "skill.forbidden", reason: expect.stringContaining("workflow case") },
    ]);
    expect(ofType(child, "tool-result").map(({ output }) => output)).toEqual(["Nothing was found."]);
    expect(prompt).not.toMatch(/tone|kb/);
  });
});

describe("a script of the agent's", () => {
  it("R-225 R-223 R-220 W-226 sees of mounts and skills what its state sees", async () => {
    const bench = await open({
      spec: `
states:
  work:
    instructions: Work.
    triggers: { manual: }
    skills: { allow: [tone] }
`,
      workspace: {
        mounts: {
          "/kb/": { backend: createMemoryBackend({ "/a.txt": "needle" }), governed: true },
          "/skills/": createMemoryBackend({
            "/tone/SKILL.md": "---\ndescription: d\n---\nneedle\n",
            "/law/SKILL.md": "---\ndescription: d\n---\nneedle\n",
            "/law/scripts/x.js": "1",
          }),
        },
      },
      replies: [
        calls(
          [
            "archmax_eval",
            {
              code: `const out = [await tools.grep({ pattern: "needle" }), await tools.ls({ path: "/" })];
                for (const file_path of ["kb/a.txt", "skills/law/SKILL.md", "workflows/case/workflow.yaml"]) {
                  try { await tools.read_file({ file_path }); out.push("read"); } catch (error) { out.push(error.ruleId); } }
                out`,
            },
          ],
          ["archmax_run", { file_path: "skills/law/scripts/x.js" }],
        ),
        says("end"),
      ],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });
    const [evaluated, ran] = results(outcome);

    expect(JSON.parse(evaluated?.text ?? "")).toEqual([
      "/skills/tone/SKILL.md:4:needle",
      "/skills/",
      "mount.not-allowed",
      "skill.not-allowed",
      "zone.governance-plane",
    ]);
    expect(ran?.refusal).toBe("blocked:skill.not-allowed");
  });
});
