import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parseSpec, specHash } from "../../lib/spec/index.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { aBench, type Bench } from "../harness/agent.js";
import { wrapStore } from "../harness/wrap-store.js";
import { calls, notes, ofType, types } from "./support.js";
import { ANSWERS, always, REVIEWED, toReview, waitForReply } from "./workflows.js";

let bench: Bench;
afterEach(() => bench.close());

/** A code state at the end, and one on the way, each in a state that a failed turn may be retained in. */
const PAYS = `
states:
  ask:
    triggers:
      manual:
      asked: { message: false }
    instructions: Ask.
    transitions: [{ to: pay, description: Pay. }]
  pay:
    type: code
    script: scripts/pay.js
`;

const NOTHING = "export default async function () {}\n";

function edit(spec: string): void {
  writeFileSync(join(bench.rootDir, "workflows/case/workflow.yaml"), spec);
}

describe("where a turn opens", () => {
  it("R-30 W-107 W-108 H-58 opens the next turn where the last one ended, whatever the trigger", async () => {
    bench = await aBench({
      spec: REVIEWED,
      replies: [toReview, { text: "Please." }, { text: "Sent." }, { text: "Again." }],
    });
    const { send, decide } = bench.agent.workflow;
    await send("s1", { message: "Go" });
    await decide("s1", { target: "send" });
    bench.events.length = 0;

    const outcome = await send("s1", { trigger: { id: "nobody" }, message: "More" });

    expect(outcome).toMatchObject({
      kind: "completed",
      state: "send",
      disposition: "turn",
      variables: { trigger: { value: "nobody" } },
    });
    expect(outcome.auditTrail.at(-1)).toMatchObject({ to: "send", kind: "trigger", reason: "nobody" });
    expect(types(bench.events, "workflow-reset", "advance")).toEqual(["advance"]);
  });

  it("R-30 W-108 H-58 opens at the entry after a completed terminal code state, and elsewhere after any other", async () => {
    bench = await aBench({
      spec: PAYS,
      files: { "workflows/case/scripts/pay.js": NOTHING },
      replies: [calls(["archmax_advance", { to: "pay", reason: "All there." }]), { text: "What now?" }],
    });
    const { send } = bench.agent.workflow;
    expect(await send("s1", { message: "Go" })).toMatchObject({ kind: "completed", state: "pay" });
    bench.events.length = 0;

    expect(await send("s1", { message: "More" })).toMatchObject({ kind: "completed", state: "ask" });
    expect(ofType(bench.events, "workflow-reset")).toMatchObject([{ entry: "ask" }]);
  });

  it("R-31 R-45 runs a code state again where it failed, before any model call", async () => {
    bench = await aBench({
      spec: PAYS.replace("type: code\n", "type: code\n    triggers: { paid: }\n"),
      files: {
        "workflows/case/scripts/pay.js":
          'export default ({ tools }) => tools.archmax_raise({ code: "broke", reason: "No money." });\n',
      },
      replies: [],
    });
    const { send } = bench.agent.workflow;

    for (const message of ["Go", "Again"]) {
      const outcome = await send("s1", { message, trigger: { id: "paid" } });
      expect(outcome, outcome.rejected).toMatchObject({ kind: "failed", state: "pay", exit: { code: "broke" } });
    }
    expect(ofType(bench.events, "code-start")).toHaveLength(2);
    expect(bench.requests).toHaveLength(0);
  });

  it("R-30 R-32 F-36 W-52 takes up an edited spec, and opens at the entry where its state is gone", async () => {
    bench = await aBench({
      spec: REVIEWED,
      replies: [toReview, { text: "Please." }, { text: "Sent." }, { text: "Yes." }],
    });
    await bench.agent.workflow.send("s1", { message: "Go" });
    const before = await bench.agent.workflow.decide("s1", { target: "send" });
    edit(ANSWERS);
    const edited = await bench.again();

    const outcome = await edited.workflow.send("s1", { message: "More" });

    expect(before.state).toBe("send");
    expect(outcome).toMatchObject({ kind: "completed", state: "answer" });
    expect(await edited.sessions.get("s1")).toMatchObject({ specHash: edited.workflow.machine.specHash });
  });

  it("R-44 R-99 presents a fresh decision with its handoff at every turn that opens in a human state", async () => {
    bench = await aBench({
      spec: `
states:
  review:
    type: human
    triggers: { manual: }
    instructions: Decide.
    transitions: [{ to: work, description: Go. }]
  work:
    instructions: Work.
`,
      answer: always("Over to you."),
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go" });

    expect(outcome).toMatchObject({ kind: "parked", state: "review", reply: "Over to you.", pending: { seq: 1 } });
    expect(bench.requests).toHaveLength(1);
  });

  it("R-29 opens under `manual`, not under the first that is declared, and refuses where it is not", async () => {
    const spec = ANSWERS.replace("{ manual: }", "{ mail: , manual: }");
    bench = await aBench({ spec, answer: always("Yes.") });
    expect((await bench.agent.workflow.send("s1", { message: "Go" })).variables.trigger?.value).toBe("manual");
    edit(spec.replace(", manual:", ""));

    await expect((await bench.again()).workflow.send("s2", { message: "Go" })).rejects.toMatchObject({
      name: "UnknownTriggerError",
      trigger: "manual",
    });
  });

  it("R-29 H-32 W-99 opens under the assembly's trigger, else `manual`", async () => {
    bench = await aBench({ spec: REVIEWED, answer: always("Yes.") });
    const ordered = await bench.again({ trigger: { id: "ordered" } });

    expect((await bench.agent.workflow.send("s1", { message: "Go" })).variables.trigger?.value).toBe("manual");
    expect((await ordered.workflow.send("s2", {})).variables.trigger?.value).toBe("ordered");
    expect(
      (await ordered.workflow.send("s3", { trigger: { id: "manual" }, message: "Go" })).variables.trigger?.value,
    ).toBe("manual");
  });
});

describe("refused turns", () => {
  const ORDERS = `
states:
  work:
    triggers:
      manual:
        requires: [order, { name: amount, type: integer }]
        returns: [{ name: outcome, type: string }]
      free:
    instructions: Work.
`;

  it("R-34 R-35 R-36 R-37 W-132 rejects without an exception, a model call or a trace in the session", async () => {
    bench = await aBench({ spec: ORDERS, replies: [] });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go", variables: { amount: "4" } });

    expect(outcome).toEqual({
      kind: "rejected",
      disposition: "turn",
      status: "rejected",
      reply: "",
      rejected: expect.stringMatching(/manual.*order.*amount.*integer/s),
      messages: [],
      auditTrail: [],
      variables: {},
    });
    expect(types(bench.events)).toEqual(["graph-topology", "prompt-shaping", "warning"]);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "rejected", classification: "finished" });
  });

  it("R-36 R-37 opens the next turn as if the refusal had not been, with what the session holds already", async () => {
    bench = await aBench({
      spec: ORDERS,
      replies: [
        calls(["archmax_set_variables", { variables: { amount: 3, order: "A", outcome: "ok" } }]),
        { text: "One." },
        { text: "Two." },
      ],
    });
    const { send } = bench.agent.workflow;

    await send("s1", { message: "Go", trigger: { id: "free" } });
    expect(await send("s1", { message: "Go", variables: { amount: "no" } })).toMatchObject({
      kind: "rejected",
      variables: { amount: { value: 3 } },
    });
    expect(await send("s1", { message: "Go" })).toMatchObject({ kind: "completed", reply: "Two." });
  });

  it("R-36 does not re-run a terminal code state after a refusal in between", async () => {
    bench = await aBench({
      spec: PAYS.replace("manual:", "manual: { requires: [order] }"),
      files: { "workflows/case/scripts/pay.js": NOTHING },
      replies: [calls(["archmax_advance", { to: "pay", reason: "All there." }]), { text: "What now?" }],
    });
    const { send } = bench.agent.workflow;
    await send("s1", { trigger: { id: "asked" } });

    expect(await send("s1", { message: "Go" })).toMatchObject({ kind: "rejected", state: "pay" });
    expect(await send("s1", { trigger: { id: "asked" } })).toMatchObject({ kind: "completed", state: "ask" });
    expect(ofType(bench.events, "code-start")).toHaveLength(1);
  });

  it("R-34 W-132 refuses a file that is missing, of another kind or too large, and takes one that fits", async () => {
    bench = await aBench({
      spec: ORDERS.replace(
        "[order, { name: amount, type: integer }]",
        "[{ name: scan, type: file, accept: [.pdf], maxSize: 4B }]",
      ).replace("        returns: [{ name: outcome, type: string }]\n", ""),
      answer: always("Yes."),
    });
    const { send } = bench.agent.workflow;
    const file = (name: string, content: string) => ({ message: "Go", files: { scan: { name, content } } });

    expect(await send("s1", { message: "Go", variables: { scan: "scratchpad/none.pdf" } })).toMatchObject({
      kind: "rejected",
      rejected: expect.stringContaining("none.pdf"),
    });
    expect(await send("s2", file("a.txt", "abc"))).toMatchObject({
      kind: "rejected",
      rejected: expect.stringContaining(".pdf"),
    });
    expect(await send("s3", file("a.pdf", "abcde"))).toMatchObject({
      kind: "rejected",
      rejected: expect.stringContaining("5"),
    });
    expect(await send("s4", file("a.pdf", "abcd"))).toMatchObject({ kind: "completed" });
  });
});

