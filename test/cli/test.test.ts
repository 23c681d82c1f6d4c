/** `parkway test` over workspaces written for it; test/workflows/cases.test.ts runs the bundled ones. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aRoot, runCli } from "./stage.js";

const DESK = `title: Desk
runtime: { engine: archmax-harness, version: "3" }
instructions: You work the desk.
tests: { judge: {} }
tools: { allow_always: [] }
states:
  answer:
    instructions: Answer the question.
    triggers: { manual: { description: Answers. } }
    on_error: hand-over
    transitions: [{ to: review, description: A person has to look. }]
  review:
    type: human
    instructions: Decide.
    transitions: [{ to: done, type: approve, description: Fine. }]
  done: { instructions: Say goodbye. }
  hand-over: { instructions: Say that a person will answer. }
`;

const PASSES = `title: It answers
description: The answer names the opening hours.
steps:
  - send: When are you open?
  - succeeded: true
  - reply: { includes: from nine }
  - grade: { closedQA: it is friendly, atLeast: 0.5 }
`;
const FAILS = `title: It asks a person
description: The session parks at the review.
steps:
  - send: May I have a refund?
  - parked: { channel: decision, state: review }
  - decide: { to: done }
  - succeeded: true
  - reply: { includes: goodbye }
`;
const SKIPPED = `title: Not yet
description: It waits for the new desk.
skip: the desk is being rebuilt
steps: []
`;

const REPLIES = `replies:
  - text: We are open from nine.
    usage: { inputTokens: 1000, outputTokens: 20 }
  - { role: judge, text: '{"score": 0.8, "reason": "It is."}' }
`;

const SCRIPT = { ARCHMAX_MODEL: "script:replies.yaml" };

function aDesk(cases: Record<string, string>, files: Record<string, string> = {}): string {
  const tests = Object.entries(cases).map(([name, text]) => [`workflows/desk/tests/${name}`, text]);
  return aRoot([], {
    "workflows/desk/workflow.yaml": DESK,
    "replies.yaml": REPLIES,
    ...Object.fromEntries(tests),
    ...files,
  });
}

const ALL = { "hours.test.yaml": PASSES, "more/refund.test.yaml": FAILS, "rebuilt.test.yaml": SKIPPED };

const SLOW_MS = 60_000;

describe("parkway test", { timeout: SLOW_MS }, () => {
  it("C-62 C-63 C-66 tells each case on stderr and the counts on stdout, and exits 1 when one failed", async () => {
    const { exit, out, err } = await runCli(["test"], { root: aDesk(ALL), env: SCRIPT });

    expect({ exit, out }).toEqual({ exit: 1, out: "1 passed, 1 failed, 1 skipped\n" });
    const [header, hours, refund, rebuilt, summary] = err.split(/\n\n/);
    expect(header).toMatch(/^workflow {3}desk\nroot {7}.*\nmodel {6}script:replies\.yaml$/);
    expect(hours!.split("\n")).toEqual([
      "── desk › hours",
      "▶ answer",
      "    “ We are open from nine.",
      expect.stringMatching(/^◀ answer/),
      "✔ hours — It answers",
      "    ⚖ grade.closedQA ████████░░ 0.80 of 0.5 — It is.",
      "tokens     in 1,000 · out 20 · cache r 0/w 0",
    ]);
    expect(refund).toContain("── desk › more/refund\n▶ answer");
    expect(refund).toMatch(
      /✖ more\/refund — It asks a person\n {4}parked: .*\n {4}2 assertion\(s\) not executed\ntokens/,
    );
    expect(rebuilt).toBe("── desk › rebuilt\n○ rebuilt — Not yet (skipped: the desk is being rebuilt)");
    expect(summary).toBe(
      [
        "✔ hours — It answers",
        "✖ more/refund — It asks a person",
        "○ rebuilt — Not yet (skipped: the desk is being rebuilt)",
        "tokens     in 2,000 · out 40 · cache r 0/w 0\n",
      ].join("\n"),
    );
  });

  it("C-58 C-66 --json prints one document with every result", async () => {
    const { exit, out } = await runCli(["test", "desk", "--json"], { root: aDesk(ALL), env: SCRIPT });

    expect(exit).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      workflow: "desk",
      exitCode: 1,
      discovered: 3,
      results: [
        { id: "hours", title: "It answers", verdict: { status: "passed", failures: [] } },
        { id: "more/refund", verdict: { status: "failed" } },
        { id: "rebuilt", skipReason: "the desk is being rebuilt" },
      ],
    });
  });

  it("C-5 C-60 C-66 runs what the filter fits, with the workflow's name or without", async () => {
    const root = aDesk(ALL);

    const named = await runCli(["test", "desk", "hours"], { root, env: SCRIPT });
    const alone = await runCli(["test", "hours"], { root, env: SCRIPT });

    for (const ran of [named, alone]) {
      expect(ran).toMatchObject({ exit: 0, out: "1 passed, 0 failed, 0 skipped\n" });
    }
  });

  it("C-66 a filter that fits nothing exits 1 and says how many there are", async () => {
    const { exit, out, err } = await runCli(["test", "desk", "weather"], { root: aDesk(ALL) });

    expect({ exit, out }).toEqual({ exit: 1, out: "0 passed, 0 failed, 0 skipped\n" });
    expect(err).toContain("no cases matched 'weather' (3 discovered)");
  });

  it("C-52 C-66 a suite without cases warns and exits 0", async () => {
    const { exit, out, err } = await runCli(["test"], { root: aDesk({}) });

    expect({ exit, out }).toEqual({ exit: 0, out: "0 passed, 0 failed, 0 skipped\n" });
    expect(err).toContain("⚠ there are no cases under workflows/desk/tests");
  });

  it("C-49 C-66 a disabled workflow's suite is skipped and exits 0, in JSON too", async () => {
    const root = aDesk(ALL, { "workflows/desk/workflow.yaml": `disabled: true\n${DESK}` });

    const text = await runCli(["test"], { root });
    const json = await runCli(["test", "--json", "nothing"], { root });

    expect(text).toMatchObject({ exit: 0, out: "suite skipped — disabled\n" });
    expect(text.err).not.toContain("▶");
    expect(json.exit).toBe(0);
    expect(JSON.parse(json.out)).toEqual({
      workflow: "desk",
      results: [],
      exitCode: 0,
      discovered: 0,
      skipped: "disabled",
    });
  });

  it("C-4 C-66 a case that does not parse fails, and the others run", async () => {
    const root = aDesk({ "broken.test.yaml": "title: 7\n", "hours.test.yaml": PASSES });

    const { exit, out, err } = await runCli(["test"], { root, env: SCRIPT });

    expect({ exit, out }).toEqual({ exit: 1, out: "1 passed, 1 failed, 0 skipped\n" });
    expect(err).toMatch(/✖ broken\n {4}.*workflows\/desk\/tests\/broken\.test\.yaml/);
  });

  it("C-66 a case that needs a model where none is configured fails and names the settings", async () => {
    const { exit, err } = await runCli(["test"], { root: aDesk({ "refund.test.yaml": FAILS }) });

    expect(exit).toBe(1);
    expect(err).toContain("ARCHMAX_API_KEY");
  });

  it("C-62 --verbose adds one raw line per event", async () => {
    const { err } = await runCli(["test", "--verbose"], { root: aDesk({ "hours.test.yaml": PASSES }), env: SCRIPT });

    expect(err).toMatch(/^\d+ \w+ state-enter test-hours \{"state":"answer"/m);
  });

  it("C-3 C-54 cases whose names differ in a dash and a folder have a session each", async () => {
    const once = PASSES.replace("  - succeeded: true\n", "  - trail: { kind: trigger, count: 1 }\n");
    const root = aDesk({ "a/b.test.yaml": once, "a-b.test.yaml": once });

    const { exit, out } = await runCli(["test", "--json"], { root, env: SCRIPT });

    const ids = (JSON.parse(out).results as { sessionId: string }[]).map(({ sessionId }) => sessionId);
    expect(ids[0]).toBe("test-a-b");
    expect(new Set(ids).size).toBe(2);
    expect(exit).toBe(0);
  });

  it("C-66 leaves no session behind that anybody could wake", async () => {
    const root = aDesk(ALL);
    await runCli(["test"], { root, env: SCRIPT });

    expect(existsSync(join(root, "sessions"))).toBe(false);
  });

  it("C-73 runs with the host tools of parkway.config, which a case may mock", async () => {
    const root = aDesk(
      {
        "mocked.test.yaml": `title: A mocked tool\ndescription: It answers in place of the real one.\nmocks: [{ tool: look_up, result: from ten }]\nsteps:\n  - send: When?\n  - calledTool: { name: look_up }\n  - reply: { includes: done }\n`,
      },
      {
        "workflows/desk/workflow.yaml": DESK.replace("allow_always: []", "allow_always: [look_up]"),
        "parkway.config.mjs":
          `import { defineConfig } from "parkway";\nexport default { tools: [{ name: "look_up", description: "Looks up.", schema: { type: "object", properties: {} }, invoke() { throw new Error("real"); } }] };\n`.replace(
            /^import.*\n/,
            "",
          ),
        "replies.yaml": `replies:\n  - { when: { after: look_up, contains: from ten }, text: done }\n  - { toolCalls: [{ name: look_up }] }\n`,
      },
    );

    expect(await runCli(["test"], { root, env: SCRIPT })).toMatchObject({ exit: 0 });
  });

  it.each([
    ["C-74 both ways at once", ["test", "desk", "--record", "--live"], "not both"],
    ["C-58 two filters", ["test", "one", "two"], "one filter at most"],
    ["C-58 one word too many", ["test", "desk", "one", "two"], "too many arguments"],
  ])("%s is a usage error", async (_what, argv, says) => {
    const { exit, out, err } = await runCli(argv, { root: aDesk(ALL) });

    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toContain(says);
  });

  it("C-65 Ctrl-C stops the running case: turn-cancelled, exit 130, no results", async () => {
    const controller = new AbortController();
    const { createInProcessModel } = await import("../../lib/models/index.js");
    const root = aDesk({ "hours.test.yaml": PASSES }, { "parkway.config.mjs": CONFIG });
    const pressed = createInProcessModel({
      model: "slow",
      generate() {
        controller.abort(new Error("cancelled from the terminal"));
        return new Promise(() => {});
      },
    });

    const { exit, out, err } = await withModel(pressed, () => runCli(["test"], { root, signal: controller.signal }));

    expect({ exit, out }).toEqual({ exit: 130, out: "" });
    expect(err).toContain("turn-cancelled");
  });
});

describe("parkway test with cassettes", { timeout: SLOW_MS }, () => {
  it("C-74 --record asks the model once, a run without options asks none, and --live asks it again", async () => {
    const root = aDesk({ "hours.test.yaml": PASSES });

    const recorded = await runCli(["test", "--record"], { root, env: SCRIPT });
    const replayed = await runCli(["test"], { root });
    const live = await runCli(["test", "--live"], { root });

    expect(recorded).toMatchObject({ exit: 0, out: "1 passed, 0 failed, 0 skipped\n" });
    expect(recorded.err).toContain("recorded 2 exchanges in workflows/desk/tests/hours.cassette.yaml");
    expect(replayed).toMatchObject({ exit: 0, out: "1 passed, 0 failed, 0 skipped\n" });
    expect(replayed.err).toContain("── desk › hours (recorded replies)\n");
    expect(recorded.err + live.err).not.toContain("(recorded replies)");
    expect(replayed.err).toContain("⚖ grade.closedQA ████████░░ 0.80 of 0.5");
    expect(replayed.err).toContain("tokens     in 1,000 · out 20");
    expect(live.exit).toBe(1);
    expect(live.err).toContain("ARCHMAX_API_KEY");
  });

  it("C-45 C-74 a changed instruction fails the case with the request's difference", async () => {
    const root = aDesk({ "hours.test.yaml": PASSES });
    await runCli(["test", "--record"], { root, env: SCRIPT });
    const changed = aDesk(
      { "hours.test.yaml": PASSES, "hours.cassette.yaml": cassetteIn(root) },
      { "workflows/desk/workflow.yaml": DESK.replace("Answer the question.", "Answer the question in verse.") },
    );

    const { exit, out, err } = await runCli(["test", "--json"], { root: changed });

    expect(exit).toBe(1);
    const [result] = JSON.parse(out).results;
    expect(result.error).toContain("-Answer the question.\n+Answer the question in verse.");
    expect(result.verdict.failures[0]).toBe(result.error);
    expect(result.records.map(({ status }: { status: string }) => status)).toEqual(Array(3).fill("not-executed"));
    expect(err).toContain("      -Answer the question.\n      +Answer the question in verse.\n");
  });

  it("C-45 C-74 a changed question that a way out of errors survives ends the case all the same", async () => {
    const graded = `title: Desk
runtime: { engine: archmax-harness, version: "3" }
instructions: You work the desk.
states:
  answer:
    instructions: Answer.
    triggers: { manual: { description: Answers. } }
    transitions: [{ to: check, description: Answered. }]
  check:
    type: grader
    instructions: Is it friendly?
    on_error: filed
    transitions: [{ to: filed, description: It is. }]
  filed: { type: code, script: scripts/file.js }
`;
    const files = {
      "hours.test.yaml": "title: Filed\ndescription: It is filed.\nsteps:\n  - send: When?\n  - succeeded: true\n",
    };
    const script = { "workflows/desk/scripts/file.js": "export default async function () {}\n" };
    const replies = `replies:
  - { role: grader, toolCalls: [{ name: archmax_advance, args: { to: filed, reason: It is. } }] }
  - { toolCalls: [{ name: archmax_advance, args: { to: check, reason: Answered. } }] }
`;
    const root = aDesk(files, { ...script, "workflows/desk/workflow.yaml": graded, "replies.yaml": replies });
    expect(await runCli(["test", "--record"], { root, env: SCRIPT })).toMatchObject({ exit: 0 });
    const changed = aDesk(
      { ...files, "hours.cassette.yaml": cassetteIn(root) },
      { ...script, "workflows/desk/workflow.yaml": graded.replace("Is it friendly?", "Is it short?") },
    );

    const { exit, out, err } = await runCli(["test", "--json"], { root: changed });

    expect(exit).toBe(1);
    expect(err).toContain("↯ on_error → filed");
    const [{ error, records }] = JSON.parse(out).results;
    expect(error).toContain("-Is it friendly?\n+Is it short?");
    expect(records).toMatchObject([{ kind: "succeeded", status: "not-executed" }]);
  });

  it("C-45 C-74 a case that asks less than was recorded fails the run, though its assertions pass", async () => {
    const root = aDesk({ "hours.test.yaml": `${PASSES}  - send: And on Sundays?\n` });
    await runCli(["test", "--record"], { root, env: SCRIPT });
    const shorter = aDesk({ "hours.test.yaml": PASSES, "hours.cassette.yaml": cassetteIn(root) });

    const { exit, out, err } = await runCli(["test", "--json"], { root: shorter });

    expect([exit, JSON.parse(out).exitCode]).toEqual([1, 1]);
    expect(err).toContain("an exchange that was not asked for");
  });

  it("C-74 a case that cannot be recorded keeps its cassette and makes the run exit 1", async () => {
    const root = aDesk({ "hours.test.yaml": PASSES, "hours.cassette.yaml": "before" });

    const { exit, err } = await runCli(["test", "--record"], {
      root,
      env: { ...SCRIPT, DESK_TOKEN: "We are open from nine." },
    });

    expect(exit).toBe(1);
    expect(err).toContain("⚠ workflows/desk/tests/hours.cassette.yaml was not recorded:");
    expect(err).toContain("the value of DESK_TOKEN");
    expect(cassetteIn(root)).toBe("before");
  });

  it("C-65 C-74 Ctrl-C while recording keeps what was recorded, and the cassette of the case it ends", async () => {
    const controller = new AbortController();
    const { createInProcessModel } = await import("../../lib/models/index.js");
    const withoutJudge = PASSES.replace(/ {2}- grade.*\n/, "");
    const root = aDesk(
      { "hours.test.yaml": withoutJudge, "later.test.yaml": withoutJudge, "later.cassette.yaml": "before" },
      { "parkway.config.mjs": CONFIG },
    );
    let asked = 0;
    const model = createInProcessModel({
      model: "pressed at the second call",
      generate() {
        asked += 1;
        if (asked === 1) return { content: "Open from nine." };
        controller.abort(new Error("cancelled from the terminal"));
        return new Promise(() => {});
      },
    });

    const ran = await withModel(model, () => runCli(["test", "--record"], { root, signal: controller.signal }));

    expect(ran).toMatchObject({ exit: 130, out: "" });
    expect(cassetteIn(root)).toContain("text: Open from nine.");
    expect(cassetteIn(root, "later")).toBe("before");
  });

  it("C-74 records and replays what children ask, those that run at once too", async () => {
    const root = aDesk(
      {
        "two.test.yaml":
          "title: Two children\ndescription: Both are asked.\nsteps:\n  - send: Ask both.\n  - succeeded: true\n  - ranWorkflow: { workflow: clerk, count: 2 }\n",
      },
      {
        "workflows/desk/workflow.yaml": DESK.replace("allow_always: []", "allow_always: [archmax_workflow_clerk]"),
        "workflows/clerk/workflow.yaml": `title: Clerk
runtime: { engine: archmax-harness, version: "3" }
instructions: You are a clerk.
states:
  look:
    instructions: Say what you see.
    triggers: { manual: { description: Looks., requires: [{ name: where, type: string }] } }
`,
        "replies.yaml": `replies:
  - { when: { state: look }, text: I see a lamp. }
  - { when: { after: archmax_workflow_clerk }, text: Both see a lamp. }
  - toolCalls:
      - { name: archmax_workflow_clerk, args: { where: left } }
      - { name: archmax_workflow_clerk, args: { where: right } }
`,
      },
    );

    const recorded = await runCli(["test", "desk", "--record"], { root, env: SCRIPT });
    const replayed = await runCli(["test", "desk"], { root });

    expect([recorded.exit, recorded.err]).toEqual([0, expect.stringContaining("recorded 4 exchanges")]);
    expect(replayed).toMatchObject({ exit: 0, out: "1 passed, 0 failed, 0 skipped\n" });
  });

  it("C-74 records with the host's own models", async () => {
    const withoutJudge = PASSES.replace(/ {2}- grade.*\n/, "");
    const root = aDesk({ "hours.test.yaml": withoutJudge }, { "parkway.config.mjs": CONFIG });
    const { scriptedModel } = await import("../../lib/models/index.js");

    const recorded = await withModel(scriptedModel(["Open from nine."]), () => runCli(["test", "--record"], { root }));

    expect(recorded.exit).toBe(0);
    expect(cassetteIn(root)).toContain("text: Open from nine.");
    expect(await runCli(["test"], { root })).toMatchObject({ exit: 0 });
  });
});

describe("parkway test --junit", () => {
  it("C-74 writes the suite for CI: passed, failed, died and skipped", async () => {
    const root = aDesk({ ...ALL, "broken.test.yaml": "title: <7>\n" });

    await runCli(["test", "--junit", "reports/desk.xml"], { root, env: SCRIPT });

    const xml = readFileSync(join(root, "reports/desk.xml"), "utf8").replace(/ time="[\d.]+"/g, "");
    expect(xml).toContain('<testsuite name="desk" tests="4" failures="1" errors="1" skipped="1"');
    expect(xml).toContain(
      '<testcase classname="desk.hours" name="It answers" file="workflows/desk/tests/hours.test.yaml"/>',
    );
    expect(xml).toMatch(/classname="desk\.broken" name="broken"[^>]*>\s*<error message="[^"]*broken\.test\.yaml/);
    expect(xml).toMatch(/classname="desk\.more\.refund"[^>]*>\s*<failure message="parked: [^"]*" type="assertion">/);
    expect(xml).toMatch(/classname="desk\.rebuilt"[^>]*>\s*<skipped\/>\s*<system-out>.*the desk is being rebuilt/);
  });
});

function cassetteIn(root: string, name = "hours"): string {
  return readFileSync(join(root, `workflows/desk/tests/${name}.cassette.yaml`), "utf8");
}

/** A configuration whose models are those of `withModel`. */
const CONFIG = "export default { modelFactory: () => globalThis.modelOfTheDesk };\n";

async function withModel<Result>(model: Promise<unknown>, run: () => Promise<Result>): Promise<Result> {
  Object.assign(globalThis, { modelOfTheDesk: await model });
  try {
    return await run();
  } finally {
    Object.assign(globalThis, { modelOfTheDesk: undefined });
  }
}
