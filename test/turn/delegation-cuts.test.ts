/** Where an invocation ends inside of what a session has others do (S-50…S-57), compared with a run that nothing cuts. */
import { describe, expect, it } from "vitest";
import { StoreUnavailableError } from "../../lib/session/errors.js";
import { loadState } from "../../lib/session/load-state.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import type { Bench, BenchOptions } from "../harness/agent.js";
import { wrapStore } from "../harness/wrap-store.js";
import type { ServerReply } from "../model-server/index.js";
import { byModel, caller, type Scripts, worker, workflow } from "./delegating.js";
import { advance, benches, calls, results, says, setting, types } from "./support.js";

const open = benches();

const ASK = "archmax_workflow_ask";
const evaluate = (code: string): [string, Record<string, unknown>] => ["archmax_eval", { code }];
const sets = (value: string): ServerReply => calls(setting({ answer: value }));

async function ran(options: BenchOptions, { drainAt }: { drainAt?: number } = {}) {
  const bench = await open(options);
  await bench.agent.accept("s1", { kind: "turn", message: "Go" }, { key: "k" });
  const invocations = await untilSettled(bench, drainAt);
  const { state } = (await loadState(bench.stores.sessions, "s1"))!;
  return { bench, state, invocations };
}

async function untilSettled(bench: Bench, drainAt: number | undefined): Promise<number> {
  for (let invocations = 1; invocations < 60; invocations += 1) {
    const agent = await bench.again();
    const { left, settled } = await agent.work("s1", drainAt === undefined ? {} : { drainAt });
    if (left === "idle" && settled.length > 0) return invocations;
  }
  throw new Error("The turn did not settle.");
}

/** The same once whole and once with a step an invocation. */
async function both(options: () => BenchOptions) {
  const whole = await ran(options());
  const cut = await ran(options(), { drainAt: 0 });
  return { whole, cut };
}

describe("scripts of one message", () => {
  it("S-51 S-55 R-253 R-295 S-40 run one after the other though the invocation ends inside a child of the first", async () => {
    const { whole, cut } = await both(() => ({
      spec: caller("ask"),
      files: workflow("ask", worker("child", "{ returns: [answer] }")),
      answer: byModel({
        "test-model": [
          calls(
            evaluate(`await tools.${ASK}({}); var told = JSON.parse(await tools.${ASK}({})).returns.answer; told`),
            evaluate("typeof told + 's'"),
          ),
          says("Done."),
        ],
        child: [sets("no"), says("Told."), sets("yes"), says("Told.")],
      } satisfies Scripts),
    }));
    expect(results(whole.state).map(({ text }) => text)).toEqual(["yes", "strings"]);
    expect(cut.invocations).toBeGreaterThan(2);
    expect(results(cut.state)).toEqual(results(whole.state));
    const told = ["tool-called", "tool-result", "sub-workflow-start", "sub-workflow-result"] as const;
    expect(types(cut.bench.events, ...told).sort()).toEqual(types(whole.bench.events, ...told).sort());
  });
});

describe("a code state", () => {
  const SPEC = `
states:
  work:
    type: code
    script: scripts/work.js
    tools: { allow: [archmax_workflow_ask, archmax_workflow_slow, pay] }
    triggers: { manual: { returns: [told] } }
`;
  const SCRIPT = `export default async function ({ tools }) {
    const settled = await Promise.all([
      tools.archmax_workflow_ask({}), tools.archmax_workflow_slow({}), tools.pay({}),
    ].map((call) => call.then((text) => text, (error) => "failed: " + error.message)));
    await tools.archmax_set_variables({ variables: { told: settled.join("|") } });
  }`;
  const HASTY = SCRIPT.replace(/\.map\(.*\)\);/, ");");

  it.each([
    ["waits for all", SCRIPT],
    ["fails with the first", HASTY],
  ])(
    "S-51 S-55 whose script %s loses no call that stands beside the one the invocation ends in",
    async (_name, script) => {
      let paid = 0;
      const { whole, cut } = await both(() => ({
        spec: SPEC,
        files: {
          "workflows/case/scripts/work.js": script,
          ...workflow("ask", worker("child")),
          ...workflow("slow", worker("slow")),
        },
        tools: toolsFromMap({
          pay: {
            description: "Pays.",
            inputSchema: { type: "object" },
            handler: async () => {
              paid += 1;
              await new Promise((resolve) => setTimeout(resolve, 150));
              return "paid";
            },
          },
        }),
        answer: byModel({
          "test-model": [],
          child: [sets("a"), says("Asked.")],
          slow: [
            { ...sets("b"), delayMs: 200 },
            { ...says("Slowly."), delayMs: 200 },
          ],
        } satisfies Scripts),
      }));
      expect(whole.state.variables.told?.value).toBe("Asked.|Slowly.|paid");
      expect(cut.state.fields.rejected).toBeUndefined();
      expect(cut.state.variables.told?.value).toBe(whole.state.variables.told?.value);
      expect(paid).toBe(2);
      const told = ["code-start", "code-result", "tool-called", "sub-workflow-start", "sub-workflow-result"] as const;
      expect(types(cut.bench.events, ...told).sort()).toEqual(types(whole.bench.events, ...told).sort());
    },
  );
});

