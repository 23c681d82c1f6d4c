/** What a case starts with: its trigger, variables, files, clock and mocks, refused before anything is driven. */
import { describe, expect, it } from "vitest";
import { createAgent } from "../../lib/agent.js";
import { fileStoreBackend } from "../../lib/workspace/index.js";
import { sharedSandbox } from "../harness/agent.js";
import { advance, calls, says } from "../turn/support.js";
import { ANSWERS, always, REVIEWED } from "../turn/workflows.js";
import { type Suite, suites } from "./bench.js";

const open = suites();
const answer = always("Hello there.");
const SEND = 'steps: [{ send: "Hi" }, { succeeded: true }]';

const TRIGGERED = `
states:
  work:
    triggers:
      ordered: { session: order.id, requires: [{ name: order, type: object }, { name: title_text, type: string }] }
    instructions: Work on it.
`;

const stateOf = async (suite: Suite, sessionId: string | undefined) => {
  const agent = await createAgent({
    workflow: "case",
    workspace: { rootDir: suite.rootDir },
    stores: suite.stores,
    env: suite.env,
    onEvent: () => {},
    sandboxRuntime: sharedSandbox(),
  });
  const summary = await agent.sessions.get(sessionId ?? "");
  const trail = await agent.sessions.trail(sessionId ?? "");
  await agent.close();
  return { summary, trail };
};

describe("trigger and variables", () => {
  it("C-10 C-11 sends with the case's trigger, and its variables satisfy requires, references and are locked", async () => {
    const suite = await open({
      spec: TRIGGERED,
      replies: [
        calls(
          ["archmax_set_variables", { variables: { title_text: "other" } }],
          ["write_file", { file_path: "scratchpad/a.txt", content: "order ${{order.id}}" }],
        ),
        { text: "Done." },
      ],
      cases: {
        "a.test.yaml": `
trigger: { id: ordered }
variables: { order: { id: N-1 }, title_text: lamp, title: Lamp N-1 }
steps:
  - send: Look.
  - triggerArrival: ordered
  - variables: { expect: { order: { id: N-1 }, title_text: lamp }, locked: true }
  - variables: { expect: { title: Lamp N-1 }, locked: false }
  - calledTool: { name: write_file, input: { content: "order \${{order.id}}" } }
`,
      },
    });
    const result = await suite.one();

    expect(result.verdict).toEqual({ status: "passed", failures: [] });
    const sent = JSON.stringify(suite.requests[1]!.body.messages);
    expect(sent).toContain("locked");
    const area = fileStoreBackend(suite.stores.files, result.sessionId!);
    expect((await area.readRaw("/scratchpad/a.txt")).data?.content).toBe("order N-1");
  });

  it("C-10 fails a case whose trigger is unknown, naming the declared ones, even without steps", async () => {
    const suite = await open({
      spec: TRIGGERED,
      answer,
      cases: { "a.test.yaml": "trigger: { id: other }\nworkspace: { a.txt: A }", "b.test.yaml": SEND },
    });
    const { results } = await suite.run();

    for (const { error, verdict, sessionId } of results) {
      expect(error).toContain("ordered");
      expect(verdict).toEqual({ status: "failed", failures: [error] });
      expect(await suite.stores.files.list(sessionId!)).toEqual([]);
    }
    expect(results[1]!.error).toContain("manual");
    expect(results[1]!.records).toEqual([{ kind: "succeeded", status: "not-executed", threshold: null, step: 1 }]);
    expect(suite.requests).toEqual([]);
  });

  it("C-10 sends with the manual trigger where the case names none, whatever the agent's own default is", async () => {
    const spec = ANSWERS.replace("{ manual: }", "{ manual: , other: }");
    const suite = await open({
      spec,
      answer,
      target: { trigger: { id: "other" } },
      cases: { "a.test.yaml": 'steps: [{ send: "Hi" }, { triggerArrival: manual }]' },
    });

    expect((await suite.one()).verdict.failures).toEqual([]);
  });
});

