/** A case's grades: which model judges, what it is asked, and what its answers come to. */
import { describe, expect, it } from "vitest";
import { createInProcessModel, type ModelSettings } from "../../lib/models/index.js";
import type { RecordedRequest, ServerReply } from "../model-server/index.js";
import { calls, says } from "../turn/support.js";
import { ANSWERS } from "../turn/workflows.js";
import { type Suite, type SuiteOptions, suites } from "./bench.js";

const open = suites();
const isJudges = ({ body }: RecordedRequest) => JSON.stringify(body.messages[0]).includes("You judge whether");
const judged = (suite: Suite) => suite.requests.filter(isJudges);
const asked = (request: RecordedRequest) => JSON.stringify(request.body.messages);

/** A suite of one graded case whose judge answers from a list. */
async function graded(
  judge: readonly ServerReply[],
  { atLeast = 0.7, ...options }: SuiteOptions & { atLeast?: number } = {},
) {
  const left = [...judge];
  const agent = [calls(["ls", { path: "." }]), says("Your refund is declined, sorry.")];
  return open({
    spec: `tests: { judge: {} }\n${ANSWERS}`,
    answer: (request) => (isJudges(request) ? left.shift() : agent.shift()) ?? { status: 500, error: {} },
    cases: {
      "a.test.yaml": `
steps:
  - send: I want my money back.
  - grade: { closedQA: the reply declines politely, atLeast: ${atLeast} }
  - succeeded: true`,
    },
    ...options,
  });
}
const record = async (suite: Suite) => (await suite.one()).records[0]!;

