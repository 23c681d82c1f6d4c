import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../memory-backend.js";
import { findings, SPEC, skill, spec, validateSample } from "./sample-workspace.fixture.js";

const SKILLS = { "skills/tone/SKILL.md": skill("tone"), "skills/law/SKILL.md": skill("law") };

describe("skills", () => {
  it.each<[id: string, files: Record<string, string>, expected: string[]]>([
    ["W-219", { "skills/tone/SKILL.md": skill("tone") }, []],
    ["W-219", { "skills/tone/SKILL.md": "---\ndescription: Only that.\n---\n" }, []],
    ["W-220", { "skills/tone/SKILL.md": "" }, ["skills/unloadable"]],
    ["W-220", { "skills/tone/SKILL.md": "Text only.\n" }, ["skills/unloadable"]],
    ["W-220", { "skills/tone/SKILL.md": "---\nname: tone\n---\n" }, ["skills/unloadable"]],
    ["W-219", { "skills/tone/SKILL.md": `---\ndescription: ${"x".repeat(1025)}\n---\n` }, ["skills/unloadable"]],
    ["W-219", { "skills/tone/SKILL.md": `---\ndescription: ${"x".repeat(1024)}\n---\n` }, []],
    ["W-220", { "skills/tone/SKILL.md": skill("other") }, ["skills/name-mismatch"]],
    ["W-220", { "skills/Tone_2/SKILL.md": skill("Tone_2") }, ["skills/non-slug-dir"]],
  ])("%s judges the bundle of %j", async (_id, files, expected) => {
    expect(await findings({ [SPEC]: spec(), ...files })).toEqual(expected);
  });

  it("W-220 names the later of two sources as the one that is served", async () => {
    const files = { [SPEC]: spec(), "skills/tone/SKILL.md": skill("tone"), "skills/more/tone/SKILL.md": skill("tone") };
    const mounts = {
      "/skills/": {
        backend: createMemoryBackend({ "tone/SKILL.md": skill("tone"), "more/tone/SKILL.md": skill("tone") }),
      },
    };
    expect(await findings(files, { mounts, skills: ["skills/", "skills/more/"] })).toContain("skills/shadowed");
    expect(await findings(files, { mounts, skills: ["skills/more/"] })).toEqual([]);
  });

  it("W-222 names the known skills", async () => {
    const { diagnostics } = await validateSample({ ...SKILLS, [SPEC]: spec({ start: "skills: { allow: [tune] }" }) });
    expect(diagnostics[0]).toMatchObject({ code: "skills/unknown", hint: "Did you mean tone?" });
    expect(diagnostics[0]?.message).toMatch(/known: .*law.*tone/);
  });

  it.each<[id: string, root: string, start: string, expected: string[]]>([
    ["W-222", "skills: { allow_always: [tune] }", "", ["skills/unknown skills.allow_always.0"]],
    ["W-222", "skills: { forbid_always: [tune] }", "", ["skills/unknown skills.forbid_always.0"]],
    ["W-222", "", "skills: { allow: [tune] }", ["skills/unknown states.start.skills.allow.0"]],
    [
      "W-222",
      "",
      "skills: { forbid: [tune] }",
      ["skills/unknown states.start.skills.forbid.0", "skills/forbid-nothing states.start.skills.forbid.0"],
    ],
    ["W-222", "skills: { allow_always: [tone] }", "", []],
    [
      "W-229",
      "skills: { allow_always: [tone] }",
      "skills: { allow: [tone] }",
      ["skills/redundant states.start.skills.allow.0"],
    ],
    ["W-229", "skills: { allow_always: [tone] }", "skills: { allow: [law] }", []],
    [
      "W-229",
      "skills: { allow_always: [tone] }",
      "skills: { allow: [] }",
      ["skills/empty-allow states.start.skills.allow"],
    ],
    ["W-229", "skills: { allow_always: [] }", "skills: { allow: [] }", []],
    ["W-229", "", "skills: { allow: [law], forbid: [law] }", ["skills/allow-and-forbid states.start.skills.allow.0"]],
    ["W-229", "skills: { allow_always: [law] }", "skills: { forbid: [law] }", []],
    ["W-229", "", "skills: { forbid: [law] }", ["skills/forbid-nothing states.start.skills.forbid.0"]],
    [
      "W-229",
      "skills: { forbid_always: [law] }",
      "skills: { allow: [law] }",
      ["skills/grant-cancelled skills.forbid_always.0"],
    ],
    ["W-229", "skills: { forbid_always: [law] }", "skills: { allow: [tone] }", []],
  ])("%s judges the lists %j %j", async (_id, root, start, expected) => {
    expect(await findings({ [SPEC]: spec({ root, start }), ...SKILLS })).toEqual(expected);
  });

  it("W-229 says once that no root block is there, unless nothing is served or any block is", async () => {
    const bare = spec().replace("skills: { allow_always: [] }\n", "");
    expect(await findings({ [SPEC]: bare, ...SKILLS })).toEqual(["skills/no-root-block"]);
    expect(await findings({ [SPEC]: bare })).toEqual([]);
    expect(await findings({ [SPEC]: spec(), ...SKILLS })).toEqual([]);
  });
});