it("S-80 waits for the newer version that has run a child on, and answers for it nothing", async () => {
  let isNewer = false;
  const sessions = wrapStore(createMemorySessionStore(), async (op, run) => {
    const result = await run();
    if (op.name !== "claimChild" || !isNewer) return result;
    for (const item of (result as { thread: { value: string }[] }).thread) {
      item.value = item.value.replace('"f":1', '"f":9');
    }
    return result;
  });
  const bench = await open({
    stores: { sessions, files: createMemoryFileStore() },
    spec: caller("ask"),
    files: workflow("ask", worker("child")),
    answer: byModel({
      "test-model": [calls([ASK]), says("Done.")],
      child: [calls(["write_todos", { todos: [] }]), says("Told.")],
    } satisfies Scripts),
  });
  const { arrivalId } = await bench.agent.accept("s1", { kind: "turn", message: "Go" });
  while (!(await sessions.read("s1~1"))?.thread.length) await bench.agent.work("s1", { drainAt: 0 });
  isNewer = true;

  for (let attempt = 1; attempt <= 8; attempt += 1) {
    expect(await bench.agent.work("s1")).toEqual({ settled: [], left: "delayed" });
    expect(await bench.agent.work("s1")).toMatchObject({ left: "idle", dueAt: bench.clock.now() + 5 * 60_000 });
    bench.clock.advance(5 * 60_000);
  }

  isNewer = false;
  expect((await bench.agent.work("s1")).settled).toMatchObject([{ arrivalId, outcome: { status: "completed" } }]);
  const { state } = (await loadState(sessions, "s1"))!;
  expect(results(state)).toMatchObject([{ tool: ASK, status: "success" }]);
});

it("S-43 S-94 leaves the children beside one whose store fails to the next invocation, cancelled in nothing", async () => {
  let isFirst = true;
  const sessions = wrapStore(createMemorySessionStore(), async ({ name, args }, run) => {
    const result = await run();
    const [lease] = args as [{ sessionId?: string }];
    if (name === "commit" && lease?.sessionId === "s1~1" && isFirst) {
      isFirst = false;
      throw new StoreUnavailableError("commit", "no answer");
    }
    return result;
  });
  const bench = await open({
    spec: caller("ask", "slow"),
    files: { ...workflow("ask", worker("child")), ...workflow("slow", worker("slow")) },
    stores: { sessions, files: createMemoryFileStore() },
    answer: byModel({
      "test-model": [
        calls(
          evaluate("(await Promise.all([tools.archmax_workflow_ask({}), tools.archmax_workflow_slow({})])).join()"),
        ),
        says("Done."),
      ],
      child: [says("Asked.")],
      slow: [{ ...sets("b"), delayMs: 200 }, says("Slowly.")],
    } satisfies Scripts),
  });
  await bench.agent.accept("s1", { kind: "turn", message: "Go" }, { key: "k" });

  expect(await bench.agent.work("s1")).toMatchObject({ left: "delayed" });
  expect((await loadState(sessions, "s1~2"))?.state.fields.status).not.toBe("failed");
  bench.clock.advance(60_000);
  await untilSettled(bench, undefined);
  const { state } = (await loadState(sessions, "s1"))!;
  expect(results(state).map(({ text }) => text)).toEqual(["Asked.,Slowly."]);
});

