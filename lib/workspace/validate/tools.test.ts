import { describe, expect, it } from "vitest";
import { judgeCall } from "../../kernel/index.js";
import { compileMachine } from "../../machine/index.js";
import { parseSpec } from "../../spec/index.js";
import { createMemoryBackend } from "../memory-backend.js";
import { mountInfos } from "../mounts.js";
import { findings, type SampleFiles, SCRIPT, SPEC, skill, spec } from "./sample-workspace.fixture.js";

const FILES: SampleFiles = {
  "skills/tone/SKILL.md": skill("tone"),
  "skills/law/SKILL.md": skill("law"),
  "workflows/w/scripts/a.js": SCRIPT,
};
const document = (source: string, options = {}) => findings({ ...FILES, [SPEC]: source }, options);
const inState = (start: string, options = {}) => document(spec({ start }), options);
const inCode = (lines: string) =>
  document(spec({ start: "on_error: work", states: `work:\n  type: code\n  script: scripts/a.js\n  ${lines}` }));
const inRoot = (tools: string, options = {}) => document(spec({ tools }), options);

describe("names in tools lists", () => {
  it.each(["archmax_eval", "archmax_run", "archmax_wait", "archmax_reset", "write_todos"])(
    "W-78 W-203 refuses a code state the grant of %s, and no other kind of state",
    async (tool) => {
      expect(await inCode(`tools: { allow: [${tool}] }`)).toEqual([
        "automated/tool-never-offered states.work.tools.allow.0",
      ]);
      expect(await inState(`tools: { allow: [${tool}] }`)).not.toContain(
        "automated/tool-never-offered states.start.tools.allow.0",
      );
    },
  );

  it("W-78 leaves what allow_always gives alone", async () => {
    const states = "work:\n  type: code\n  script: scripts/a.js";
    const source = spec({ tools: "tools: { allow_always: [write_todos] }", start: "on_error: work", states });
    expect(await document(source)).toEqual([]);
  });

  it.each<[ids: string, found: () => Promise<string[]>, expected: string[]]>([
    ["W-201", () => inState("tools: { allow: [archmax_advance] }"), ["tools/inert-control states.start.tools.allow.0"]],
    [
      "W-201",
      () => inState("tools: { allow: [{ tool: archmax_raise, args: { code: x } }] }"),
      ["tools/inert-control states.start.tools.allow.0"],
    ],
    [
      "W-201",
      () => inRoot("tools: { allow_always: [archmax_set_variables] }"),
      ["tools/inert-control tools.allow_always.0"],
    ],
    [
      "W-201",
      () => inCode("tools: { allow: [archmax_get_history] }"),
      ["tools/inert-control states.work.tools.allow.0"],
    ],
    ["W-201", () => inState("tools: { forbid: [archmax_wait] }"), []],
    [
      "W-202",
      () => inRoot("tools: { allow_always: [say] }", { essentialTools: ["say"] }),
      ["tools/inert-essential tools.allow_always.0"],
    ],
    ["W-202", () => inRoot("tools: { allow_always: [say] }", { essentialTools: ["ask"] }), []],
    ["W-202", () => inState("tools: { allow: [say] }", { essentialTools: ["say"] }), []],
    ["W-204", () => inState("tools: { allow: [task] }"), ["tools/ungrantable states.start.tools.allow.0"]],
    ["W-204", () => inState("tools: { allow: [eval] }"), ["tools/ungrantable states.start.tools.allow.0"]],
    ["W-204", () => inRoot("tools: { allow_always: [archmax_note] }"), ["tools/ungrantable tools.allow_always.0"]],
    [
      "W-204",
      () => inState("tools: { allow: [archmax_get_history] }"),
      ["tools/ungrantable states.start.tools.allow.0"],
    ],
    ["W-204", () => inRoot("tools: { forbid_always: [task] }"), []],
    [
      "W-205",
      () => inState("tools: { allow: [archmax_advanse] }"),
      ["tools/unknown-control states.start.tools.allow.0"],
    ],
    [
      "W-205",
      () => inRoot("tools: { forbid_always: [archmax_none] }"),
      ["tools/unknown-control tools.forbid_always.0"],
    ],
    ["W-205", () => inRoot("tools: { forbid_always: [archmax_workflow_any] }"), []],
    ["W-211", () => inState("tools: { allow: [say] }"), []],
    [
      "W-211",
      () => document(spec({ tools: "tools: { forbid_always: [say] }", start: "tools: { allow: [say] }" })),
      ["tools/denied-grant states.start.tools.allow.0"],
    ],
    [
      "W-211",
      () => inState("tools: { allow: [say], forbid: [say] }"),
      ["tools/allow-and-forbid states.start.tools.allow.0"],
    ],
    ["W-211", () => inState("tools: { allow: [say], forbid: [{ tool: say, args: { to: x } }] }"), []],
    [
      "W-212",
      () => inRoot("tools: { forbid_always: [archmax_advance] }"),
      ["tools/forbids-advance tools.forbid_always.0"],
    ],
    ["W-212", () => inRoot('tools: { forbid_always: ["*"] }'), ["tools/forbids-advance tools.forbid_always.0"]],
    ["W-212", () => inRoot("tools: { forbid_always: [archmax_reset] }"), []],
    [
      "W-212",
      () => inState("tools: { forbid: [archmax_advance] }"),
      ["tools/state-forbids-advance states.start.tools.forbid.0"],
    ],
    ["W-213", () => inState("tools: { forbid: [say] }"), ["tools/forbid-nothing states.start.tools.forbid.0"]],
    ["W-213", () => inState("tools: { forbid: [read_file] }"), []],
    ["W-213", () => inState("tools: { forbid: [say] }", { essentialTools: ["say"] }), []],
    ["W-213", () => inRoot("tools: { forbid_always: [say] }"), []],
    [
      "W-218",
      () => inState("tools: { allow: [say] }", { tools: ["tell"] }),
      ["tools/unknown-host-tool states.start.tools.allow.0"],
    ],
    [
      "W-218",
      () => inRoot("tools: { forbid_always: [say] }", { tools: ["tell"] }),
      ["tools/unknown-host-tool tools.forbid_always.0"],
    ],
    ["W-218", () => inState("tools: { allow: [say] }"), []],
    ["W-218", () => inState("tools: { allow: [tell, ls, archmax_eval] }", { tools: ["tell"] }), []],
    [
      "A-61",
      () =>
        inState("tools: { allow: [shop_a, say] }", { mcp: (tool: string) => (tool === "say" ? "none" : "missing") }),
      ["tools/unknown-mcp-tool states.start.tools.allow.0"],
    ],
    ["A-61", () => inRoot("tools: { forbid_always: [shop_a] }", { mcp: () => "missing", tools: [] }), []],
    ["A-61 W-218", () => inState("tools: { allow: [shop_a] }", { mcp: () => "unsure", tools: [] }), []],
    ["A-61 W-218", () => inState("tools: { allow: [shop_a] }", { mcp: () => "missing", tools: ["shop_a"] }), []],
  ])("%s judges the names of a list (case %#)", async (_ids, found, expected) => {
    expect(await found()).toEqual(expected);
  });

  it("W-212 W-213 allows a machine without transitions, and a terminal state, to deny everything", async () => {
    const only = `title: T\ninstructions: I.\nskills: {}\ntools: { forbid_always: ["*"] }\nstates: { a: { triggers: { manual: } } }\n`;
    expect(await document(only)).toEqual([]);
    const terminal = spec().replace("  done:\n", '  done: { tools: { forbid: ["*"] } }\n');
    expect(await document(terminal)).toEqual([]);
  });
});