describe("workspace", () => {
  it("C-13 writes text verbatim, other values as pretty JSON and files below tests/ byte for byte", async () => {
    const bytes = new Uint8Array([0, 255, 13, 10, 0xef, 0xbb, 0xbf]);
    const suite = await open({
      spec: ANSWERS,
      answer,
      files: {
        "workflows/case/tests/fixtures/blob.bin": bytes,
        "workflows/case/tests/fixtures/pic.png": bytes,
        "workflows/case/tests/fixtures/a.txt": "text\r\n",
      },
      cases: {
        "deep/a.test.yaml": `
workspace:
  note.md: "as it\\nis "
  report.pdf: plain text
  order.json: { id: 1, lines: [a] }
  scratchpad/list.json: [1, 2]
  both.json: { from: fixtures/a.txt, and: more }
  scratchpad/x/blob.bin: { from: fixtures/blob.bin }
  pic.png: { from: fixtures/pic.png }
  a.txt: { from: fixtures/a.txt }
${SEND}`,
      },
    });
    const { sessionId, verdict } = await suite.one();
    const read = async (path: string) => (await suite.stores.files.read(sessionId!, path))?.bytes;
    const text = async (path: string) => new TextDecoder().decode(await read(path));

    expect(verdict.failures).toEqual([]);
    expect(await text("note.md")).toBe("as it\nis ");
    expect(await text("report.pdf")).toBe("plain text");
    expect(await text("order.json")).toBe('{\n  "id": 1,\n  "lines": [\n    "a"\n  ]\n}\n');
    expect(await text("scratchpad/list.json")).toBe("[\n  1,\n  2\n]\n");
    expect(JSON.parse(await text("both.json"))).toEqual({ from: "fixtures/a.txt", and: "more" });
    expect(await read("scratchpad/x/blob.bin")).toEqual(bytes);
    expect(await read("pic.png")).toEqual(bytes);
    expect(await text("a.txt")).toBe("text\r\n");
  });

  it.each([
    ["a missing fixture", "{ a.txt: A, b.txt: { from: fixtures/none.txt } }", "fixtures/none.txt"],
    ["a place in a mount", "{ a.txt: A, AGENTS.md: B }", "AGENTS.md"],
    ["a place in a mounted folder", "{ a.txt: A, skills: B }", "skills"],
  ])("C-13 fails a case for %s, with nothing written and nothing driven", async (_what, workspace, named) => {
    const suite = await open({
      spec: ANSWERS,
      answer,
      files: { "AGENTS.md": "# Agents", "skills/s/SKILL.md": "---\ndescription: d\n---\n" },
      cases: { "a.test.yaml": `workspace: ${workspace}\n${SEND}` },
    });
    const { sessionId, error, verdict } = await suite.one();

    expect(error).toContain(named);
    expect(verdict.status).toBe("failed");
    expect(await suite.stores.files.list(sessionId!)).toEqual([]);
    expect(suite.requests).toEqual([]);
  });

  it("C-14 refuses a case with files on a target that cannot write them, and runs one without", async () => {
    const suite = await open({
      spec: ANSWERS,
      answer,
      cases: { "a.test.yaml": `workspace: { a.txt: A }\n${SEND}`, "b.test.yaml": SEND },
    });
    const agent = await createAgent({
      workflow: "case",
      workspace: { rootDir: suite.rootDir },
      stores: suite.stores,
      env: suite.env,
      onEvent: () => {},
      sandboxRuntime: sharedSandbox(),
    });
    const createTarget = { ...agent, sessions: { ...agent.sessions, seed: undefined as never } };

    const { results } = await suite.run({ createTarget });

    expect(results[0]!.error).toContain("its target has no `sessions.seed`");
    expect(results.map(({ verdict }) => verdict.status)).toEqual(["failed", "passed"]);
    await agent.close();
  });
});

