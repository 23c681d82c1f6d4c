/** The mocks of a case, whoever makes the call, on every turn the case drives. */
import { describe, expect, it } from "vitest";
import { toolsFromMap } from "../../lib/tools/index.js";
import type { RecordedRequest, ServerReply } from "../model-server/index.js";
import { caller, worker, workflow } from "../turn/delegating.js";
import { isGraders } from "../turn/graded.js";
import { advance, calls, says } from "../turn/support.js";
import { suites } from "./bench.js";

const open = suites();

/** A host tool that says when it really ran. */
function payTool() {
  const ran: unknown[] = [];
  const tools = toolsFromMap({
    pay: {
      description: "Pays.",
      inputSchema: { type: "object", properties: { by: { type: "string" } } },
      handler: (input) => {
        ran.push(input);
        return "really paid";
      },
    },
  });
  return { tools, ran };
}

describe("mocks of a case", () => {
  const SPEC = `
settings: { model: caller }
states:
  work:
    triggers: { manual: }
    instructions: Work.
    tools: { allow: [pay, archmax_workflow_child] }
    transitions: [{ to: review }, { to: check, description: Checked. }]
  review:
    type: human
    instructions: Decide.
    transitions: [{ to: pay-out, description: Pay. }]
  pay-out:
    type: code
    script: scripts/pay.js
    tools: { allow: [pay] }
    transitions: [{ to: work, description: Paid. }]
    on_error: work
  check:
    type: grader
    instructions: It is paid.
    tools: { allow: [pay] }
    transitions: [{ to: done, description: Fine. }]
  done:
    instructions: Done.
    tools: { allow: [pay] }
`;
  const SCRIPT = `export default async function ({ tools }) {
  await tools.archmax_set_variables({ variables: { code_said: await tools.pay({ by: "code" }) } });
  await tools.archmax_advance({ to: "work", reason: "paid" });
}`;
  const CHILD = `
settings: { model: child }
states:
  work: { instructions: Pay., triggers: { manual: }, tools: { allow: [pay] } }
`;

  it("C-19 C-18 answer the agent's, a script's, a code state's, a grader's and a child's calls, on send, decide and deliver", async () => {
    const { tools, ran } = payTool();
    const agent = [
      calls(
        ["pay", { by: "agent" }],
        ["archmax_eval", { code: 'await tools.pay({ by: "eval" })' }],
        ["archmax_workflow_child", {}],
      ),
      advance("review"),
      says("Please decide."),
      // After the decision and the code state.
      { text: "I wait.", ...calls(["archmax_wait", { reason: "r" }]) },
      // After the delivery.
      calls(["pay", { by: "delivery" }]),
      advance("check"),
      says("End."),
    ];
    const grader = [calls(["pay", { by: "grader" }]), advance("done")];
    const child = [calls(["pay", { by: "child" }]), says("The child is done.")];
    const answer = (request: RecordedRequest): ServerReply =>
      (isGraders(request) ? grader : request.body.model === "child" ? child : agent).shift()!;
    const suite = await open({
      spec: SPEC,
      target: { tools },
      files: { "workflows/case/scripts/pay.js": SCRIPT, "workflows/child/workflow.yaml": CHILD },
      answer,
      cases: {
        "a.test.yaml": `
mocks: [{ tool: pay, whenInput: { by: "/^(agent|eval|code|grader|child|delivery)$/" }, result: { mocked: yes } }]
steps:
  - send: Go.
  - parked: decision
  - ranWorkflow: { workflow: child, count: 1 }
  - decide: { to: pay-out }
  - parked: input
  - variables: { expect: { code_said: '{"mocked":"yes"}' } }
  - deliver: { trigger: timer }
  - succeeded: true
  - calledTool: { name: pay, input: { by: delivery } }
  - notCalledTool: { name: pay, input: { by: "/eval|code|grader|child/" } }
`,
      },
    });
    const { verdict } = await suite.one();
    const outputs = suite.events.flatMap((event) =>
      event.type === "tool-result" && event.tool === "pay" ? [event.output] : [],
    );

    expect(verdict.failures).toEqual([]);
    expect(ran).toEqual([]);
    expect(outputs).toEqual(Array(6).fill('{"mocked":"yes"}'));
  });

  it("C-18 C-19 leave other calls to the tool, and a refused call is refused, mocked or not", async () => {
    const { tools, ran } = payTool();
    const suite = await open({
      spec: `
tools: { forbid_always: [grep] }
states: { work: { triggers: { manual: }, instructions: Pay., tools: { allow: [pay] } } }`,
      target: { tools },
      replies: [calls(["pay", { by: "agent" }], ["grep", { pattern: "x" }]), says("Done.")],
      cases: {
        "a.test.yaml": `
mocks: [{ tool: pay, whenInput: { by: nobody }, result: m }, { tool: grep, result: m }]
steps: [{ send: Go }, { blockedTool: { name: grep } }, { calledTool: { name: grep } }, { calledTool: { name: pay } }]`,
      },
    });

    expect((await suite.one()).verdict.failures).toEqual([]);
    expect(ran).toEqual([{ by: "agent" }]);
  });

  it("C-19 answer write_todos too, of the agent and of a script, and the list stays", async () => {
    const todos = (content: string) => ({ todos: [{ content, status: "pending" }] });
    const suite = await open({
      spec: "states: { work: { triggers: { manual: }, instructions: Work. } }",
      replies: [
        calls(
          ["write_todos", todos("mine")],
          ["archmax_eval", { code: `await tools.write_todos(${JSON.stringify(todos("its"))})` }],
        ),
        says("Done."),
      ],
      cases: {
        "a.test.yaml": `
mocks: [{ tool: write_todos, result: mocked todos }]
steps: [{ send: Go }, { succeeded: true }, { calledTool: { name: write_todos } }]`,
      },
    });
    const { verdict } = await suite.one();
    const answered = suite.events.flatMap((event) =>
      event.type === "tool-result" && event.tool === "write_todos" ? [event.output] : [],
    );

    expect(verdict.failures).toEqual([]);
    expect(answered).toEqual(["mocked todos", "mocked todos"]);
  });

  it("A-12 A-15 C-35 a guardrail's denial reaches no mock, and counts as blocked", async () => {
    const suite = await open({
      spec: "states: { work: { triggers: { manual: }, instructions: Write. } }",
      target: { guardrails: [({ name }) => (name === "write_file" ? "not today" : undefined)] },
      replies: [calls(["write_file", { file_path: "scratchpad/a.txt", content: "x" }]), says("Done.")],
      cases: {
        "a.test.yaml": `
mocks: [{ tool: write_file, result: mocked }]
steps:
  - send: Go.
  - succeeded: true
  - blockedTool: { name: write_file, input: { file_path: scratchpad/a.txt } }
  - calledTool: { name: write_file }`,
      },
    });

    expect((await suite.one()).verdict.failures).toEqual([]);
    const sent = JSON.stringify(suite.requests[1]!.body.messages);
    expect(sent).toContain("denied: not today");
    expect(sent).not.toContain("mocked");
  });

  it("C-21 change nothing on disk, and match the arguments with references resolved; the transcript keeps them", async () => {
    const suite = await open({
      spec: "states: { work: { triggers: { manual: }, instructions: Write. } }",
      replies: [
        calls(
          ["write_file", { file_path: "scratchpad/${{name}}.txt", content: "x" }],
          ["remove_file", { file_path: "scratchpad/kept.txt" }],
        ),
        says("Done."),
      ],
      cases: {
        "a.test.yaml": `
variables: { name: bill }
workspace: { scratchpad/kept.txt: kept }
mocks:
  - { tool: write_file, whenInput: { file_path: scratchpad/bill.txt }, result: mocked write }
  - { tool: remove_file, result: mocked removal }
steps:
  - send: Go.
  - succeeded: true
  - calledTool: { name: write_file, input: { file_path: "scratchpad/\${{name}}.txt" } }
  - notCalledTool: { name: write_file, input: { file_path: scratchpad/bill.txt } }`,
      },
    });
    const { verdict, sessionId } = await suite.one();
    const sent = JSON.stringify(suite.requests[1]!.body.messages);

    expect(verdict.failures).toEqual([]);
    expect(sent).toContain("mocked write");
    expect(sent).toContain("mocked removal");
    expect((await suite.stores.files.list(sessionId!)).map(({ path }) => path)).toEqual(["scratchpad/kept.txt"]);
  });

  it("C-22 an entry of a workflow's tool stands for the child's end, as declared, with its events and trail step", async () => {
    const suite = await open({
      spec: caller("letters"),
      files: workflow(
        "letters",
        worker("letters", "{ returns: [{ name: total, type: number }, { name: note_text, type: string }] }"),
      ),
      replies: [
        calls(["archmax_workflow_letters", {}, "c1"]),
        says("One."),
        calls(["archmax_workflow_letters", {}, "c2"]),
        says("Two."),
      ],
      cases: {
        "a.test.yaml": `
mocks: [{ tool: archmax_workflow_letters, result: { message: Written., returns: { total: 12 } } }]
steps: [{ send: Go }, { succeeded: true }, { ranWorkflow: { workflow: letters, count: 1 } }]`,
        "b.test.yaml": `
mocks: [{ tool: archmax_workflow_letters, result: { error: The printer is on fire. } }]
steps: [{ send: Go }, { ranWorkflow: { workflow: letters, status: error, count: 1 } }]`,
      },
    });
    const { results } = await suite.run();
    const told = suite.events.filter(({ type }) => type === "sub-workflow-start" || type === "sub-workflow-result");

    expect(results.map(({ verdict }) => verdict.failures)).toEqual([[], []]);
    expect(JSON.stringify(suite.requests[1]!.body.messages)).toContain(
      JSON.stringify('{"message":"Written.","returns":{"total":12,"note_text":null,"note":').slice(1, -1),
    );
    expect(JSON.stringify(suite.requests[3]!.body.messages)).toContain("The printer is on fire.");
    expect(told.map(({ type }) => type)).toEqual([
      "sub-workflow-start",
      "sub-workflow-result",
      "sub-workflow-start",
      "sub-workflow-result",
    ]);
    expect(suite.requests.filter(({ body }) => body.model === "letters")).toEqual([]);
  });

  it("C-20 a document that mocks a control is in error", async () => {
    const suite = await open({
      spec: caller("x"),
      cases: { "a.test.yaml": "mocks: [{ tool: archmax_wait, result: x }]\nsteps: []" },
    });

    expect((await suite.one()).error).toContain("archmax_wait");
  });
});
