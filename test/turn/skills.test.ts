import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../lib/workspace/index.js";
import { advance, benches, blocks, calls, ofType, results, says, system } from "./support.js";

const open = benches();

const bundle = (description: string, more = "") => `---\ndescription: ${description}\n${more}---\nneedle of the body\n`;
const FILES = {
  "skills/tone/SKILL.md": bundle("How we write."),
  "skills/tone/references/words.md": "needle of the words",
  "skills/law/SKILL.md": bundle("What the law says."),
  "skills/law/scripts/check.js": "export default () => 1; // needle",
  "skills/secret/SKILL.md": bundle("What nobody may know."),
  "AGENTS.md": "I am Ada. needle",
  ".platform/note.md": "needle of the platform",
};

const SPEC = `
skills: { allow_always: [secret], forbid_always: [secret] }
tools: { allow_always: [ls, read_file, glob, grep, write_file, edit_file, remove_file, copy_file, archmax_advance] }
states:
  draft:
    instructions: Draft.
    triggers: { manual: }
    skills: { allow: [tone] }
    transitions: [{ to: check }]
  check:
    instructions: Check.
    skills: { allow: [law, tone], forbid: [tone] }
`;

async function run(made: Parameters<typeof calls>, spec = SPEC) {
  const bench = await open({ spec, files: FILES, replies: [calls(...made), says("end")] });
  const outcome = await bench.agent.workflow.send("s1", { message: "go" });
  return { bench, outcome, answered: results(outcome) };
}

