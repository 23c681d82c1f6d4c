/** Which model a call of a turn is made with (A-31…A-33, H-15). */
import { describe, expect, it } from "vitest";
import { createInProcessModel } from "../../lib/models/index.js";
import type { Bench } from "../harness/agent.js";
import { byModel, worker, workflow } from "./delegating.js";
import { advance, benches, calls, ofType, says } from "./support.js";

const open = benches();

/** Every source of an id at once: the state's, the agent's, the workflow's. */
const SPEC = `
settings: { model: of-settings }
states:
  plain:
    triggers: { manual: }
    instructions: Work.
    transitions: [{ to: own, description: On. }]
  own:
    model: of-state
    instructions: Work.
    tools: { allow: [archmax_workflow_helper] }
    transitions: [{ to: grade, description: On. }]
  grade:
    type: grader
    instructions: Judge.
    transitions: [{ to: end, description: Fine. }]
  end: { instructions: Close. }
`;

const GRADED = [advance("own"), calls(["archmax_workflow_helper", {}]), advance("grade"), advance("end"), says("end")];

function asked({ requests }: Bench): string[] {
  return requests.map(({ body }) => body.model);
}

describe("the model of a call", () => {
  it("A-4 R-280 H-15 W-166 is the state's, else the agent's, else the workflow's; a child has its own", async () => {
    const bench = await open({
      spec: SPEC,
      files: workflow("helper", worker("of-helper")),
      agents: { case: { model: "of-agent" } },
      answer: byModel({
        "of-agent": [advance("own"), says("end")],
        "of-state": [calls(["archmax_workflow_helper", {}]), advance("grade")],
        "of-helper": [says("helped")],
        "of-settings": [advance("end")],
      }),
    });

    await bench.agent.workflow.send("s1", { message: "Go." });

    expect(asked(bench)).toEqual(["of-agent", "of-state", "of-helper", "of-state", "of-settings", "of-agent"]);
  });

  it("A-4 H-15 is the environment's where nobody names one, and an agent's is above the workflow's alone", async () => {
    const child = { ...workflow("helper", worker("x").replace(/settings.*\n/, "")) };
    const bench = await open({
      spec: SPEC.replace(/settings.*\n/, ""),
      files: child,
      agents: { helper: { model: "of-helpers-agent" } },
      answer: byModel({
        "test-model": [advance("own"), advance("end"), says("end")],
        "of-state": [calls(["archmax_workflow_helper", {}]), advance("grade")],
        "of-helpers-agent": [says("helped")],
      }),
    });

    await bench.agent.workflow.send("s1", { message: "Go." });

    expect(asked(bench)).toEqual([
      "test-model",
      "of-state",
      "of-helpers-agent",
      "of-state",
      "test-model",
      "test-model",
    ]);
  });
});

