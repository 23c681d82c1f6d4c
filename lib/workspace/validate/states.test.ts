import { describe, expect, it } from "vitest";
import { findings, SCRIPT, SPEC, spec, validateSample } from "./sample-workspace.fixture.js";

const FILE = "workflows/w/scripts/a.js";
const inState = (start: string) => findings({ [SPEC]: spec({ start }) });

describe("scripts of code states", () => {
  const withScript = (source: string | null) => ({
    [SPEC]: spec({ start: "on_error: work", states: "work:\n  type: code\n  script: scripts/a.js" }),
    ...(source === null ? {} : { [FILE]: source }),
  });

  it.each<[ids: string, source: string | null, expected: string[]]>([
    ["W-283", null, ["code/script-missing"]],
    ["W-283", "export default async (", ["code/script-syntax"]],
    ["W-283", "async function run() {}", ["code/no-default-export"]],
    ["W-283", "async function run() {}\nexport { run as default };", []],
    ["W-283", SCRIPT, []],
    ["W-284", `import fs from "node:fs";\n${SCRIPT}`, ["code/foreign-import"]],
    [
      "W-284",
      `import { a } from "./b.js";\nimport "parkway";\n${SCRIPT}`,
      ["code/foreign-import", "code/foreign-import"],
    ],
    ["W-284", `export * from "./b.js";\n${SCRIPT}`, ["code/foreign-import"]],
    ["W-284", 'export default async () => (await import("./b.js")).run();', ["code/foreign-import"]],
    ["W-284", "export default async ({ name }) => import(name);", ["code/foreign-import"]],
    ["W-284", 'export default () => require("fs");', ["code/foreign-import"]],
    ["W-284", 'const require = (name) => name;\nexport default () => require("fs");', []],
    [
      "W-284",
      `import { defineCodeState } from "parkway/sandbox";\nimport "@archmax-ai/harness/sandbox";\n${SCRIPT}`,
      [],
    ],
    ["W-284", `import "@archmax-ai/harness";\n${SCRIPT}`, ["code/foreign-import"]],
    ["W-284", `// import fs from "fs"; require("fs")\n${SCRIPT}`, []],
  ])("%s judges %j", async (_ids, source, expected) => {
    expect(await findings(withScript(source))).toEqual(expected.map((code) => `${code} states.work.script`));
  });

  it("W-283 W-284 points into the script", async () => {
    const { diagnostics } = await validateSample(withScript('const a = 1;\n  import "fs";\nexport default a;\n'));
    expect(diagnostics).toMatchObject([{ file: FILE, line: 2, column: 3 }]);
    const broken = await validateSample(withScript("const a = 1;\nconst = 2;\n"));
    expect(broken.diagnostics).toMatchObject([{ code: "code/script-syntax", file: FILE, line: 2, column: 7 }]);
  });
});

describe("paths and names of a state", () => {
  const human = (evidence: string) =>
    findings({
      [SPEC]: spec({
        start: "on_error: ask",
        states: `ask:\n  type: human\n  instructions: Decide.\n  evidence: [${evidence}]\n  transitions: [{ to: done, description: Fine. }]`,
      }),
    });
  const at = "states.ask.evidence.0";

  it.each<[path: string, expected: string[]]>([
    ["scratchpad/a.md", []],
    ["skills/tone/SKILL.md", []],
    ["docs/workflows/a", []],
    ["workflows/w/workflow.yaml", [`path/authoring-plane ${at}`]],
    ["./workflows/x", [`path/authoring-plane ${at}`]],
    ["../other/a", [`path/unreadable ${at}`]],
    ["checkpoints/a", [`path/unreadable ${at}`]],
    ["artifacts/run.json", [`path/unreadable ${at}`]],
    ["/scratchpad/a.md", [`path/leading-slash ${at}`]],
    ["/workflows/a", [`path/leading-slash ${at}`, `path/authoring-plane ${at}`]],
  ])("W-68 judges the evidence %s", async (path, expected) => {
    expect(await human(path)).toEqual(expected);
  });

  it.each<[text: string, found: boolean]>([
    ["Read workflows/w/notes.md first.", true],
    ["Read `workflows/w/notes.md`.", true],
    ["Read /workflows/w/notes.md.", true],
    ["Our workflows are good.", false],
    ["See docs/workflows/a.md and my-workflows/b.", false],
    ["See https://host.example/workflows/a.", false],
  ])("W-258 judges the instructions %j", async (text, found) => {
    const state = spec().replace("instructions: Begin.", `instructions: ${JSON.stringify(text)}`);
    expect(await findings({ [SPEC]: state })).toEqual(
      found ? ["path/mentions-authoring-plane states.start.instructions"] : [],
    );
    const root = spec().replace("instructions: Do the work.", `instructions: ${JSON.stringify(text)}`);
    expect(await findings({ [SPEC]: root })).toEqual(found ? ["path/mentions-authoring-plane instructions"] : []);
  });

  it.each([
    ["password", true],
    ["api_key", true],
    ["secret", true],
    ["token", true],
    ["crm_api_key", true],
    ["token_value", true],
    ["tokens", false],
    ["key", false],
    ["apikey", false],
    ["secretary", false],
  ])("A-80 judges the variable %s", async (name, found) => {
    const code = "variables/credential-name";
    expect(await inState(`requires: [order, ${name}]`)).toEqual(found ? [`${code} states.start.requires.1`] : []);
    const trigger = spec().replace("{ manual: }", `{ manual: { requires: [{ name: ${name} }] } }`);
    expect(await findings({ [SPEC]: trigger })).toEqual(
      found ? [`${code} states.start.triggers.manual.requires.0`] : [],
    );
  });
});
