import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { workflowJsonSchema } from "../../lib/spec/index.js";
import { parkway } from "../workflows/command.js";
import { aRoot, runCli } from "./stage.js";

function filesBelow(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(root, name)).isFile())
      .map((name) => [name, readFileSync(join(root, name), "utf8")]),
  );
}

const SLOW_MS = 120_000;

describe("parkway init", { timeout: SLOW_MS }, () => {
  it("C-74 makes a workspace in which validate and test exit 0 with no model", async () => {
    const cwd = aRoot([]);

    const made = await runCli(["init", "greeting-desk"], { root: cwd });

    expect(made.exit).toBe(0);
    const root = join(cwd, "greeting-desk");
    expect(Object.keys(filesBelow(root))).toEqual([
      ".env.example",
      ".gitignore",
      ".parkway/workflow.schema.json",
      "README.md",
      "skills/house-style/SKILL.md",
      "workflows/greeting-desk/scripts/file-answer.js",
      "workflows/greeting-desk/tests/replies.yaml",
      "workflows/greeting-desk/tests/sent-back-once.cassette.yaml",
      "workflows/greeting-desk/tests/sent-back-once.test.yaml",
      "workflows/greeting-desk/workflow.yaml",
    ]);
    expect(await runCli(["validate"], { root })).toMatchObject({ exit: 0, out: "valid — 0 error(s), 0 warning(s)\n" });
    expect(await runCli(["test"], { root })).toMatchObject({ exit: 0, out: "1 passed, 0 failed, 0 skipped\n" });
    expect(made.out).toContain("greeting-desk is ready in greeting-desk.");
  });

  it("C-74 prints commands that work there, with replies that need no model", async () => {
    const cwd = aRoot([]);
    const { out } = await runCli(["init", "desk"], { root: cwd });

    const [, model] = /ARCHMAX_MODEL=(\S+) npx parkway run /.exec(out) ?? [];
    const root = join(cwd, "desk");
    const message = "Are you open on Sundays? Ada";
    const asking = await parkway(root, ["run", message, "--session", "ada"], { ARCHMAX_MODEL: model! });
    const decided = await parkway(root, ["decide", "ada", "--to", "file"]);

    expect([asking.exit, asking.err]).toEqual([0, expect.stringContaining("⏸ parked, awaiting decision")]);
    expect([decided.exit, decided.err]).toEqual([0, expect.stringContaining("✔ script ok")]);
  });

  it("C-74 points editors at a schema that lies there and is the one of this version", async () => {
    const cwd = aRoot([]);
    await runCli(["init", "desk"], { root: cwd });

    const folder = join(cwd, "desk/workflows/desk");
    const text = readFileSync(join(folder, "workflow.yaml"), "utf8");
    const [, target] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? [];
    expect(JSON.parse(readFileSync(join(folder, target!), "utf8"))).toEqual(workflowJsonSchema());
  });

  it("C-74 asks what it is called and what it is for, and takes any words for it", async () => {
    const root = aRoot([]);
    const purpose = 'Says "no": politely,   ${{name}} # and {always}\\';

    const { exit, err, out } = await runCli(["init"], { root, answers: ["polite-desk", purpose] });

    expect(exit).toBe(0);
    expect(err).toContain("What is the workflow called? (answer-desk)");
    expect(out).toContain("polite-desk is ready. Next:");
    const workflow = parse(readFileSync(join(root, "workflows/polite-desk/workflow.yaml"), "utf8"));
    expect(workflow).toMatchObject({
      title: "Polite desk",
      instructions: 'Says "no": politely, ${{name}} # and {always}\\',
    });
    expect(await runCli(["test"], { root })).toMatchObject({ exit: 0 });
  });

  it("C-74 takes what is usual for an empty answer, and asks nothing that an option says", async () => {
    const root = aRoot([]);

    const { exit, err } = await runCli(["init", "--name", "desk"], { root, answers: [""] });

    expect(exit).toBe(0);
    expect(err).not.toContain("called?");
    expect(parse(readFileSync(join(root, "workflows/desk/workflow.yaml"), "utf8")).instructions).toMatch(
      /^Answers what/,
    );
  });

  it("C-74 --yes asks nothing", async () => {
    const root = aRoot([]);

    expect(await runCli(["init", "--yes"], { root, answers: [] })).toMatchObject({ exit: 0 });
    expect(existsSync(join(root, "workflows/answer-desk/workflow.yaml"))).toBe(true);
  });

  it.each([
    ["a workflow of that name", "workflows/desk/notes.md", "workflows/desk"],
    ["one of its files", "README.md", "README.md"],
    ["its skill", "skills/house-style/SKILL.md", "skills/house-style/SKILL.md"],
    ["a file in the place of a folder", "skills", "skills"],
  ])("C-58 C-74 a folder that holds %s stays as it is", async (_what, file, named) => {
    const root = aRoot([], { [file]: "mine\n" });

    const { exit, out, err } = await runCli(["init", "--name", "desk"], { root });

    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain(named);
    expect(err).toContain("nothing was written");
    expect(filesBelow(root)).toEqual({ [file]: "mine\n" });
    expect(readdirSync(root)).toEqual([file.split("/")[0]]);
  });

  it("C-74 adds to a folder that holds other things", async () => {
    const root = aRoot([], { "src/index.ts": "export {};\n" });
    mkdirSync(join(root, "skills"));

    expect(await runCli(["init", "--name", "desk"], { root })).toMatchObject({ exit: 0 });
    expect(readFileSync(join(root, "src/index.ts"), "utf8")).toBe("export {};\n");
  });

  it.each([
    ["a name that is no slug", ["--name", "My Desk"], "lower case letters"],
    ["an empty purpose", ["--purpose", " "], "--purpose"],
    ["a purpose that is a page", ["--purpose", "x".repeat(201)], "found 201"],
    ["a second folder", ["one", "two"], "too many arguments"],
  ])("C-58 C-74 %s is a usage error", async (_what, argv, says) => {
    const root = aRoot([]);

    const { exit, out, err } = await runCli(["init", ...argv], { root });

    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toContain(says);
    expect(readdirSync(root)).toEqual([]);
  });

  it.each([
    ["a file", "taken", "it is a file"],
    ["in a file", "taken/desk", "not a directory"],
  ])("C-58 C-74 a folder that is %s is one line, and nothing is left behind", async (_what, folder, says) => {
    const root = aRoot([], { taken: "mine\n" });

    const { exit, out, err } = await runCli(["init", folder], { root });

    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain(says);
    expect(err).toContain("nothing was written");
    expect(err).not.toContain("    at ");
    expect(filesBelow(root)).toEqual({ taken: "mine\n" });
  });
});