describe("grade", () => {
  it.each([
    [0.7, '{"score": 0.7, "pass": false, "reason": "Polite enough."}', "passed", 0.7],
    [0.7, '{"score": 0.69, "pass": true, "reason": "Not quite."}', "failed", 0.69],
    [1, '{"score": 17}', "passed", 1],
    [0, '{"score": -3}', "passed", 0],
  ])("C-39 at least %s of %s: %s", async (atLeast, text, status, score) => {
    const suite = await graded([says(text)], { atLeast });

    expect(await record(suite)).toMatchObject({ kind: "grade.closedQA", status, score, threshold: atLeast, step: 1 });
  });

  it("C-39 C-47 goes on after a grade that is too low, whose line has the score", async () => {
    const suite = await graded([says('{"score": 0.25, "reason": "Too curt."}')]);
    const { records, verdict } = await suite.one();

    expect(records.map(({ status }) => status)).toEqual(["failed", "passed"]);
    expect(verdict.failures).toEqual(["grade.closedQA: Too curt. (score 0.25 < 0.7)"]);
  });

  it("C-39 fails without a judge in the spec, says to declare one, and goes on", async () => {
    const suite = await graded([], { spec: ANSWERS });
    const { records } = await suite.one();

    expect(records[0]).toMatchObject({ status: "failed", detail: expect.stringContaining("tests: { judge: {} }") });
    expect(records[0]!.score).toBeUndefined();
    expect(records[1]!.status).toBe("passed");
    expect(judged(suite)).toEqual([]);
  });

  it("C-40 shows the judge the record and the reply apart, and says what can be met by which", async () => {
    const suite = await graded([says('{"score": 1}')]);
    await suite.one();
    const [system, question] = judged(suite)[0]!.body.messages.map(({ content }) =>
      typeof content === "string" ? content : (content as { text: string }[]).map(({ text }) => text).join(""),
    );

    expect(question).toContain("the reply declines politely");
    expect(question!.indexOf("- tool call ls (completed)")).toBeGreaterThan(question!.indexOf("## RECORD"));
    expect(question!.indexOf("Your refund is declined, sorry.")).toBeGreaterThan(question!.indexOf("## REPLY"));
    expect(question!.match(/Your refund is declined/g)).toHaveLength(1);
    expect(system).toMatch(/REPLY only.*RECORD only/s);
    expect(judged(suite)[0]!.body.tools).toBeUndefined();
  });

  it("C-41 tolerates prose and fences around the JSON", async () => {
    const suite = await graded([says('Let me think {hard}.\n```json\n{"score": 0.9, "reason": "Good."}\n```')]);

    expect(await record(suite)).toMatchObject({ status: "passed", score: 0.9, detail: "Good." });
  });

  it("C-41 asks exactly once more for JSON only", async () => {
    const suite = await graded([says("It is good."), says('{"score": 0.9}')]);

    expect(await record(suite)).toMatchObject({ status: "passed", score: 0.9 });
    const [first, second] = judged(suite);
    expect(asked(second!)).toContain("It is good.");
    expect(second!.body.messages).toHaveLength(first!.body.messages.length + 2);
  });

  it("C-41 scores 0 with a reason where there is no JSON even then", async () => {
    const suite = await graded([says("Good."), says("Very good."), says('{"score": 1}')]);

    expect(await record(suite)).toMatchObject({ status: "failed", score: 0, detail: expect.stringContaining("JSON") });
    expect(judged(suite)).toHaveLength(2);
  });

  it("C-41 scores 0 with the judge's error as the detail, and goes on", async () => {
    const suite = await graded([{ status: 400, error: { message: "no such model" } }]);
    const { records, error } = await suite.one();

    expect(records[0]).toMatchObject({ status: "failed", score: 0, detail: expect.stringContaining("no such model") });
    expect(records[1]!.status).toBe("passed");
    expect(error).toBeUndefined();
  });

  it("C-42 W-45 judges with the environment's model, tests.judge applied over it", async () => {
    const spec = `tests: { judge: { model: judge-model, modelOptions: { temperature: 0.1, maxTokens: 77 } } }\n${ANSWERS}`;
    const suite = await graded([says('{"score": 1}')], { spec });
    await suite.one();

    expect(judged(suite)[0]!.body).toMatchObject({ model: "judge-model", temperature: 0.1 });
    expect(JSON.stringify(judged(suite)[0]!.body)).toContain("77");
    const settings = `settings: { model: working-model }\ntests: { judge: {} }\n${ANSWERS}`;
    const own = await graded([says('{"score": 1}')], { spec: settings });
    await own.one();
    expect(judged(own)[0]!.body.model).toBe("test-model");
    expect(own.requests[0]!.body.model).toBe("working-model");
  });

  it("C-42 H-133 a scripted model judges too, whatever id tests.judge asks for", async () => {
    const spec = `tests: { judge: { model: judge-model } }\n${ANSWERS}`;
    const suite = await graded([], {
      spec,
      files: { "replies.yaml": '- { role: judge, text: "{\\"score\\": 0.9}" }' },
    });

    const { records } = await suite.one({ env: { ARCHMAX_MODEL: "script:replies.yaml" } });

    expect(records[0]).toMatchObject({ status: "passed", score: 0.9 });
    expect(judged(suite)).toEqual([]);
  });

  it("C-42 H-12 asks the factory for the judge, without an id, with tests.judge applied over the environment", async () => {
    const built: [string, ModelSettings, string | undefined][] = [];
    const spec = `tests: { judge: { model: judge-model } }\nsettings: { model: own }\n${ANSWERS}`;
    const suite = await graded([], { spec });

    const { records } = await suite.one({
      modelFactory: (role, env, requested) => {
        built.push([role, env(), requested]);
        return createInProcessModel({
          model: "mine",
          generate: () => ({ content: role === "judge" ? '{"score":0.8}' : "Declined." }),
        });
      },
    });

    expect(records[0]).toMatchObject({ status: "passed", score: 0.8 });
    const judge = built.filter(([role]) => role === "judge");
    expect(judge).toEqual([["judge", expect.objectContaining({ model: "judge-model" }), undefined]]);
  });
});
