import { describe, expect, it } from "vitest";
import { PACKAGE_VERSION } from "../../lib/version.js";
import { aRoot, runCli } from "./stage.js";

describe("a command line that is wrong", () => {
  it.each([
    ["C-57: a bare prompt", ["refund my order"], "unknown command"],
    ["C-57: no command", [], "a command is required"],
    ["C-58: an unknown flag", ["run", "--fast", "hi"], "--fast"],
    ["C-58: a missing argument", ["reply", "ticket-1"], "message"],
    ["C-58: an extra argument", ["sessions", "a", "b"], "too many arguments"],
    ["C-58: a missing option", ["decide", "ticket-1"], "--to"],
    ["C-58: variables that are no JSON", ["run", "hi", "--variables", "{"], "--variables"],
    ["C-58: variables that are no object", ["run", "hi", "--variables", "[1]"], "JSON object"],
    ["C-58: an empty message", ["reply", "ticket-1", " "], "empty"],
    ["C-59: a second spelling", ["sessions", "--work", "order"], "--work"],
    ["C-70: an id that can name no session", ["sessions", "../x"], "cannot name a session"],
    ["C-70: such an id for a decision", ["decide", "a/../b", "--to", "x"], "cannot name a session"],
    ["C-70: such an id for a turn", ["run", "hi", "--session", "_specs"], "cannot name a session"],
  ])("%s is one line, the way to help, exit 2, and opens nothing", async (_what, argv, says) => {
    const root = aRoot(["order"]);

    const { exit, out, err, opened } = await runCli(argv, { root });

    expect(exit).toBe(2);
    expect(out).toBe("");
    expect(opened).toBe(0);
    const [message, hint, ...rest] = err.trimEnd().split("\n");
    expect(message).toContain(says);
    expect(hint).toMatch(/^try parkway .*--help$/);
    expect(rest).toEqual([]);
  });

  it.each([
    ["an unknown flag", ["test", "--fast", "--json"], 2, "UsageError"],
    ["options that exclude each other", ["test", "--json", "--record", "--live"], 2, "UsageError"],
    ["no workflow of that name", ["graph", "--json", "nobody"], 1, "WorkflowLoadError"],
    ["a config file that cannot be read", ["validate", "--json"], 1, "ConfigFileError"],
    ["the same before a suite", ["test", "--json"], 1, "ConfigFileError"],
    ["variables that are no JSON", ["run", "--json", "hi", "--variables", "{"], 2, "UsageError"],
  ])("C-58 C-72 with --json, %s is one document on stdout all the same", async (_what, argv, code, name) => {
    const root = aRoot(["order"], { "parkway.config.js": "export default (" });

    const { exit, out, err } = await runCli(argv, { root });

    expect(exit).toBe(code);
    expect(JSON.parse(out)).toMatchObject({ error: { name, message: expect.stringMatching(/./) } });
    expect(err).not.toContain("    at ");
  });

  it("C-58 a word after -- asks for no JSON", async () => {
    expect((await runCli(["fly", "--", "--json"])).out).toBe("");
  });

  it("C-58 names the command in the hint once it is known", async () => {
    expect((await runCli(["run", "--fast"])).err).toContain("try parkway run --help");
    expect((await runCli(["fly"])).err).toContain("try parkway --help");
  });
});

describe("help", () => {
  it.each([
    ["parkway help", ["help"]],
    ["parkway --help", ["--help"]],
    ["parkway -h", ["-h"]],
  ])("C-59 %s lists every command on stdout and exits 0", async (_what, argv) => {
    const { exit, out, err } = await runCli(argv);

    expect(exit).toBe(0);
    expect(err).toBe("");
    for (const command of ["run", "validate", "sessions", "decide", "reply", "deliver", "wake", "demo", "help"]) {
      expect(out).toMatch(new RegExp(`^  ${command}\\b`, "m"));
    }
  });

  it.each([
    ["help run", ["help", "run"]],
    ["run --help", ["run", "--help"]],
    ["run hello -h", ["run", "hello", "-h"]],
  ])("C-59 %s prints the command's own help, the global --root with it", async (_what, argv) => {
    const { exit, out } = await runCli(argv);

    expect(exit).toBe(0);
    expect(out).toContain("--session-path <path>");
    expect(out).toContain("--root <dir>");
  });

  it("C-59 help of an unknown command is a usage error", async () => {
    expect(await runCli(["help", "fly"])).toMatchObject({ exit: 2, out: "" });
  });

  it("C-59 --version prints the version", async () => {
    expect(await runCli(["--version"])).toMatchObject({ exit: 0, out: `${PACKAGE_VERSION}\n`, err: "" });
  });
});