describe("a turn that is cancelled between two invocations", () => {
  it.each([
    ["the agent's call", calls([ASK, {}, "c1"])],
    ["a script's call", calls(evaluate(`await tools.${ASK}({})`))],
  ])("R-307 S-20 takes the children along that run for it: of %s, and theirs", async (_name, asks) => {
    const bench = await open({
      spec: caller("ask"),
      files: {
        ...workflow("ask", worker("child", "", "tools: { allow_always: [archmax_workflow_deep] }")),
        ...workflow("deep", worker("deep")),
      },
      answer: byModel({
        "test-model": [asks],
        child: [calls(["archmax_workflow_deep", {}, "d1"])],
        deep: [sets("x"), sets("y"), says("Deep.")],
      }),
    });
    const { arrivalId } = await bench.agent.accept("s1", { kind: "turn", message: "Go" }, { key: "k" });
    const stateOf = async (id: string) => (await loadState(bench.stores.sessions, id))?.state;
    for (let tries = 0; !(await stateOf("s1~1~1"))?.messages.length && tries < 20; tries += 1) {
      await (await bench.again()).work("s1", { drainAt: 0 });
    }
    expect((await stateOf("s1~1~1"))?.fields.status).toBe("running");

    await bench.stores.sessions.cancel("s1", bench.clock.now());
    await (await bench.again()).work("s1", { drainAt: 0 });

    expect(await bench.agent.receipt(arrivalId)).toMatchObject({ status: "error" });
    for (const id of ["s1", "s1~1", "s1~1~1"]) {
      expect((await stateOf(id))?.fields).toMatchObject({ status: "failed", exit: { code: "turn-cancelled" } });
    }
  });

  it("R-307 S-20 leaves a child parked that its caller has not heard of yet", async () => {
    const sessions = createMemorySessionStore();
    const stateOf = async (id: string) => (await loadState(sessions, id))?.state.fields;
    let fails = true;
    const bench = await open({
      spec: caller("ask"),
      files: workflow(
        "ask",
        `${worker("child")}    transitions: [{ to: gate, description: Ask. }]
  gate: { type: human, instructions: Fine?, transitions: [{ to: work, description: Yes. }] }
`,
      ),
      stores: {
        sessions: wrapStore(sessions, async ({ name, args }, run) => {
          const isCallers = name === "commit" && (args[0] as { sessionId: string }).sessionId === "s1";
          if (fails && isCallers && (await stateOf("s1~1"))?.status === "awaiting_decision") {
            throw new StoreUnavailableError("commit", "no answer");
          }
          return run();
        }),
        files: createMemoryFileStore(),
      },
      answer: byModel({ "test-model": [calls([ASK, {}, "c1"])], child: [advance("gate"), says("Please.")] }),
    });
    await bench.agent.accept("s1", { kind: "turn", message: "Go" }, { key: "k" });
    expect(await bench.agent.work("s1")).toMatchObject({ left: "delayed" });
    fails = false;
    bench.clock.advance(60_000);

    await sessions.cancel("s1", bench.clock.now());
    await (await bench.again()).work("s1");

    expect(await stateOf("s1")).toMatchObject({ status: "failed", exit: { code: "turn-cancelled" } });
    expect(await stateOf("s1~1")).toMatchObject({ status: "awaiting_decision", park: { state: "gate" } });
  });
});

describe("a turn that is given up in the middle of a child", () => {
  /** The turn has used up its attempts inside of its grandchild; `failAfter` store operations of giving it up take effect. */
  async function givenUp(failAfter: number) {
    let left = Number.POSITIVE_INFINITY;
    let vanish = () => {};
    const gone = new Promise<void>((resolve) => {
      vanish = resolve;
    });
    const store = createMemorySessionStore();
    const dying = wrapStore(store, async (_, run) => {
      left -= 1;
      if (left >= 0) return run();
      vanish();
      return new Promise(() => {});
    });
    const files = createMemoryFileStore();
    const bench = await open({
      spec: caller("ask"),
      files: {
        ...workflow("ask", worker("child", "", "tools: { allow_always: [archmax_workflow_deep] }")),
        ...workflow("deep", worker("deep")),
      },
      stores: { sessions: store, files },
      answer: byModel({
        "test-model": [calls([ASK, {}, "c1"])],
        child: [calls(["archmax_workflow_deep", {}, "d1"])],
        deep: [sets("x"), sets("y"), says("Deep.")],
      }),
    });
    const { arrivalId } = await bench.agent.accept("s1", { kind: "turn", message: "Go" }, { key: "k" });
    const stateOf = async (id: string) => (await loadState(store, id))?.state;
    for (let tries = 0; !(await stateOf("s1~1~1"))?.messages.length && tries < 20; tries += 1) {
      await (await bench.again()).work("s1", { drainAt: 0 });
    }
    const asked = bench.requests.length;
    for (let n = 0; n < 5; n += 1) {
      await store.claim("s1", { owner: "dies", now: bench.clock.now(), leaseMs: 60_000 });
      bench.clock.advance(60_001);
    }
    left = failAfter;
    const doomed = await bench.again({ stores: { sessions: dying, files } });
    await Promise.race([doomed.work("s1").catch(() => undefined), gone]);
    const used = failAfter - Math.max(left, 0);
    for (let tries = 0; (await bench.agent.receipt(arrivalId))?.status !== "dead" && tries < 5; tries += 1) {
      bench.clock.advance(3_600_000);
      await (await bench.again()).work("s1").catch(() => undefined);
    }
    const ends = await Promise.all(["s1", "s1~1", "s1~1~1"].map(async (id) => (await stateOf(id))?.fields));
    const receipt = await bench.agent.receipt(arrivalId);
    const letters = await store.deadLetters(bench.clock.now());
    return { ends, receipt, letters, used, asked: bench.requests.length - asked };
  }

  it("S-91 R-307 S-20 leaves no child running, whatever of giving it up has taken effect before a crash", async () => {
    const { used } = await givenUp(1_000);
    expect(used).toBeGreaterThan(5);
    for (let after = 0; after <= used; after += 1) {
      const { ends, receipt, letters, asked } = await givenUp(after);

      expect(receipt).toMatchObject({ status: "dead" });
      expect(letters).toHaveLength(1);
      expect(
        ends.map((fields) => [fields?.status, fields?.exit]),
        `after ${after} operations`,
      ).toEqual([
        ["failed", expect.objectContaining({ code: "turn-error" })],
        ["failed", expect.objectContaining({ code: "turn-cancelled" })],
        ["failed", expect.objectContaining({ code: "turn-cancelled" })],
      ]);
      expect(asked).toBe(0);
    }
  }, 120_000);
});