describe("mounts", () => {
  const backend = createMemoryBackend();
  const mounts = {
    "/open/": { backend },
    "/closed/": { backend, governed: true },
    "/pad/": { backend, governed: true, readOnly: false },
  };

  it.each<[root: string, start: string, expected: string[]]>([
    ["mounts: { allow_always: [nope] }", "", ["mounts/unknown mounts.allow_always.0"]],
    ["mounts: { forbid_always: [nope] }", "", ["mounts/unknown mounts.forbid_always.0"]],
    ["mounts: {}", "mounts: { forbid: [nope] }", ["mounts/unknown states.start.mounts.forbid.0"]],
    ["mounts: { allow_always: [closed] }", "", []],
    ["mounts: { allow_always: [open] }", "", ["mounts/ungoverned-grant mounts.allow_always.0"]],
    ["mounts: { forbid_always: [open] }", "", []],
    [
      "mounts: { allow_always: [{ mount: closed, access: read_write }] }",
      "",
      ["mounts/read-only-ceiling mounts.allow_always.0"],
    ],
    ["mounts: { allow_always: [{ mount: pad, access: read_write }] }", "", []],
    [
      "mounts: { allow_always: [{ mount: pad, access: read }] }",
      "mounts: { allow: [{ mount: pad, access: read_write }] }",
      ["mounts/cannot-widen states.start.mounts.allow.0"],
    ],
    ["mounts: { allow_always: [pad] }", "mounts: { allow: [{ mount: pad, access: read_write }] }", []],
    ["mounts: { allow_always: [pad] }", "mounts: { allow: [pad] }", ["mounts/redundant states.start.mounts.allow.0"]],
    [
      "mounts: { allow_always: [{ mount: pad, access: read_write }] }",
      "mounts: { allow: [{ mount: pad, access: read }] }",
      [],
    ],
    ["mounts: { allow_always: [pad] }", "mounts: { allow: [] }", ["mounts/empty-allow states.start.mounts.allow"]],
    ["mounts: {}", "mounts: { allow: [] }", []],
    ["mounts: {}", "mounts: { allow: [pad], forbid: [pad] }", ["mounts/allow-and-forbid states.start.mounts.allow.0"]],
    ["mounts: {}", "mounts: { forbid: [pad] }", ["mounts/forbid-nothing states.start.mounts.forbid.0"]],
    ["mounts: { allow_always: [pad] }", "mounts: { forbid: [pad] }", []],
    ["mounts: {}", "mounts: { forbid: [open] }", []],
    ["mounts: { forbid_always: [pad] }", "mounts: { allow: [pad] }", ["mounts/grant-cancelled mounts.forbid_always.0"]],
    ["", "", ["mounts/no-root-block"]],
    ["mounts: { allow_always: [] }", "", []],
  ])("W-240 judges the lists %j %j against the table", async (root, start, expected) => {
    expect(await findings({ [SPEC]: spec({ root, start }) }, { mounts })).toEqual(expected);
  });

  it("W-240 raises without a table what needs none, and nothing else", async () => {
    const root = "mounts: { allow_always: [{ mount: pad, access: read }, gone], forbid_always: [old] }";
    const start = "mounts: { allow: [{ mount: pad, access: read_write }, gone, old, both], forbid: [both, never] }";
    expect(await findings({ [SPEC]: spec({ root, start }) })).toEqual([
      "mounts/grant-cancelled mounts.forbid_always.0",
      "mounts/cannot-widen states.start.mounts.allow.0",
      "mounts/redundant states.start.mounts.allow.1",
      "mounts/allow-and-forbid states.start.mounts.allow.3",
    ]);
    expect(await findings({ [SPEC]: spec() })).toEqual([]);
  });
});
