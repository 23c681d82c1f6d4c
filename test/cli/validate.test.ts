import { describe, expect, it } from "vitest";
import { aRoot, runCli } from "./stage.js";

const GOOD = `
title: Greeter
runtime: { engine: archmax-harness, version: "3" }
instructions: Greet.
states:
  greet:
    instructions: Say hello.
    triggers:
      manual: { description: Says hello. }
`;

function aWorkspace(source: string): string {
  return aRoot([], { "workflows/greeter/workflow.yaml": source });
}

describe("parkway validate", () => {
  it("C-67 W-291 calls no model, opens no agent and needs no settings", async () => {
    const { exit, out, err, opened } = await runCli(["validate"], { root: aWorkspace(GOOD) });

    expect({ exit, out, opened }).toEqual({ exit: 0, out: "valid — 0 error(s), 0 warning(s)\n", opened: 0 });
    expect(err).not.toContain("ARCHMAX");
  });

  it("C-67 W-291 errors stand on stderr with file, line, column and field, and exit 1", async () => {
    const root = aWorkspace(
      GOOD.replace("Say hello.", "Say hello.\n    transitions: [{ to: nowhere, description: Gone. }]"),
    );

    const { exit, out, err } = await runCli(["validate", "greeter"], { root });

    expect(exit).toBe(1);
    expect(out).toMatch(/^invalid — [1-9]\d* error\(s\), \d+ warning\(s\)\n$/);
    expect(err).toMatch(
      /✖ error {2}workflows\/greeter\/workflow\.yaml:\d+:\d+ states\.greet\.transitions\.0\S*: .*nowhere/,
    );
  });

  it("C-67 a warning alone leaves it valid, and a disabled workflow is validated in full with one", async () => {
    const unwell = await runCli(["validate"], { root: aWorkspace(GOOD.replace("instructions: Greet.\n", "")) });
    const disabled = await runCli(["validate"], { root: aWorkspace(`disabled: true${GOOD}`) });

    expect(unwell).toMatchObject({ exit: 0, out: "valid — 0 error(s), 1 warning(s)\n" });
    expect(disabled).toMatchObject({ exit: 0, out: "valid — 0 error(s), 1 warning(s)\n" });
    expect(disabled.err).toContain("disabled");
  });

  it("C-67 W-291 --json prints workflow, valid and the diagnostics, and nothing else", async () => {
    const { exit, out } = await runCli(["validate", "greeter", "--json"], { root: aWorkspace("title: [") });

    expect(exit).toBe(1);
    const result = JSON.parse(out);
    expect(Object.keys(result)).toEqual(["workflow", "valid", "diagnostics"]);
    expect(result).toMatchObject({ workflow: "greeter", valid: false });
    expect(result.diagnostics[0]).toMatchObject({ severity: "error", file: "workflows/greeter/workflow.yaml" });
  });

  it("W-291 C-60 without a workflow it needs the only one there is", async () => {
    const file = "workflow.yaml";
    const two = aRoot([], { [`workflows/greeter/${file}`]: GOOD, [`workflows/other/${file}`]: GOOD });

    const several = await runCli(["validate"], { root: two });
    const none = await runCli(["validate"], { root: aRoot([]) });

    expect(several).toMatchObject({ exit: 2, out: "", err: expect.stringContaining("greeter, other") });
    expect(none).toMatchObject({ exit: 2, out: "", err: expect.stringContaining("no workflow") });
    expect((await runCli(["validate", "other"], { root: two })).exit).toBe(0);
  });

  it.each([
    ["a tool that the configuration brings", "find_order", []],
    ["one that it does not", "find_invoice", ["tools/unknown-host-tool"]],
  ])("C-73 knows the host tools of parkway.config: %s", async (_what, tool, codes) => {
    const root = aRoot([], {
      "workflows/greeter/workflow.yaml": `${GOOD}    tools: { allow: [find_order] }\n`,
      "parkway.config.mjs": `export default { tools: [{ name: "${tool}" }] };`,
    });

    const { out } = await runCli(["validate", "--json"], { root });

    expect(JSON.parse(out).diagnostics.map(({ code }: { code: string }) => code)).toEqual(codes);
  });

  it("C-67 H-100 W-240 knows the mounts and the skill folders that the configuration brings", async () => {
    const config = `const backend = (text) => ({
        ls: async (path) => ({ files: path === "/" ? [{ path: "/tone/", isDir: true }] : [] }),
        readRaw: async () => ({ data: { content: text } }) });
      export default {
        mounts: { "/kb/": { backend: backend(""), governed: true }, "/house/": backend("---\\ndescription: d\\n---\\n") },
        skills: ["house/"] };`;
    const lists = (mount: string, skill: string) =>
      GOOD.replace(
        "instructions: Greet.",
        `instructions: Greet.\nmounts: { allow_always: [${mount}] }\nskills: { allow_always: [${skill}] }`,
      );
    const rootWith = (source: string) =>
      aRoot([], { "workflows/greeter/workflow.yaml": source, "parkway.config.mjs": config });
    const codes = async (source: string) =>
      JSON.parse((await runCli(["validate", "--json"], { root: rootWith(source) })).out).diagnostics.map(
        ({ code }: { code: string }) => code,
      );

    expect(await codes(lists("kb", "tone"))).toEqual([]);
    expect(await codes(lists("kbs", "tune"))).toEqual(["skills/unknown", "mounts/unknown"]);
    expect(await codes(lists("house", "tone"))).toEqual(["mounts/ungoverned-grant"]);
  });

  it("C-67 H-97 W-238 refuses a mount in a place of the runtime", async () => {
    const root = aRoot([], {
      "workflows/greeter/workflow.yaml": GOOD,
      "parkway.config.mjs": `export default { mounts: { "/workflows/": { ls: async () => ({}) } } };`,
    });
    const { exit, err } = await runCli(["validate"], { root });

    expect(exit).not.toBe(0);
    expect(err).toContain('The mount "/workflows/" cannot be served');
  });

  it("C-67 C-73 N-27 tells entrances of parkway.config that name what does not exist", async () => {
    const hook = (trigger: string) =>
      `export default { webhooks: { "greeter/${trigger}": { verify: { scheme: "none", allowUnsigned: true } } } };`;
    const rootWith = (trigger: string) =>
      aRoot([], { "workflows/greeter/workflow.yaml": GOOD, "parkway.config.mjs": hook(trigger) });

    const good = await runCli(["validate"], { root: rootWith("manual") });
    const bad = await runCli(["validate"], { root: rootWith("mail") });
    const json = await runCli(["validate", "--json"], { root: rootWith("mail") });

    expect(good).toMatchObject({ exit: 0, out: "valid — 0 error(s), 0 warning(s)\n" });
    expect(bad).toMatchObject({ exit: 1, out: "invalid — 1 error(s), 0 warning(s)\n" });
    expect(bad.err).toContain('parkway.config webhooks[greeter/mail]: The workflow "greeter" has no trigger "mail"');
    expect(json.exit).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({ valid: false, deployment: [{ at: "webhooks[greeter/mail]" }] });
  });
});
