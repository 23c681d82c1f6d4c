import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createAuthoring,
  createMemoryBackend,
  createWorkspace,
  defaultMounts,
  listSkills,
  mountInfos,
} from "./index.js";

describe("defaultMounts", () => {
  it("H-95 W-250 serves skills, the platform's files and the persona read-only, and no workflow", async () => {
    const root = await mkdtemp(join(tmpdir(), "parkway-root-"));
    await mkdir(join(root, "skills", "letters"), { recursive: true });
    await mkdir(join(root, "workflows", "claims"), { recursive: true });
    await writeFile(join(root, "skills", "letters", "SKILL.md"), "x");
    await writeFile(join(root, "workflows", "claims", "workflow.yaml"), "x");
    await writeFile(join(root, "AGENTS.md"), "persona");
    const workspace = createWorkspace({ area: createMemoryBackend(), mounts: defaultMounts(root) });

    expect(mountInfos(defaultMounts(root)).map(({ name, readOnly, governed }) => [name, readOnly, governed])).toEqual([
      [".platform", true, false],
      ["AGENTS.md", true, false],
      ["skills", true, false],
    ]);
    expect((await workspace.glob("**")).files?.map(({ path }) => path)).toEqual([
      "/AGENTS.md",
      "/skills/letters/SKILL.md",
    ]);
    expect((await workspace.ls("/.platform")).files).toEqual([]);
    expect((await workspace.readRaw("/workflows/claims/workflow.yaml")).error).toBeTypeOf("string");
    expect((await workspace.write("/skills/letters/SKILL.md", "y")).error).toMatch(/^permission_denied/);
  });
});

describe("listSkills", () => {
  const skill = (frontmatter: string) => `---\n${frontmatter}\n---\n# Body\n`;

  it("W-219 A-67 reads description and name from the frontmatter, folded scalars included, trimmed", async () => {
    const files = createMemoryBackend({
      "/skills/letters/SKILL.md": skill("name: letters\ndescription: >\n  Writes letters\n  in our tone."),
      "/skills/no-name/SKILL.md": "\uFEFF---\r\ndescription: '  Fine.  '\r\n---\r\n",
    });

    expect(await listSkills(files, ["skills/"])).toEqual([
      {
        slug: "letters",
        source: "skills/",
        file: "skills/letters/SKILL.md",
        description: "Writes letters in our tone.",
        served: true,
        problems: [],
      },
      {
        slug: "no-name",
        source: "skills/",
        file: "skills/no-name/SKILL.md",
        description: "Fine.",
        served: true,
        problems: [],
      },
    ]);
  });

  it.each([
    ["an empty file", "", "malformed-frontmatter"],
    ["no frontmatter", "# Letters", "malformed-frontmatter"],
    ["broken YAML", skill("description: [a"), "malformed-frontmatter"],
    ["a list", skill("- a"), "malformed-frontmatter"],
    ["no description", skill("name: s"), "missing-description"],
    ["a blank description", skill("description: ' '"), "missing-description"],
    ["a long description", skill(`description: ${"x".repeat(1025)}`), "over-limit"],
    ["a long name", skill(`name: ${"x".repeat(65)}\ndescription: d`), "over-limit"],
  ])("W-219 W-220 A-67 does not serve a bundle with %s", async (_, text, reason) => {
    const [entry] = await listSkills(createMemoryBackend({ "/skills/s/SKILL.md": text }), ["skills/"]);

    expect(entry).toMatchObject({
      slug: "s",
      served: false,
      description: "",
      problems: [{ code: "unloadable", reason }],
    });
  });

  it.each(["x", "📮"])("W-219 serves a description of 1024 times %s and a name of 64 characters", async (character) => {
    const [name, description] = ["n".repeat(64), character.repeat(1024)];
    const text = skill(`name: ${name}\ndescription: ${description}`);

    expect(await listSkills(createMemoryBackend({ [`/skills/${name}/SKILL.md`]: text }), ["skills/"])).toMatchObject([
      { served: true, description, problems: [] },
    ]);
  });

  it("W-220 reports a missing SKILL.md, another name, and a directory that is no slug", async () => {
    const entries = await listSkills(
      createMemoryBackend({
        "/skills/empty/notes.md": "",
        "/skills/one/SKILL.md": skill("name: two\ndescription: d"),
        "/skills/Not_Slug/SKILL.md": skill("description: d"),
      }),
      ["skills/"],
    );

    expect(entries.map(({ slug, served, problems }) => [slug, served, problems.map(({ code }) => code)])).toEqual([
      ["Not_Slug", true, ["non-slug-dir"]],
      ["empty", false, ["unloadable"]],
      ["one", true, ["name-mismatch"]],
    ]);
  });

  it("W-220 H-23 lets the later of two sources win, and takes a source that serves nothing", async () => {
    const files = createMemoryBackend({
      "/skills/s/SKILL.md": skill("description: first"),
      "/shared/s/SKILL.md": skill("description: second"),
    });

    const entries = await listSkills(files, ["skills/", "none/", "shared/"]);

    expect(entries.map(({ source, served, problems }) => [source, served, problems.map(({ code }) => code)])).toEqual([
      ["skills/", false, ["shadowed"]],
      ["shared/", true, []],
    ]);
  });

  it("W-220 lets no bundle that cannot be loaded replace one that can", async () => {
    const files = createMemoryBackend({
      "/skills/s/SKILL.md": skill("description: first"),
      "/shared/s/SKILL.md": "",
    });

    expect(await listSkills(files, ["skills/", "shared/"])).toMatchObject([
      { source: "skills/", served: true, problems: [] },
      { source: "shared/", served: false, problems: [{ code: "unloadable" }] },
    ]);
  });
});

describe("createAuthoring", () => {
  const authoring = createAuthoring(
    createMemoryBackend({
      "/workflows/claims/workflow.yaml": "states: {}",
      "/workflows/claims/WORKFLOW.md": "prose",
      "/workflows/claims/scripts/in/a.js": "export default 1",
      "/workflows/claims/tests/b.test.yaml": "x",
      "/workflows/empty/notes.md": "",
      "/workflows/No_Slug/workflow.yaml": "",
      "/AGENTS.md": "persona",
    }),
  );

  it("W-249 H-31 reads a workflow's document, prose, scripts and cases", async () => {
    expect(await authoring.listWorkflows()).toEqual(["claims"]);
    expect(await authoring.readSpec("claims")).toBe("states: {}");
    expect(await authoring.readAddendum("claims")).toBe("prose");
    expect(await authoring.readFile("claims", "scripts/in/a.js")).toBe("export default 1");
    expect(await authoring.listFiles("claims", "tests")).toEqual(["tests/b.test.yaml"]);
    expect(await authoring.readBytes("claims", "WORKFLOW.md")).toEqual(new TextEncoder().encode("prose"));
    expect(await authoring.readAddendum("empty")).toBeNull();
  });

  it("W-251 never reads outside the workflow's own folder", async () => {
    expect(await authoring.readFile("claims", "../../AGENTS.md")).toBeNull();
    expect(await authoring.readFile("claims", "../empty/notes.md")).toBeNull();
    expect(await authoring.readSpec("../workflows/claims")).toBeNull();
  });
});