describe("a workflow out of service", () => {
  const off = (spec: string) => `disabled: true\n${spec}`;

  it("R-34 R-35 W-28 H-66 rejects first and further turns and firings, and runs nothing", async () => {
    bench = await aBench({ spec: ANSWERS, answer: always("Yes.") });
    await bench.agent.workflow.send("s1", { message: "Go" });
    edit(off(ANSWERS));
    const { workflow } = await bench.again();
    const again = await bench.again();

    expect(await workflow.send("s1", { message: "More" })).toMatchObject({
      kind: "rejected",
      state: "answer",
      rejected: expect.stringMatching(/case.*disabled/),
    });
    expect(await workflow.send("s2", { message: "Go" })).toMatchObject({ kind: "rejected" });
    await again.accept("s3", { kind: "turn", message: "Go" }, { source: "webhook", key: "d1" });
    const report = await again.work("s3");

    expect(report.settled).toMatchObject([{ outcome: { kind: "rejected" } }]);
    expect(bench.requests).toHaveLength(1);
  });

  it("R-28 W-31 H-66 still takes decisions, replies and deliveries", async () => {
    bench = await aBench({
      spec: REVIEWED,
      replies: [
        toReview,
        { text: "Please." },
        { text: "Short." },
        waitForReply,
        waitForReply,
        toReview,
        { text: "Please." },
        { text: "Sent." },
      ],
    });
    await bench.agent.workflow.send("s1", { message: "Go" });
    edit(off(REVIEWED));
    const { decide, deliver, reply, send, machine } = (await bench.again()).workflow;

    expect(machine.disabled).toBe(true);
    expect(await reply("s1", "How long?")).toMatchObject({ kind: "parked", reply: "Short." });
    expect(await decide("s1", { target: "work" })).toMatchObject({ kind: "parked", parkedChannel: "input" });
    expect(await send("s1", { message: "Here." })).toMatchObject({ disposition: "deliver", parkedChannel: "input" });
    expect(await deliver("s1", { trigger: { id: "x" } })).toMatchObject({ kind: "parked", parkedChannel: "decision" });
    expect(await decide("s1", { target: "send" })).toMatchObject({ kind: "completed", reply: "Sent." });
  });

  it("W-34 opens turns again once the flag is gone", async () => {
    bench = await aBench({ spec: off(ANSWERS), answer: always("Yes.") });
    expect(await bench.agent.workflow.send("s1", { message: "Go" })).toMatchObject({ kind: "rejected" });
    edit(ANSWERS);

    expect(await (await bench.again()).workflow.send("s1", { message: "Go" })).toMatchObject({ kind: "completed" });
  });
});