describe("clock", () => {
  const DELEGATES = `
states:
  work:
    triggers: { manual: , again: }
    instructions: Work or wait.
    tools: { allow: [archmax_workflow_child] }
    transitions: [{ to: check, description: Checked. }]
  check:
    type: grader
    instructions: Check it.
    transitions: [{ to: done, description: Fine. }]
  done:
    instructions: Done.
`;
  const asked = (suite: Suite) =>
    suite.requests.map(({ body }) => /It is (\w+, [\d-]+ [\d:]+)/.exec(JSON.stringify(body))?.[1]);

  it("C-12 is stated to every model call of the case: after a park, to a grader and to a child", async () => {
    const suite = await open({
      spec: DELEGATES,
      files: { "workflows/child/workflow.yaml": ANSWERS },
      target: { clock: "2020-01-01" },
      replies: [
        { toolCalls: [{ name: "archmax_workflow_child", args: {} }] },
        { text: "The child." },
        { text: "I wait.", toolCalls: [{ name: "archmax_wait", args: { reason: "r" } }] },
        { toolCalls: [{ name: "archmax_advance", args: { to: "check", reason: "r" } }] },
        { toolCalls: [{ name: "archmax_advance", args: { to: "done", reason: "r" } }] },
        { text: "Done." },
        { text: "Hello." },
      ],
      cases: {
        "a.test.yaml": `
clock: "2026-03-20T09:38:00+01:00"
steps: [{ send: Hi }, { parked: input }, { deliver: { trigger: again } }, { succeeded: true }]`,
      },
    });
    const { verdict } = await suite.one();

    expect(verdict.failures).toEqual([]);
    expect(new Set(asked(suite))).toEqual(new Set(["Friday, 2026-03-20 08:30"]));
    expect(suite.requests.length).toBe(6);
  });

  it("C-12 is stated where a session hands over to a person, and where it answers one", async () => {
    const suite = await open({
      spec: REVIEWED,
      replies: [advance("review"), says("Please decide."), says("The lamp.")],
      cases: {
        "a.test.yaml": `
clock: "2026-03-20T09:38:00Z"
steps: [{ send: Go }, { parked: decision }, { send: Which one? }, { reply: { includes: The lamp. } }]`,
      },
    });

    expect((await suite.one()).verdict.failures).toEqual([]);
    expect(asked(suite)).toEqual(Array(3).fill("Friday, 2026-03-20 09:30"));
  });

  it("C-12 leaves the sandbox's Date as it is", async () => {
    const suite = await open({
      spec: ANSWERS,
      replies: [calls(["archmax_eval", { code: "new Date().getUTCFullYear()" }]), says("Done.")],
      cases: { "a.test.yaml": `clock: "1999-03-20"\n${SEND}` },
    });

    expect((await suite.one()).verdict.failures).toEqual([]);
    const real = new Date(suite.clock.now()).getUTCFullYear();
    expect(suite.events.flatMap((event) => (event.type === "tool-result" ? [event.output] : []))).toEqual([
      expect.stringContaining(String(real)),
    ]);
  });

  it("C-12 is a day at midnight, the real time where it is empty, and the agent's own where the case has none", async () => {
    const suite = await open({
      spec: ANSWERS,
      answer,
      target: { clock: "2020-01-01" },
      cases: {
        "a.test.yaml": `clock: "2026-03-20"\n${SEND}`,
        "b.test.yaml": `clock: ""\n${SEND}`,
        "c.test.yaml": SEND,
        "d.test.yaml": `clock: tomorrow\n${SEND}`,
      },
    });
    const { results } = await suite.run();
    const real = new Date(suite.clock.now()).toISOString().slice(0, 10);

    expect(asked(suite)).toEqual([
      "Friday, 2026-03-20 00:00",
      expect.stringContaining(real),
      "Wednesday, 2020-01-01 00:00",
    ]);
    expect(results[3]!.error).toContain("tomorrow");
    const { trail } = await stateOf(suite, results[0]!.sessionId);
    expect(trail[0]!.ts).toBe(suite.clock.now());
  });
});

describe("mocks", () => {
  it("C-23 refuses a case with mocks on a target that answers none, before files are written or anything is driven", async () => {
    const suite = await open({
      spec: ANSWERS,
      answer,
      cases: {
        "a.test.yaml": `workspace: { a.txt: A }\nmocks: [{ tool: ls, result: "" }]\n${SEND}`,
        "b.test.yaml": SEND,
        "c.test.yaml": `mocks: []\n${SEND}`,
      },
    });
    const target = await createAgent({
      workflow: "case",
      workspace: { rootDir: suite.rootDir },
      stores: suite.stores,
      env: suite.env,
      onEvent: () => {},
      sandboxRuntime: sharedSandbox(),
    });
    const { results } = await suite.run({ createTarget: target });

    expect(results[0]!.error).toContain("createToolMockMiddleware()");
    expect(results.map(({ verdict }) => verdict.status)).toEqual(["failed", "passed", "passed"]);
    expect(await suite.stores.files.list(results[0]!.sessionId!)).toEqual([]);
    expect(suite.requests).toHaveLength(2);
    await target.close();
  });

  it("C-23 runs mocks on a target that says itself that it intercepts", async () => {
    const suite = await open({
      spec: ANSWERS,
      replies: [{ toolCalls: [{ name: "ls", args: { path: "." } }] }, { text: "Done." }],
      cases: {
        "a.test.yaml": "mocks: [{ tool: ls, result: mocked }]\nsteps: [{ send: Hi }, { succeeded: true }]",
      },
    });
    const agent = await createAgent({
      workflow: "case",
      workspace: { rootDir: suite.rootDir },
      stores: suite.stores,
      env: suite.env,
      onEvent: () => {},
      sandboxRuntime: sharedSandbox(),
    });
    const target = { ...agent, capabilities: { toolMocks: true, subWorkflows: true } };

    expect((await suite.one({ createTarget: target })).verdict.failures).toEqual([]);
    expect(JSON.stringify(suite.requests[1]!.body.messages)).toContain("mocked");
    await agent.close();
  });
});