describe("options", () => {
  it("C-59 takes --opt value and --opt=value, --root before and after the command, and ends options at --", async () => {
    const root = aRoot(["order"]);

    const split = await runCli(["--root", root, "run", "--trigger", "mail", "hi"]);
    const joined = await runCli(["run", `--root=${root}`, "--trigger=mail", "--", "--not-a-flag"]);

    expect(split.calls).toContainEqual([
      "send",
      "session-1",
      expect.objectContaining({ trigger: { id: "mail" }, message: "hi" }),
    ]);
    expect(joined.calls).toContainEqual([
      "send",
      "session-1",
      expect.objectContaining({ trigger: { id: "mail" }, message: "--not-a-flag" }),
    ]);
  });
});

describe("the workflow of a command", () => {
  it.each([
    ["the slug", ["run", "order", "look", "it", "up"], ["order", "refund"], "order", "look it up"],
    ["the prompt of the only workflow", ["run", "look", "it", "up"], ["order"], "order", "look it up"],
    ["the slug before the prompt, with one workflow", ["run", "order", "order", "7"], ["order"], "order", "order 7"],
  ])("C-60 the first word is %s", async (_what, argv, slugs, workflow, message) => {
    const { exit, calls, err } = await runCli(argv, { root: aRoot(slugs) });

    expect(exit).toBe(0);
    expect(err).toContain(`workflow   ${workflow}\n`);
    expect(calls).toContainEqual(["send", "session-1", expect.objectContaining({ message })]);
  });

  it.each([
    ["run", ["run", "look it up"]],
    ["decide", ["decide", "nobody", "--to", "done"]],
    ["validate", ["validate"]],
  ])("C-60 %s lists the workflows when there are several and none is named", async (_what, argv) => {
    const { exit, err, opened } = await runCli(argv, { root: aRoot(["order", "refund"]) });

    expect(exit).toBe(2);
    expect(err).toContain("order, refund");
    expect(opened).toBe(0);
  });

  it("C-60 a path in place of a workflow's name is a usage error", async () => {
    const { exit, err } = await runCli(["validate", "workflows/order/"], { root: aRoot(["order"]) });

    expect(exit).toBe(2);
    expect(err).toContain("in place of the path workflows/order/");
  });

  it("C-60 a directory without a workflow.yaml is no workflow", async () => {
    const root = aRoot(["order"], { "workflows/notes/readme.md": "" });

    expect(await runCli(["sessions"], { root })).toMatchObject({ exit: 0 });
  });

  it("C-60 --workflow names it for the commands about sessions", async () => {
    const { exit, err } = await runCli(["sessions", "--workflow", "refund"], { root: aRoot(["order", "refund"]) });

    expect(exit).toBe(0);
    expect(err).toContain("workflow   refund");
  });
});

describe("the header", () => {
  it("C-61 tells workflow, directory and model, and that none is set", async () => {
    const root = aRoot(["order"], { ".env": "ARCHMAX_MODEL=gpt-small\n" });

    const configured = await runCli(["run", "hi"], { root });
    const overridden = await runCli(["run", "hi"], { root, env: { ARCHMAX_MODEL: "gpt-large" } });
    const unset = await runCli(["run", "hi"], { root: aRoot(["order"]) });

    expect(configured.err).toMatch(new RegExp(`^workflow   order\nroot       ${root}\nmodel      gpt-small\n`));
    expect(overridden.err).toContain("model      gpt-large\n");
    expect(unset.err).toContain("ARCHMAX_MODEL is not set");
  });

  it("C-61 a banner comes first on an interactive stderr, unless it is switched off", async () => {
    const root = aRoot(["order"]);
    const banner = `parkway ${PACKAGE_VERSION}\n`;

    expect((await runCli(["sessions"], { root, interactive: true })).err.startsWith(banner)).toBe(true);
    expect((await runCli(["sessions"], { root })).err).not.toContain(banner);
    const off = await runCli(["sessions"], { root, interactive: true, env: { ARCHMAX_CLI_NO_BANNER: "1" } });
    expect(off.err).not.toContain(banner);
  });
});