describe("a per-call model", () => {
  it("A-31 R-280 H-15 serves the turn's agent calls above a state's model; graders, children and the next turn keep theirs", async () => {
    const bench = await open({
      spec: SPEC,
      files: workflow("helper", worker("of-helper")),
      answer: byModel({
        "vendor/Exact:1": [GRADED[0]!, GRADED[1]!, GRADED[2]!, says("end")],
        "of-helper": [says("helped")],
        "of-settings": [advance("end"), says("again")],
      }),
    });

    await bench.agent.workflow.send("s1", { message: "Go." }, { model: "vendor/Exact:1" });
    await bench.agent.workflow.send("s1", { message: "And?" });

    const own = "vendor/Exact:1";
    expect(asked(bench)).toEqual([own, own, "of-helper", own, "of-settings", own, "of-settings"]);
  });

  const PARKING = `
states:
  work:
    triggers: { manual: , called: }
    instructions: Work.
    tools: { allow: [archmax_wait] }
    transitions: [{ to: review, description: To a person. }]
  review: { type: human, instructions: Decide., transitions: [{ to: work, description: Again. }] }
`;

  it("A-31 comes with a decision, a reply and a delivery as with a message", async () => {
    const bench = await open({
      spec: PARKING,
      replies: [
        advance("review"),
        says("Please decide."),
        says("They ask."),
        calls(["archmax_wait", { reason: "a call" }]),
        says("Waiting."),
        says("Called."),
      ],
    });
    const { workflow: flow } = bench.agent;

    await flow.send("s1", { message: "Go." });
    await flow.reply("s1", "How long?", { model: "of-reply" });
    await flow.decide("s1", { target: "work" }, { model: "of-decision" });
    await flow.deliver("s1", { trigger: { id: "called" } }, { model: "of-delivery" });

    expect(asked(bench)).toEqual(["test-model", "test-model", "of-reply", "of-decision", "of-decision", "of-delivery"]);
  });

  it("A-31 S-4 is part of the accepted input: another process goes on with it, and another id is another input", async () => {
    const bench = await open({ spec: PARKING, replies: [advance("review"), says("Please decide."), says("Again.")] });
    const input = { kind: "turn", message: "Go.", model: "asked-for" } as const;
    await bench.agent.accept("s1", input, { key: "k" });

    let left = "handed-over";
    for (; left === "handed-over"; ) left = (await (await bench.again()).work("s1", { drainAt: 0 })).left;

    expect(asked(bench)).toEqual(["asked-for", "asked-for"]);
    const send = bench.agent.workflow.send("s1", { message: "Go." }, { model: "other", idempotencyKey: "k" });
    await expect(send).rejects.toMatchObject({ name: "IdempotencyConflictError" });
  });

  it("A-31 is what a decision at a child's park asks for the caller, not for the child", async () => {
    const bench = await open({
      spec: worker("of-caller").replace("triggers", "tools: { allow: [archmax_workflow_child] }\n    triggers"),
      files: workflow("child", PARKING.replace("states:", "settings: { model: of-child }\nstates:")),
      answer: byModel({
        "of-caller": [calls(["archmax_workflow_child", {}]), says("Please decide.")],
        "of-child": [advance("review"), says("Please decide."), says("child's end")],
        asked: [says("end")],
      }),
    });

    await bench.agent.workflow.send("s1", { message: "Go." });
    const outcome = await bench.agent.workflow.decide("s1", { target: "work" }, { model: "asked" });

    expect(outcome).toMatchObject({ kind: "completed", reply: "end" });
  });

  it("A-33 H-15 H-40 is priced and told under the id of the model that answered", async () => {
    const usage = { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 };
    const bench = await open({
      spec: PARKING,
      pricing: { answered: { input: 1_000_000, output: 0 }, asked: { input: 5_000_000, output: 0 } },
      replies: [{ text: "end", usage, model: "answered" }],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." }, { model: "asked" });

    expect(outcome.usage?.costUsd).toBe(2);
    expect(ofType(bench.events, "model-usage")).toMatchObject([{ model: "answered", costUsd: 2 }]);
  });

  it("A-32 H-12 is built by the factory, also where an explicit model serves the other calls", async () => {
    const built: unknown[] = [];
    const named = (model: string) => createInProcessModel({ model, generate: () => ({ content: model }) });
    const bench = await open({
      spec: PARKING,
      model: await named("explicit"),
      modelFactory: (role, _env, requested) => {
        built.push([role, requested]);
        return named(`made-${requested}`);
      },
    });

    const first = await bench.agent.workflow.send("s1", { message: "Go." }, { model: "asked" });
    const second = await bench.agent.workflow.send("s1", { message: "Go." });

    expect([first.reply, second.reply]).toEqual(["made-asked", "explicit"]);
    expect(built).toEqual([["agent", "asked"]]);
  });

  it("A-32 is refused before anything is accepted where one model instance is all there is", async () => {
    let made = 0;
    const model = await createInProcessModel({ model: "explicit", generate: () => ({ content: `${++made}` }) });
    const bench = await open({ spec: PARKING, model });

    const sent = bench.agent.workflow.send("s1", { message: "Go." }, { model: "asked" });

    await expect(sent).rejects.toMatchObject({
      name: "ModelOverrideUnsupportedError",
      code: "model-override-unsupported",
      model: "asked",
    });
    expect(await bench.stores.sessions.read("s1")).toBeNull();
    expect(made).toBe(0);
  });

  it.each([[""], ["  "], [7], [null]])("A-32 is refused with a TypeError when it is %j", async (model) => {
    const one = await createInProcessModel({ model: "explicit", generate: () => ({ content: "Done." }) });
    for (const bench of [await open({ spec: PARKING, replies: [] }), await open({ spec: PARKING, model: one })]) {
      const sent = bench.agent.workflow.send("s1", { message: "Go." }, { model: model as string });

      await expect(sent).rejects.toThrow(TypeError);
      await expect(sent).rejects.toThrow(/`model` must be the id of a model/);
      expect(await bench.stores.sessions.read("s1")).toBeNull();
    }
  });
});