describe("what a turn is seeded with", () => {
  it("R-38 R-41 H-33 takes the assembly's variables, then the turn's, then the files", async () => {
    bench = await aBench({
      spec: ANSWERS,
      answer: always("Yes."),
      variables: { a: "assembly", b: "assembly", title: " Assembly " },
    });
    bench.events.length = 0;

    const outcome = await bench.agent.workflow.send("s1", {
      message: "Go",
      variables: { b: "turn", title: "Turn" },
      files: { scan: { name: "a.txt", content: "a" } },
    });

    expect(outcome.variables).toEqual({
      a: { value: "assembly", locked: true },
      b: { value: "turn", locked: true },
      scan: { value: "scratchpad/attachments/a.txt", locked: true },
      title: { value: "Turn", locked: false },
      trigger: { value: "manual", locked: true },
    });
    expect(types(bench.events).slice(0, 5)).toEqual([
      "workflow-reset",
      "advance",
      "variables-set",
      "title-set",
      "state-enter",
    ]);
    expect(ofType(bench.events, "variables-set")[0]?.names).toEqual(["a", "b", "title", "scan"]);
  });

  it("R-38 H-33 seeds at every turn that opens, over what the agent had locked", async () => {
    bench = await aBench({
      spec: ANSWERS,
      replies: [
        calls(["archmax_set_variables", { variables: { n: 1 }, lock: true }]),
        { text: "One." },
        { text: "Two." },
      ],
    });
    const { send } = bench.agent.workflow;
    await send("s1", { message: "Go" });

    expect((await send("s1", { message: "More", variables: { n: 2 } })).variables.n).toEqual({
      value: 2,
      locked: true,
    });
  });

  it.each(["A", "1a", "a-b", "", "trigger", "__proto__"])(
    "R-39 H-33 refuses a variable called %j before anything is written",
    async (name) => {
      bench = await aBench({ spec: ANSWERS, replies: [] });
      const variables = Object.fromEntries([[name, 1]]);

      await expect(bench.agent.workflow.send("s1", { message: "Go", variables })).rejects.toMatchObject({
        name: "InvalidVariableNameError",
        variable: name,
      });
      expect(await bench.stores.sessions.read("s1")).toBeNull();
    },
  );

  it("R-39 a title that is none refuses a turn, and is skipped with a warning by a delivery", async () => {
    bench = await aBench({ spec: REVIEWED, replies: [waitForReply, { text: "Yes." }] });
    const { send } = bench.agent.workflow;

    await expect(send("s1", { message: "Go", variables: { title: 5 } })).rejects.toMatchObject({
      name: "InvalidTitleError",
    });
    await send("s1", { message: "Go" });
    const delivered = await send("s1", { message: "Here", variables: { title: 5, n: 1 } });

    expect(delivered).toMatchObject({ disposition: "deliver", variables: { n: { value: 1 } } });
    expect(delivered.variables).not.toHaveProperty("title");
    expect(ofType(bench.events, "warning")).toHaveLength(1);
  });

  it("R-43 opens with a note where the trigger carries no message, and never ends on the agent's words", async () => {
    bench = await aBench({ spec: REVIEWED, answer: always("Yes.") });
    const { send } = bench.agent.workflow;
    await send("s1", { trigger: { id: "ordered" }, variables: { order: "A-7" } });
    const outcome = await send("s1", { trigger: { id: "ordered" } });

    expect(notes(outcome)).toEqual([expect.stringContaining('order = "A-7"'), expect.stringContaining("ordered")]);
    for (const { body } of bench.requests)
      expect(body.messages.filter(({ role }) => role !== "system").at(-1)?.role).toBe("user");
  });

  it("R-40 keeps transcript, variables, trail, usage, todos and files from turn to turn", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
    bench = await aBench({
      spec: ANSWERS,
      replies: [
        {
          ...calls(
            ["archmax_set_variables", { variables: { n: 1 } }],
            ["write_todos", { todos: [{ content: "Think", status: "pending" }] }],
            ["write_file", { file_path: "/scratchpad/a.md", content: "A" }],
          ),
          usage,
        },
        { text: "One.", usage },
        { ...calls(["read_file", { file_path: "/scratchpad/a.md" }]), usage },
        { text: "Two.", usage },
      ],
    });
    const { send } = bench.agent.workflow;
    await send("s1", { message: "Go" });
    const outcome = await send("s1", { message: "More" });

    expect(outcome.variables.n).toEqual({ value: 1, locked: false });
    expect(outcome.usage).toMatchObject({ inputTokens: 40, outputTokens: 4 });
    expect(outcome.auditTrail).toHaveLength(2);
    expect(outcome.messages.at(-2)).toMatchObject({ role: "tool", content: expect.stringContaining("A") });
    expect(outcome.messages.map(({ id }) => id)).toHaveLength(new Set(outcome.messages.map(({ id }) => id)).size);
  });
});