describe("paths in grants", () => {
  const grant = (tool: string, paths: string) => `tools: { allow: [{ tool: ${tool}, paths: ${paths} }] }`;
  const place = "states.start.tools.allow.0";
  const backend = createMemoryBackend({ "tone/SKILL.md": skill("tone"), "law/SKILL.md": skill("law") });
  const mounts = {
    "/skills/": { backend },
    "/files/": { backend, governed: true, readOnly: false },
    "/drop/": { backend, readOnly: false },
  };
  const withMounts = (start: string) => document(spec({ root: "mounts: {}", start }), { mounts });

  it.each<[ids: string, found: () => Promise<string[]>, expected: string[]]>([
    [
      "W-211",
      () =>
        document(
          spec({
            tools: "tools: { forbid_always: [{ tool: write_file, paths: out/** }] }",
            start: grant("write_file", "[out/a, out/b]"),
          }),
        ),
      [`tools/denied-grant ${place}`],
    ],
    [
      "W-211",
      () =>
        document(
          spec({
            tools: "tools: { forbid_always: [{ tool: write_file, paths: out/** }] }",
            start: grant("write_file", "[out/a, in/b]"),
          }),
        ),
      [],
    ],
    [
      "W-211",
      () =>
        document(
          spec({
            tools: 'tools: { forbid_always: [{ tool: write_file, paths: "$' + '{{trigger}}/**" }] }',
            start: grant("write_file", "[out/a]"),
          }),
        ),
      [],
    ],
    ["W-214", () => inState(grant("write_file", "scratchpad/notes.md")), [`tools/scratchpad-guard ${place}`]],
    [
      "W-214",
      () => inState(grant("remove_file", '["/scratchpad/*", "scratchpad/a/**"]')),
      [`tools/scratchpad-guard ${place}`],
    ],
    ["W-214", () => inState(grant("write_file", "[scratchpad/a, out/a]")), []],
    ["W-214", () => inState(grant("read_file", "scratchpad/a")), []],
    [
      "W-214",
      () => inState("tools: { allow: [{ tool: copy_file, args: { destination: scratchpad/** } }] }"),
      [`tools/scratchpad-guard ${place}`],
    ],
    [
      "W-214",
      () => inState("tools: { allow: [{ tool: copy_file, args: { source: docs/a, destination: scratchpad/** } }] }"),
      [],
    ],
    [
      "W-214",
      () => inState("tools: { allow: [{ tool: write_file, args: { file_path: scratchpad/a, content: x } }] }"),
      [],
    ],
    [
      "W-214",
      () =>
        inState("tools: { allow: [{ tool: upload, paths: scratchpad/** }] }", {
          toolPaths: { upload: { to: "write" } },
        }),
      [],
    ],
    ["W-215", () => inState(grant("archmax_run", '["scripts/*.js"]')), [`tools/run-outside-skill ${place}`]],
    ["W-215", () => inState(grant("archmax_run", "scratchpad/a.js")), [`tools/run-outside-skill ${place}`]],
    ["W-215", () => inState(grant("archmax_run", "skills/gone/a.js")), [`tools/run-outside-skill ${place}`]],
    ["W-215", () => inState(`${grant("archmax_run", "skills/tone/*.js")}\nskills: { allow: [tone] }`), []],
    ["W-215", () => inState(`${grant("archmax_run", '"**"')}\nskills: { allow: [tone] }`), []],
    [
      "W-215",
      () => inState(`${grant("archmax_run", "[scripts/a.js, skills/tone/a.js]")}\nskills: { allow: [tone] }`),
      [],
    ],
    ["W-216", () => inState(grant("read_file", "workflows/w/workflow.yaml")), [`tools/path-authoring ${place}.paths`]],
    ["W-216", () => inState(grant("ls", '["workflows/**"]')), [`tools/path-authoring ${place}.paths.0`]],
    ["W-216", () => inState(grant("read_file", "docs/workflows/a")), []],
    [
      "W-216",
      () => inState(grant("write_file", "[checkpoints/a, out/b]")),
      [`tools/path-runtime-area ${place}.paths.0`],
    ],
    ["W-216", () => inState(grant("write_file", "large_tool_results/**")), [`tools/path-runtime-area ${place}.paths`]],
    ["W-216", () => inState(grant("read_file", "large_tool_results/a")), []],
    ["W-216", () => inState(grant("read_file", "[checkpoints/a, artifacts/b]")), []],
    [
      "W-216",
      () => inState("tools: { allow: [{ tool: move_file, args: { source: conversation_history/a } }] }"),
      [`tools/path-runtime-area ${place}.args.source`],
    ],
    [
      "W-216",
      () => inState(`${grant("write_file", "skills/tone/SKILL.md")}\nskills: { allow: [tone] }`),
      [`tools/path-read-only ${place}.paths`],
    ],
    ["W-216", () => inState(`${grant("read_file", "skills/tone/SKILL.md")}\nskills: { allow: [tone] }`), []],
    ["W-216", () => inState(grant("copy_file", "[AGENTS.md, out/a]")), []],
    [
      "W-216",
      () => inState("tools: { allow: [{ tool: copy_file, args: { destination: AGENTS.md } }] }"),
      [`tools/path-read-only ${place}.args.destination`],
    ],
    ["W-217", () => inState(grant("read_file", "skills/tone/**")), [`tools/path-in-disabled-skill ${place}.paths`]],
    [
      "W-217",
      () => inState(grant("archmax_run", "skills/tone/scripts/*.js")),
      [`tools/path-in-disabled-skill ${place}.paths`],
    ],
    ["W-217", () => inState(grant("read_file", "skills/*/SKILL.md")), []],
    ["W-217", () => inState(grant("write_file", "skills/tone/**")), [`tools/path-in-disabled-skill ${place}.paths`]],
    ["W-216", () => inState(`${grant("write_file", "skills/tone/**")}\nskills: { allow: [tone] }`), []],
    [
      "W-211",
      () =>
        document(
          spec({ tools: "tools: { forbid_always: [write_file] }", start: grant("write_file", "[out/a, out/b]") }),
        ),
      [`tools/denied-grant ${place}`],
    ],
    ["W-217", () => inState(`${grant("read_file", "skills/tone/**")}\nskills: { allow: [tone] }`), []],
    ["W-217", () => withMounts(grant("read_file", "files/a")), [`tools/path-in-disabled-mount ${place}.paths`]],
    ["W-217", () => withMounts(`${grant("read_file", "files/a")}\nmounts: { allow: [files] }`), []],
    [
      "W-217",
      () => withMounts(`${grant("read_file", "files/a")}\nmounts: { allow: [files], forbid: [files] }`),
      ["mounts/allow-and-forbid states.start.mounts.allow.0", `tools/path-in-disabled-mount ${place}.paths`],
    ],
    ["W-217", () => withMounts(grant("write_file", "drop/a")), []],
    [
      "W-216",
      () => withMounts(`${grant("write_file", "files/a")}\nmounts: { allow: [files] }`),
      [`tools/path-read-only ${place}.paths`],
    ],
    ["W-216", () => withMounts(`${grant("write_file", "files/**")}\nmounts: { allow: [files] }`), []],
  ])("%s judges the grant (case %#)", async (_ids, found, expected) => {
    expect(await found()).toEqual(expected);
  });

  it("W-217 reports a root grant only when no state enables its skill", async () => {
    const tools = "tools: { allow_always: [{ tool: read_file, paths: skills/tone/** }] }";
    expect(await document(spec({ tools }))).toEqual(["tools/path-in-disabled-skill tools.allow_always.0.paths"]);
    expect(await document(spec({ tools, start: "skills: { allow: [tone] }" }))).toEqual([]);
  });

  it("W-216 judges a host tool by the paths its host declares, and not without them", async () => {
    const start = "tools: { allow: [{ tool: upload, args: { target: checkpoints/a } }] }";
    expect(await inState(start, { toolPaths: { upload: { target: "write" } } })).toEqual([
      `tools/path-runtime-area ${place}.args.target`,
    ]);
    expect(await inState(start)).toEqual([]);
  });

  it("W-289 reports a path exactly when the kernel refuses the call for the path", async () => {
    const infos = mountInfos(mounts);
    const text = spec({ root: "mounts: {}", start: "skills: { allow: [tone] }" });
    const parsed = parseSpec(text);
    if (!parsed.ok) throw new Error("the sample does not load");
    const tables = {
      mounts: infos,
      skills: ["law", "tone"],
      toolPaths: {},
      essentialTools: [],
      hostTools: [],
      inherited: [],
      policyRules: [],
    };
    const machine = compileMachine(parsed, "w");
    const paths = [
      "out/a",
      "skills/tone/a.md",
      "skills/law/a.md",
      "files/a",
      "drop/a",
      "conversation_history/a",
      "artifacts/a",
    ];
    const argument = {
      read_file: "file_path",
      write_file: "file_path",
      remove_file: "file_path",
      ls: "path",
      grep: "path",
    };
    for (const [tool, name] of Object.entries(argument)) {
      for (const path of paths) {
        // W-216 speaks of writing only; reading what belongs to the runtime is left to the run.
        if (path === "artifacts/a" && ["read_file", "ls", "grep"].includes(tool)) continue;
        const call = {
          state: "start",
          tool,
          args: { [name]: path },
          origin: "agent" as const,
          replyOnly: false,
          variables: {},
        };
        const verdict = judgeCall(machine, tables, call);
        const refused = verdict.decision === "block" && /^(zone|skill|mount)\./.test(verdict.ruleId);
        const found = await withMounts(`${grant(tool, path)}\nskills: { allow: [tone] }`);
        expect([tool, path, found.length]).toEqual([tool, path, refused ? 1 : 0]);
      }
    }
  });
});