describe("skills", () => {
  it("R-220 W-223 A-68 are named with their description in the states that enable them, and nowhere else", async () => {
    const bench = await open({ spec: SPEC, files: FILES, replies: [advance("check"), says("end")] });
    await bench.agent.workflow.send("s1", { message: "go" });
    const [draft, check] = bench.requests.map(blocks);

    expect(draft?.volatile).toContain("### Skills here\n\n- `tone`: How we write. (`skills/tone/SKILL.md`)\n\n");
    expect(check?.volatile).toContain("### Skills here\n\n- `law`: What the law says. (`skills/law/SKILL.md`)\n\n");
    for (const request of bench.requests) {
      expect(system(request)).not.toMatch(/secret|nobody may know|needle of the body/);
    }
    expect(draft?.fixed).toBe(check?.fixed);
    expect(draft?.fixed).not.toMatch(/tone|How we write/);
  });

  it("W-226 is of the state alone: a state without any has no such part", async () => {
    const { bench } = await run([], SPEC.replace("skills: { allow: [tone] }", ""));

    expect(system(bench.requests[0])).not.toMatch(/### Skills here|How we write/);
  });

  it("R-220 W-224 A-68 an enabled bundle is read, listed and searched", async () => {
    const { answered } = await run([
      ["read_file", { file_path: "skills/tone/SKILL.md" }],
      ["read_file", { file_path: "skills/tone/references/words.md" }],
      ["ls", { path: "skills/tone" }],
      ["glob", { pattern: "skills/**" }],
      ["grep", { pattern: "needle", path: "skills" }],
    ]);

    expect(answered.map(({ refusal }) => refusal)).toEqual(Array(5).fill(undefined));
    expect(answered[0]?.text).toContain("needle of the body");
    expect(answered[1]?.text).toContain("needle of the words");
    expect(answered[2]?.text).toBe("/skills/tone/SKILL.md\n/skills/tone/references/");
    expect(answered[3]?.text).toBe("/skills/tone/SKILL.md\n/skills/tone/references/words.md");
    expect(answered[4]?.text.split("\n").map((line) => line.split(":")[0])).toEqual([
      "/skills/tone/SKILL.md",
      "/skills/tone/references/words.md",
    ]);
  });

  it("W-225 R-205 one that is not enabled is refused by rule, a denied one by another, whatever is asked", async () => {
    const { answered } = await run([
      ["read_file", { file_path: "skills/law/SKILL.md" }],
      ["ls", { path: "skills/law/scripts" }],
      ["grep", { pattern: "x", path: "skills/law" }],
      ["glob", { pattern: "*", path: "scratchpad/../skills//law" }],
      ["copy_file", { source: "skills/law/SKILL.md", destination: "scratchpad/a.md" }],
      ["read_file", { file_path: "skills/secret/SKILL.md" }],
    ]);

    expect(answered.map(({ refusal }) => refusal)).toEqual([
      ...Array(5).fill("blocked:skill.not-allowed"),
      "blocked:skill.forbidden",
    ]);
  });

  it("R-223 W-226 one that is not enabled is in no listing and no search, from wherever", async () => {
    const { answered } = await run([
      ["ls", { path: "skills" }],
      ["glob", { pattern: "**/*" }],
      ["grep", { pattern: "needle" }],
      ["grep", { pattern: "needle", output_mode: "count" }],
    ]);

    for (const { text } of answered) {
      expect(text).toContain("tone");
      expect(text).not.toMatch(/law|secret/);
    }
  });

  it("R-220 W-224 W-250 grant no write: to a bundle, to AGENTS.md, to the platform's files", async () => {
    const { answered } = await run([
      ["write_file", { file_path: "skills/tone/SKILL.md", content: "x" }],
      ["edit_file", { file_path: "AGENTS.md", old_string: "Ada", new_string: "Bo" }],
      ["remove_file", { file_path: ".platform/note.md" }],
      ["write_file", { file_path: "skills/new/SKILL.md", content: "x" }],
    ]);

    expect(answered.map(({ refusal }) => refusal)).toEqual(Array(4).fill("blocked:zone.read-only"));
  });

  it("W-250 H-95 AGENTS.md and .platform/ are read, workflows/ is nowhere", async () => {
    const { answered } = await run([
      ["read_file", { file_path: "AGENTS.md" }],
      ["read_file", { file_path: ".platform/note.md" }],
      ["read_file", { file_path: "workflows/case/workflow.yaml" }],
      ["ls", { path: "workflows" }],
      ["glob", { pattern: "**/*.yaml" }],
      ["grep", { pattern: "allow_always" }],
      ["ls"],
    ]);

    expect(answered.map(({ refusal }) => refusal)).toEqual(Array(7).fill(undefined));
    expect(answered[0]?.text).toContain("I am Ada.");
    expect(answered[1]?.text).toContain("needle of the platform");
    expect(answered[2]?.text).toMatch(/^Error: /);
    expect(answered[3]?.text).toBe("/workflows is empty.");
    expect(answered[4]?.text).toMatch(/^No file matches/);
    expect(answered[5]?.text).toBe("Nothing was found.");
    expect(answered[6]?.text.split("\n")).toEqual(["/.platform/", "/AGENTS.md", "/skills/"]);
  });

  it("W-250 R-205 R-220 a script reads the bundle its state enables, no other, and not workflows/", async () => {
    const bench = await open({
      spec: `
states:
  work:
    type: code
    script: scripts/w.js
    triggers: { manual: }
    skills: { allow: [law] }
    tools: { allow: [read_file, glob] }
`,
      files: {
        ...FILES,
        "workflows/case/scripts/w.js": `export default async ({ tools }) => {
          console.log(await tools.glob({ pattern: "skills/**" }));
          for (const path of ["skills/law/scripts/check.js", "skills/tone/SKILL.md", "workflows/case/scripts/w.js"]) {
            try { console.log((await tools.read_file({ file_path: path })).length); }
            catch (error) { console.log(error.ruleId); }
          } }`,
      },
    });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect(ofType(bench.events, "code-output").map(({ line }) => line)).toEqual([
      "/skills/law/SKILL.md",
      "/skills/law/scripts/check.js",
      String(FILES["skills/law/scripts/check.js"].length),
      "skill.not-allowed",
      "zone.governance-plane",
    ]);
  });

  it("H-23 W-220 A-67 come from the folders the host names, the later of two winning", async () => {
    const bench = await open({
      spec: SPEC,
      workspace: {
        mounts: {
          "/house/": createMemoryBackend({ "/tone/SKILL.md": bundle("How the house writes.") }),
          "/team/": createMemoryBackend({
            "/tone/SKILL.md": bundle("How the team writes.", "name: style\n"),
            "/law/SKILL.md": bundle("The team's law."),
          }),
          "/skills/": createMemoryBackend({ "/law/SKILL.md": bundle("Not a source.") }),
        },
      },
      skills: ["house/", "team", "none/"],
      replies: [
        calls(
          ["read_file", { file_path: "team/tone/SKILL.md" }],
          ["read_file", { file_path: "team/law/SKILL.md" }],
          ["read_file", { file_path: "skills/law/SKILL.md" }],
        ),
        says("end"),
      ],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(system(bench.requests[0])).toContain("- `tone`: How the team writes. (`team/tone/SKILL.md`)");
    expect(results(outcome).map(({ refusal }) => refusal)).toEqual([undefined, "blocked:skill.not-allowed", undefined]);
    expect(ofType(bench.events, "skills-loaded")).toMatchObject([{ names: ["law", "tone"] }]);
    expect(ofType(bench.events, "warning").filter(({ scope }) => scope === "skills")).toMatchObject([
      { message: expect.stringMatching(/^house\/tone\/SKILL\.md: .*team/) },
      { message: expect.stringMatching(/^team\/tone\/SKILL\.md: .*style/) },
    ]);
  });

  it("H-23 `[]` is none", async () => {
    const bench = await open({ spec: SPEC, files: FILES, skills: [], replies: [says("end")] });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect(system(bench.requests[0])).not.toContain("### Skills here");
  });

  it("A-67 W-220 a broken bundle stops nothing: it is told of, and is not there", async () => {
    const files = { ...FILES, "skills/law/SKILL.md": "no frontmatter" };
    const bench = await open({ spec: SPEC, files, replies: [advance("check"), says("end")] });

    expect(await bench.agent.workflow.send("s1", { message: "go" })).toMatchObject({ kind: "completed" });
    expect(system(bench.requests[1])).not.toContain("### Skills here");
    expect(ofType(bench.events, "warning")).toMatchObject([
      { scope: "skills", message: expect.stringContaining("skills/law/SKILL.md") },
    ]);
  });
});
