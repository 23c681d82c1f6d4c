import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../memory-backend.js";
import { mountSubtree } from "../subtree.js";
import { findings, type SampleFiles, SCRIPT, SPEC, skill, spec, validateSample } from "./sample-workspace.fixture.js";
import { validateWorkflow } from "./validate.js";

describe("validateWorkflow", () => {
  it("W-287 finds nothing in a valid workflow", async () => {
    expect(await validateSample({ [SPEC]: spec() })).toEqual({ workflow: "w", valid: true, diagnostics: [] });
  });

  it("W-287 stays valid with warnings, and not with a check finding", async () => {
    const warned = await validateSample({ [SPEC]: spec({ start: "requires: [token]" }) });
    expect(warned).toMatchObject({ valid: true, diagnostics: [{ class: "warn", severity: "warning" }] });
    const checked = await validateSample({ [SPEC]: spec({ start: "tools: { allow: [task] }" }) });
    expect(checked).toMatchObject({ valid: false, diagnostics: [{ class: "check", severity: "error" }] });
  });

  it("W-2 gives code, class, field, path, file, line and column", async () => {
    const { diagnostics } = await validateSample({ [SPEC]: spec({ start: "tools: { allow: [task] }" }) });
    expect(diagnostics).toEqual([
      {
        code: "tools/ungrantable",
        severity: "error",
        class: "check",
        message: expect.stringContaining('"task"'),
        file: SPEC,
        line: 10,
        column: 22,
        field: "states.start.tools.allow.0",
        path: ["states", "start", "tools", "allow", 0],
      },
    ]);
  });

  it.each<[id: string, workflow: string, files: SampleFiles, expected: string[]]>([
    ["W-56", " ", { [SPEC]: spec() }, ["workflow/slug-missing"]],
    ["W-56", "My_Flow", { "workflows/My_Flow/workflow.yaml": spec() }, ["workflow/slug"]],
    ["W-56", "../w", { [SPEC]: spec() }, ["workflow/slug"]],
    ["W-7", "w", { "workflows/v/workflow.yaml": spec() }, ["file/missing"]],
    ["W-6", "w", { "workflows/w/workflow.yml": spec() }, ["file/missing"]],
    ["W-6", "w", { "workflows/w/Workflow.yaml": spec() }, ["file/missing"]],
    ["W-7", "w", { "workflows/w/WORKFLOW.md": "---\ntitle: x\n---\nProse.\n" }, ["file/legacy-single-file"]],
    ["W-7", "w", { "workflows/w/WORKFLOW.md": "Prose.\n" }, ["file/missing"]],
    ["W-8", "w", { [SPEC]: spec(), "workflows/w/WORKFLOW.md": "---\ntitle: x\n---\n" }, ["file/competing-machines"]],
    [
      "W-8",
      "w",
      { [SPEC]: spec(), "workflows/w/WORKFLOW.md": "\uFEFF---\r\na: b\r\n---\r\n" },
      ["file/competing-machines"],
    ],
    ["W-8", "w", { [SPEC]: spec(), "workflows/w/WORKFLOW.md": "Prose.\n\n---\n\nMore.\n\n---\n" }, []],
    ["W-6", "w", { [SPEC]: spec(), "workflows/w/WORKFLOW.md": "# Prose\n" }, []],
  ])("%s judges the directory and files of %j", async (_id, workflow, files, expected) => {
    const result = await validateWorkflow({ workflow, backend: createMemoryBackend(files) });
    expect(result.diagnostics.map(({ code }) => code)).toEqual(expected);
    expect(result.valid).toBe(expected.length === 0);
  });

  it("W-8 reports the second machine against WORKFLOW.md and goes on", async () => {
    const files = {
      [SPEC]: spec({ start: "tools: { allow: [task] }" }),
      "workflows/w/WORKFLOW.md": "---\na: b\n---\n",
    };
    const { diagnostics } = await validateSample(files);
    expect(diagnostics.map(({ code, file }) => [code, file])).toEqual([
      ["file/competing-machines", "workflows/w/WORKFLOW.md"],
      ["tools/ungrantable", SPEC],
    ]);
  });

  it("W-285 reads workflows/ through the authoring backend and skills through the other, and writes nothing", async () => {
    const calls: string[] = [];
    const watch = (name: string, files: SampleFiles) =>
      new Proxy(createMemoryBackend(files), {
        get(target, method, receiver) {
          const member: unknown = Reflect.get(target, method, receiver);
          if (typeof member !== "function") return member;
          return (...args: unknown[]) => {
            calls.push(`${name} ${String(method)}`);
            return Reflect.apply(member, target, args);
          };
        },
      });
    const { diagnostics } = await validateWorkflow({
      workflow: "w",
      authoring: watch("authoring", {
        [SPEC]: spec({ root: "skills: { allow_always: [tone] }" }),
        "skills/other/SKILL.md": skill("other"),
      }),
      backend: watch("backend", {
        "workflows/w/WORKFLOW.md": "---\na: b\n---\n",
        "skills/tone/SKILL.md": skill("tone"),
      }),
    });
    expect(diagnostics).toEqual([]);
    expect(new Set(calls.map((call) => call.split(" ")[1]))).toEqual(new Set(["ls", "readRaw"]));
  });

  it("W-288 with a broken shape runs only the slug, file and case passes", async () => {
    const files = {
      "workflows/w/workflow.yaml": `${spec({ start: "tools: { allow: [task] }\nscript: 5" })}`,
      "workflows/w/tests/a.test.yaml": "title: t\n",
      "skills/Bad/SKILL.md": "no frontmatter",
    };
    const codes = (await validateSample(files)).diagnostics.map(({ code }) => code);
    expect(codes).toEqual(["schema/type", "case/description"]);
  });

  it("W-21 a broken document rule hides neither lint nor cross-file findings", async () => {
    const files = { [SPEC]: spec({ start: "on_error: nowhere\ntools: { allow: [task] }" }) };
    expect(await findings(files)).toEqual([
      "on-error/undefined-target states.start.on_error",
      "tools/ungrantable states.start.tools.allow.0",
    ]);
  });

  it("W-288 W-4 keeps the order of the passes, and repeats it", async () => {
    const files = {
      "workflows/w/workflow.yaml": `
title: Sample
instructions: See workflows/w/notes.md.
disabled: true
tools: { allow_always: [archmax_wait] }
skills: { allow_always: [gone] }
mounts: { forbid_always: [shared] }
states:
  Start:
    type: code
    script: scripts/none.js
    triggers: { manual: }
    mounts: { allow: [shared] }
    model: small
    requires: [token]
    tools: { allow: [task, archmax_workflow_gone] }
    transitions: [{ to: ask }]
  ask:
    type: human
    instructions: Decide.
    evidence: [workflows/a]
    tools: { allow: [task] }
    transitions: [{ to: done, description: Fine. }]
  done:
`,
      "workflows/w/tests/a.test.yaml": "title: t\ndescription: d\nsteps: [{ send: x }, { reachedState: nope }]\n",
      "skills/bare/SKILL.md": "none",
    };
    const expected = [
      "disabled/out-of-service",
      "variables/credential-name",
      "skills/unloadable",
      "skills/unknown",
      "mounts/grant-cancelled",
      "path/mentions-authoring-plane",
      "tools/inert-control",
      "state/slug",
      "code/forbidden-key",
      "code/script-missing",
      "tools/ungrantable",
      "path/authoring-plane",
      "tools/ungrantable",
      "subworkflow/missing",
      "case/unknown-state",
    ];
    for (let run = 0; run < 3; run += 1) {
      expect((await validateSample(files)).diagnostics.map(({ code }) => code)).toEqual(expected);
    }
  });

  it("W-286 is silent about what the host did not tell", async () => {
    const files = {
      [SPEC]: spec({
        root: "mounts: { allow_always: [{ mount: nowhere, access: read_write }] }",
        start: "tools: { allow: [some_tool] }",
      }),
    };
    expect(await findings(files)).toEqual([]);
    const told = await findings(files, { tools: ["other"], mounts: {} });
    expect(told).toEqual([
      "mounts/unknown mounts.allow_always.0",
      "tools/unknown-host-tool states.start.tools.allow.0",
    ]);
  });

  it("W-286 takes the paths that host tools declare, essential tools, and the sources of skills", async () => {
    const files = {
      [SPEC]: spec({
        tools: "tools: { allow_always: [say] }",
        start: "tools: { allow: [{ tool: upload, args: { target: checkpoints/a } }] }\nskills: { allow: [tone] }",
      }),
      "packs/tone/SKILL.md": skill("tone"),
    };
    const backend = createMemoryBackend(files);
    const mounts = { "/packs/": mountSubtree(backend, "packs") };
    const at = "states.start";

    expect(await findings(files, { mounts, skills: ["packs/"] })).toEqual([]);
    expect(await findings(files)).toEqual([`skills/unknown ${at}.skills.allow.0`]);
    expect(
      await findings(files, {
        mounts,
        skills: ["packs/"],
        toolPaths: { upload: { target: "write" } },
        essentialTools: ["say"],
      }),
    ).toEqual([
      "tools/inert-essential tools.allow_always.0",
      `tools/path-runtime-area ${at}.tools.allow.0.args.target`,
    ]);
  });

  it("W-33 warns that the workflow is out of service, and validates it in full", async () => {
    const files = { [SPEC]: spec({ root: "disabled: true", start: "tools: { allow: [task] }" }) };
    expect(await findings(files)).toEqual([
      "disabled/out-of-service disabled",
      "tools/ungrantable states.start.tools.allow.0",
    ]);
  });

  it("W-285 never runs a script", async () => {
    const files = {
      [SPEC]: spec({ states: "work:\n  type: code\n  script: scripts/a.js", start: "on_error: work" }),
      "workflows/w/scripts/a.js": `throw new Error("ran");\n${SCRIPT}`,
    };
    expect(await findings(files)).toEqual([]);
  });
});