describe("the spec in force", () => {
  it("R-32 R-33 W-52 W-53 H-53 stores it once under its hash before the first model call, without metadata", async () => {
    const written: string[] = [];
    const files = wrapStore(createMemoryFileStore(), (op, run) => {
      if (op.name === "writeShared") written.push(`${String(op.args[0])} before request ${bench.requests.length + 1}`);
      return run();
    });
    const spec = `metadata: { by: me }\ndisabled: false\n${ANSWERS}`;
    bench = await aBench({ spec, answer: always("Yes."), stores: { sessions: createMemorySessionStore(), files } });
    const { send, machine } = bench.agent.workflow;

    await send("s1", { message: "Go" });
    await send("s1", { message: "More" });

    const key = `_specs/${machine.specHash}.json`;
    expect(written).toEqual([`${key} before request 1`]);
    const parsed = parseSpec(spec);
    const stored = new TextDecoder().decode((await files.readShared(key)) ?? undefined);
    expect(stored).toBe(parsed.ok && parsed.specJson);
    expect(`${specHash(JSON.parse(stored))}.json`).toBe(key.slice("_specs/".length));
    expect(await bench.agent.getSpecSnapshot(machine.specHash)).toEqual(
      JSON.parse(JSON.stringify({ disabled: false, states: machine.spec.states })),
    );
    expect(await bench.agent.getSpecSnapshot("0".repeat(64))).toBeNull();
  });

  it("R-33 H-53 W-53 hashes what governs: not key order, metadata, prose or scripts", async () => {
    bench = await aBench({ spec: ANSWERS, replies: [] });
    const hash = bench.agent.workflow.machine.specHash;
    const hashOf = async (spec: string) => {
      edit(spec);
      return (await bench.again()).workflow.machine.specHash;
    };
    writeFileSync(join(bench.rootDir, "workflows/case/WORKFLOW.md"), "Prose.");

    expect(
      await hashOf("metadata: { a: 1 }\nstates: { answer: { instructions: Answer., triggers: { manual: } } }"),
    ).toBe(hash);
    expect(await hashOf(ANSWERS.replace("manual: }", "manual: }\n    metadata: { a: { b: 1 } }"))).toBe(hash);
    for (const changed of [
      ANSWERS.replace("Answer.", "Reply."),
      `title: Answers\n${ANSWERS}`,
      `settings: { model: other }\n${ANSWERS}`,
      `instructions: Be brief.\n${ANSWERS}`,
      `tools: { forbid_always: [ls] }\n${ANSWERS}`,
      ANSWERS.replace("manual: }", "manual: }\n    title: Answer"),
      ANSWERS.replace("manual: }", "manual: }\n    budget: { maxTurns: 3 }"),
      ANSWERS.replace("manual: }", "manual: , mail: }"),
      ANSWERS.replace("manual: }", "manual: { requires: [order] } }"),
      `disabled: true\n${ANSWERS}`,
    ]) {
      expect(changed, changed).not.toBe(ANSWERS);
      expect(await hashOf(changed), changed).not.toBe(hash);
    }
    expect(specHash(bench.agent.workflow.machine.spec)).toBe(hash);
  });

  it("R-32 goes on with a warning where the snapshot cannot be written", async () => {
    const files = wrapStore(createMemoryFileStore(), (op, run) => {
      if (op.name === "writeShared") throw new Error("The disk is full.");
      return run();
    });
    bench = await aBench({
      spec: ANSWERS,
      answer: always("Yes."),
      stores: { sessions: createMemorySessionStore(), files },
    });

    expect(await bench.agent.workflow.send("s1", { message: "Go" })).toMatchObject({ kind: "completed" });
    expect(ofType(bench.events, "warning")).toMatchObject([{ message: expect.stringContaining("The disk is full.") }]);
  });

  it("R-42 F-19 answers the calls of a turn that failed, so that the next one has a valid transcript", async () => {
    bench = await aBench({
      spec: ANSWERS,
      replies: [calls(["ls", { path: "/" }], ["ls", { path: "/" }]), { text: "Yes." }],
    });
    const { send } = bench.agent.workflow;

    await expect(send("s1", { message: "Go" }, { recursionLimit: 1 })).rejects.toMatchObject({
      code: "recursion-limit",
    });
    const outcome = await send("s1", { message: "More" });

    const [, asked, ...rest] = outcome.messages;
    expect(asked?.tool_calls).toHaveLength(2);
    expect(rest.map(({ role, tool_call_id }) => tool_call_id ?? role)).toEqual([
      ...(asked?.tool_calls ?? []).map(({ id }) => id),
      "user",
      "assistant",
    ]);
  });
});
