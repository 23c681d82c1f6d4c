/** Root keys that bound or shape a run, and those that never do. */
import { describe, expect, it } from "vitest";
import { toolsFromMap } from "../../lib/tools/index.js";
import type { BenchOptions } from "../harness/agent.js";
import { benches, calls, notes, ofType, results, says } from "./support.js";
import { ANSWERS, REVIEWED, toReview } from "./workflows.js";

const open = benches();

describe("settings.timeoutMs", () => {
  const SPEC = `
settings: { timeoutMs: 1200 }
states:
  work:
    triggers: { manual: }
    instructions: Work.
    tools: { allow: [pause] }
    transitions: [{ to: compute, description: Done. }]
  compute: { type: code, script: scripts/c.js, on_error: failed, tools: { allow: [pause] }, transitions: [{ to: done }] }
  done: { instructions: Close. }
  failed: { instructions: Say so. }
`;
  const pause = toolsFromMap({
    pause: {
      description: "Waits.",
      inputSchema: { type: "object", properties: { ms: { type: "number" } } },
      handler: ({ ms }) => new Promise((done) => setTimeout(done, Number(ms), "rested")),
    },
  });
  const script = (ms: number) =>
    `export default async function ({ tools }) { await tools.pause({ ms: ${ms} }); await tools.pause({ ms: ${ms} }); await tools.archmax_advance({ to: "done", reason: "r" }); }\n`;
  /** The model and the agent's tool each take longer than the bound; each of the script's two pauses takes `inScript` ms. */
  const run = async (inScript: number) => {
    const bench = await open({
      spec: SPEC,
      files: { "workflows/case/scripts/c.js": script(inScript) },
      tools: pause,
      replies: [
        { ...calls(["pause", { ms: 1300 }]), delayMs: 1300 },
        calls(["archmax_advance", { to: "compute", reason: "r" }]),
        says("end"),
      ],
    });
    return bench.agent.workflow.send("s1", { message: "Go" });
  };

  it("W-39 bounds neither a model call, nor an agent's tool call, nor the turn", async () => {
    const outcome = await run(1);

    expect(outcome).toMatchObject({ kind: "completed", state: "done" });
    expect(results(outcome)[0]).toMatchObject({ text: "rested", status: "success" });
  });

  it("W-39 bounds a code state's script as a whole", async () => {
    expect(await run(1000)).toMatchObject({ kind: "completed", state: "failed" });
  });
});

describe("settings.prompt_cache", () => {
  const own = (cache: string) => `settings: { prompt_cache: ${cache} }\n${ANSWERS}`;

  it.each<[string, Partial<BenchOptions>, Record<string, string>, string]>([
    ["nothing said", { spec: ANSWERS }, {}, "5m"],
    ["the environment", { spec: ANSWERS }, { ARCHMAX_PROMPT_CACHE_TTL: "1h" }, "1h"],
    ["the environment, off", { spec: ANSWERS }, { ARCHMAX_PROMPT_CACHE: "false" }, "off"],
    ["the document over the environment", { spec: own("{ enabled: true }") }, { ARCHMAX_PROMPT_CACHE: "false" }, "5m"],
    [
      "the document's time over the environment's",
      { spec: own("{ ttl: 5m }") },
      { ARCHMAX_PROMPT_CACHE_TTL: "1h" },
      "5m",
    ],
    ["each field by itself", { spec: own("{ enabled: true }") }, { ARCHMAX_PROMPT_CACHE_TTL: "1h" }, "1h"],
    ["the host's time over the document's", { spec: own("{ ttl: 1h }"), promptCache: { ttl: "5m" } }, {}, "5m"],
    [
      "the host over both",
      { spec: own("{ ttl: 5m }"), promptCache: { enabled: false } },
      { ARCHMAX_PROMPT_CACHE: "true" },
      "off",
    ],
  ])("W-41 R-282 H-39 is decided by %s, and changes no text, tool or verdict", async (_what, options, env, cache) => {
    const replies = [calls(["write_file", { file_path: "a", content: "x" }]), says("Yes.")];
    const plain = await open({ spec: ANSWERS, replies });
    const bench = await open({ replies, ...options });
    const models = { ARCHMAX_PROVIDER: "bedrock", ARCHMAX_MODEL: "anthropic.claude-sonnet-4-5" };
    const events: Parameters<NonNullable<BenchOptions["onEvent"]>>[0][] = [];
    await bench.again({ env: { ...models, ...env }, onEvent: (event) => events.push(event) });
    await plain.agent.workflow.send("s1", { message: "Go" });
    await bench.agent.workflow.send("s1", { message: "Go" });

    expect(ofType(events, "prompt-shaping")).toMatchObject([{ cache }]);
    expect(bench.requests.map(({ body }) => [body.messages, body.tools])).toEqual(
      plain.requests.map(({ body }) => [body.messages, body.tools]),
    );
  });
});

describe("tests", () => {
  it("W-46 changes nothing of a session that runs", async () => {
    const tests =
      "tests: { caseTimeoutMs: 1, maxConcurrency: 1, judge: { model: judge-model, modelOptions: { maxTokens: 1 } } }";
    const replies = [toReview, { ...says("Please."), delayMs: 30 }];
    const plain = await open({ spec: REVIEWED, replies });
    const bench = await open({ spec: `${tests}\n${REVIEWED}`, replies });

    const expected = await plain.agent.workflow.send("s1", { message: "Go" });
    const outcome = await bench.agent.workflow.send("s1", { message: "Go" });

    expect(bench.requests.map(({ body }) => body)).toEqual(plain.requests.map(({ body }) => body));
    expect({ ...outcome, pending: null }).toEqual({ ...expected, pending: null });
    expect(bench.events.map(({ type }) => type)).toEqual(plain.events.map(({ type }) => type));
  });
});

describe("a transition's type", () => {
  it.each([
    ["refine", "work", /Correct this: Shorter\./],
    ["approve", "send", /Their comment: Shorter\./],
  ])("W-89 on a human state is the outcome's class: %s", async (type, target, expected) => {
    const bench = await open({ spec: REVIEWED, replies: [toReview, says("Please."), says("end")] });
    await bench.agent.workflow.send("s1", { message: "Go" });
    const outcome = await bench.agent.workflow.decide("s1", { target, comment: "Shorter." });

    expect(notes(outcome).at(-1)).toMatch(expected);
    expect(notes(outcome).at(-1)).toContain(`(${type})`);
  });

  it.each(["approve", "reject", "refine", "none"])(
    "W-89 on an agent state is shown, and %s decides nothing",
    async (type) => {
      const bench = await open({
        spec: `
states:
  work:
    triggers: { manual: }
    instructions: Work.
    transitions: [{ to: done, type: ${type}, description: It is done. }]
  done: { instructions: Close. }
`,
        replies: [calls(["archmax_advance", { to: "done", reason: "r" }]), says("end")],
      });
      const outcome = await bench.agent.workflow.send("s1", { message: "Go" });

      const line = `- \`done\` (${type === "none" ? "" : `${type}, `}terminal): It is done.`;
      expect(JSON.stringify(bench.requests[0]?.body.messages[0])).toContain(line);
      expect(outcome).toMatchObject({ kind: "completed", state: "done", exit: { success: true } });
      expect(outcome.auditTrail.map(({ kind }) => kind)).toEqual(["trigger", "agent"]);
    },
  );
});
