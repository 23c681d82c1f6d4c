/** A provider that asks to wait for longer than an invocation lasts (A-52, S-50). */
import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import type { LegOptions } from "../../lib/turn/types.js";
import { normalised } from "../crash/world.js";
import type { Bench, BenchOptions } from "../harness/agent.js";
import type { ServerReply } from "../model-server/index.js";
import { byModel, caller, worker, workflow } from "./delegating.js";
import { isGraders } from "./graded.js";
import { advance, benches, calls, notes, says, types } from "./support.js";

const open = benches();

const SECONDS = 1_000;
const SPEC = `
states:
  work:
    triggers: { manual: }
    instructions: Work.
    transitions: [{ to: close, description: Done. }]
  close: { instructions: Close. }
`;
const busy = (seconds: number): ServerReply => ({
  status: 429,
  headers: { "Retry-After": String(seconds) },
  error: { message: "too many requests" },
});

interface Rung {
  sessionId: string;
  delayMs: number | undefined;
}

/** An agent whose doorbell keeps what it is told, and an input that was accepted. */
async function accepted(options: BenchOptions): Promise<{ bench: Bench; rung: Rung[]; arrivalId: string }> {
  const rung: Rung[] = [];
  const doorbell = {
    async ring(sessionId: string, { delayMs }: { delayMs?: number } = {}) {
      rung.push({ sessionId, delayMs });
    },
  };
  const bench = await open({ spec: SPEC, host: { doorbell }, ...options });
  const { arrivalId } = await bench.agent.accept("s1", { kind: "turn", message: "Go." }, { key: "k" });
  rung.length = 0;
  return { bench, rung, arrivalId };
}

/** The time of an invocation that begins now and lasts two minutes. */
function invocation({ clock }: Bench): LegOptions {
  return { drainAt: clock.now() + 60 * SECONDS, abortAt: clock.now() + 110 * SECONDS };
}

describe("a wait that outlasts the invocation", () => {
  it("A-52 S-50 hands the turn over until it is past, with due mark and doorbell for that time", async () => {
    const { bench, rung, arrivalId } = await accepted({ replies: [advance("close"), busy(120), says("end")] });
    const { agent, clock } = bench;
    const due = clock.now() + 120 * SECONDS;

    const report = await agent.work("s1", invocation(bench));

    expect(report).toEqual({ settled: [], left: "handed-over", dueAt: due });
    expect((await bench.stores.sessions.read("s1"))?.record).toMatchObject({ dueAt: due, lease: null });
    expect(rung).toEqual([{ sessionId: "s1", delayMs: 120 * SECONDS }]);
    clock.advance(119 * SECONDS);
    expect(await (await bench.again()).work("s1", invocation(bench))).toMatchObject({ left: "idle", dueAt: due });
    expect(bench.requests).toHaveLength(2);
    clock.advance(SECONDS);
    await (await bench.again()).wake();
    expect((await agent.receipt(arrivalId))?.outcome).toMatchObject({ kind: "completed", reply: "end" });
    expect(bench.requests).toHaveLength(3);
  });

  it("A-52 S-51 leaves transcript, trail and counts as if there had been no wait", async () => {
    const replies = [calls(["archmax_advance", { to: "close", reason: "r" }, "c1"]), says("end")] as const;
    const plain = await accepted({ replies });
    const { bench } = await accepted({ replies: [busy(120), replies[0], busy(600), replies[1]] });

    await plain.bench.agent.work("s1");
    for (const seconds of [120, 600]) {
      expect((await bench.agent.work("s1", invocation(bench))).left).toBe("handed-over");
      bench.clock.advance(seconds * SECONDS);
    }
    await bench.agent.work("s1", invocation(bench));

    const stateOf = async ({ stores }: Bench) => normalised((await loadState(stores.sessions, "s1"))?.state);
    expect(await stateOf(bench)).toEqual(await stateOf(plain.bench));
    expect(types(bench.events, "state-enter", "agent-text")).toEqual(
      types(plain.bench.events, "state-enter", "agent-text"),
    );
  });

  it("A-52 A-46 counts its attempts on in other processes, and ends as any failure when they are spent", async () => {
    const { bench, arrivalId } = await accepted({ answer: () => busy(120) });

    for (let invocations = 0; invocations < 2; invocations += 1) {
      expect((await (await bench.again()).work("s1", invocation(bench))).left).toBe("handed-over");
      bench.clock.advance(120 * SECONDS);
    }
    const report = await (await bench.again()).work("s1", invocation(bench));

    expect(report.settled).toMatchObject([{ error: { name: "ModelCallError", status: 429 } }]);
    expect(bench.requests).toHaveLength(3);
    expect((await bench.agent.receipt(arrivalId))?.status).toBe("error");
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "turn-error" } });
  });

  it("A-52 begins to count anew with the next call, and leaves nothing of the count behind", async () => {
    const { bench } = await accepted({
      retry: { retries: 1 },
      replies: [busy(120), advance("close"), busy(120), says("end")],
    });

    for (let n = 0; n < 3; n += 1) {
      await bench.agent.work("s1", invocation(bench));
      bench.clock.advance(120 * SECONDS);
    }

    const found = await bench.stores.sessions.read("s1");
    expect(found?.record.status).toBe("completed");
    expect(found?.thread.filter(({ key }) => key.startsWith("J"))).toEqual([]);
  });

  it("A-52 S-90 surfaces the provider's error with the delay where the wait is longer than an hour", async () => {
    const { bench, arrivalId } = await accepted({ answer: () => busy(3_601) });

    const report = await bench.agent.work("s1", invocation(bench));

    expect(report.settled[0]?.error?.message).toMatch(/3601 s.*too many requests/);
    expect(bench.requests).toHaveLength(1);
    expect(await bench.agent.receipt(arrivalId)).toMatchObject({ status: "error", outcome: { kind: "failed" } });
    expect(await bench.agent.sessions.get("s1")).toMatchObject({
      exit: { code: "turn-error", reason: expect.stringContaining("3601 s") },
    });
  });

  it("A-52 hands over for an hour, and for less where the wait fits the invocation it waits there", async () => {
    const long = await accepted({ replies: [busy(3_600), says("end")] });
    const short = await accepted({ replies: [busy(0), advance("close"), says("end")] });

    expect((await long.bench.agent.work("s1", invocation(long.bench))).left).toBe("handed-over");
    expect((await short.bench.agent.work("s1", invocation(short.bench))).left).toBe("idle");
    expect(short.bench.requests).toHaveLength(3);
  });

  it("A-52 S-53 does not begin a wait that the time of one step has no room for", async () => {
    const { bench } = await accepted({
      replies: [busy(30), says("end")],
      host: { invocationLimitMs: 20 * SECONDS, doorbell: { ring: async () => {} } },
    });

    const report = await bench.agent.work("s1", invocation(bench));

    expect(report.left).toBe("handed-over");
  });

  it("A-52 R-165 fails the state at once where its own budget ends before the wait does", async () => {
    const { bench } = await accepted({
      spec: SPEC.replace("transitions", "budget: { timeoutMs: 100000 }\n    on_error: close\n    transitions"),
      replies: [busy(120), says("end")],
    });

    const [settled] = (await bench.agent.work("s1", invocation(bench))).settled;

    expect(settled?.outcome).toMatchObject({ kind: "completed", state: "close" });
    expect(notes(settled!.outcome!)[0]).toContain("100000 ms");
  });

  it("A-52 R-165 lets the waits of all invocations count for the state's budget", async () => {
    const { bench } = await accepted({
      spec: SPEC.replace("transitions", "budget: { timeoutMs: 300000 }\n    on_error: close\n    transitions"),
      replies: [busy(200), busy(200), says("end")],
    });

    expect((await bench.agent.work("s1", invocation(bench))).left).toBe("handed-over");
    bench.clock.advance(200 * SECONDS);
    const [settled] = (await bench.agent.work("s1", invocation(bench))).settled;

    expect(settled?.outcome).toMatchObject({ kind: "completed", state: "close" });
  });

  it("A-52 S-20 S-50 is not waited for by a cancellation", async () => {
    const { bench, arrivalId } = await accepted({ replies: [busy(1_200), says("never")] });
    await bench.agent.work("s1", invocation(bench));

    await bench.stores.sessions.cancel("s1", bench.clock.now(), { arrivalId });
    const report = await bench.agent.work("s1", invocation(bench));

    expect(report.settled).toMatchObject([{ error: { name: "TurnCancelledError" } }]);
    expect(bench.requests).toHaveLength(1);
  });

  it("A-52 S-56 S-89 is not begun early, nor counted as a failure, by those who look too soon", async () => {
    const { bench } = await accepted({ replies: [busy(3_600), says("end")] });
    const due = bench.clock.now() + 3_600 * SECONDS;
    await bench.agent.work("s1", invocation(bench));

    for (let looks = 0; looks < 20; looks += 1) {
      // As after a crash between the attempt's entry and the hand-over: the record says nothing of the wait.
      const sessions = bench.stores.sessions;
      const claim = await sessions.claim("s1", { owner: "x", now: due, leaseMs: 1 });
      if (claim.kind !== "claimed") throw new Error("It was not claimed.");
      await sessions.release(claim.lease, { now: bench.clock.now(), retryAt: bench.clock.now() });
      bench.clock.advance(60 * SECONDS);
      expect(await bench.agent.work("s1", invocation(bench))).toMatchObject({ left: "handed-over", dueAt: due });
    }

    expect(bench.requests).toHaveLength(1);
    bench.clock.advance(due - bench.clock.now());
    expect((await bench.agent.work("s1", invocation(bench))).settled).toMatchObject([{ outcome: { reply: "end" } }]);
  });

  it("A-52 S-49 holds for a grader's call too, whose loop goes on where it stood", async () => {
    const spec = `
states:
  work: { triggers: { manual: }, instructions: Work., transitions: [{ to: grade, description: Done. }] }
  grade: { type: grader, instructions: Judge., tools: { allow: [ls] }, transitions: [{ to: close, description: Fine. }] }
  close: { instructions: Close. }
`;
    const own = [advance("grade"), says("end")];
    const graders = [calls(["ls", { path: "/" }]), busy(120), busy(120), advance("close")];
    const { bench } = await accepted({
      spec,
      answer: (request) => (isGraders(request) ? graders : own).shift() ?? says("?"),
    });

    const left: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      left.push((await (await bench.again()).work("s1", invocation(bench))).left);
      bench.clock.advance(120 * SECONDS);
    }

    expect(left).toEqual(["handed-over", "handed-over", "idle"]);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "completed" });
    expect(bench.requests.filter(isGraders)).toHaveLength(4);
  });

  it("A-52 S-55 stops the caller of a child that waits once its other calls are answered, and goes on with the child", async () => {
    const child = [busy(120), busy(300), says("first done")];
    const { bench } = await accepted({
      spec: caller("first", "second"),
      files: { ...workflow("first", worker("one")), ...workflow("second", worker("two")) },
      answer: byModel({
        "test-model": [calls(["archmax_workflow_first", {}], ["archmax_workflow_second", {}]), says("end")],
        one: child,
        two: [says("second done")],
      }),
    });
    const start = bench.clock.now();

    const first = await bench.agent.work("s1", invocation(bench));
    expect(bench.requests.map(({ body }) => body.model).sort()).toEqual(["one", "test-model", "two"]);
    bench.clock.advance(120 * SECONDS);
    const second = await (await bench.again()).work("s1", invocation(bench));
    bench.clock.advance(300 * SECONDS);
    const third = await (await bench.again()).work("s1", invocation(bench));

    expect([first.dueAt, second.dueAt]).toEqual([start + 120 * SECONDS, start + 420 * SECONDS]);
    expect(third.settled).toMatchObject([{ outcome: { kind: "completed", reply: "end" } }]);
    expect(bench.requests).toHaveLength(6);
  });

  it("A-52 S-50 has no sibling of a child that waits wait with it, where the invocation's time ends first", async () => {
    const two = [calls(["archmax_get_variables", {}]), says("second done")];
    const answer = byModel({
      "test-model": [calls(["archmax_workflow_first", {}], ["archmax_workflow_second", {}]), says("end")],
      one: [busy(1_800), says("first done")],
      two,
    });
    const { bench } = await accepted({
      spec: caller("first", "second"),
      files: { ...workflow("first", worker("one")), ...workflow("second", worker("two")) },
      answer: (request) => {
        if (request.body.model === "two" && bench.requests.filter(({ body }) => body.model === "two").length === 1) {
          bench.clock.advance(61 * SECONDS);
        }
        return answer(request);
      },
    });
    const due = bench.clock.now() + 1_800 * SECONDS;

    const first = await bench.agent.work("s1", invocation(bench));
    const second = await (await bench.again()).work("s1", invocation(bench));

    expect(first).toEqual({ settled: [], left: "handed-over" });
    expect(second.left).toBe("handed-over");
    expect(Math.abs(second.dueAt! - due)).toBeLessThanOrEqual(61 * SECONDS);
    expect(bench.requests.filter(({ body }) => body.model === "two")).toHaveLength(2);
  });

  it("A-52 S-55 S-47 holds for a child that a script has called", async () => {
    const { bench } = await accepted({
      spec: `
states:
  compute:
    type: code
    script: scripts/c.js
    triggers: { manual: }
    tools: { allow: [archmax_workflow_first] }
    transitions: [{ to: close }]
  close: { instructions: Close. }
`,
      files: {
        ...workflow("first", worker("one")),
        "workflows/case/scripts/c.js":
          'export default async function ({ tools }) { await tools.archmax_workflow_first({}); await tools.archmax_advance({ to: "close", reason: "r" }); }\n',
      },
      answer: byModel({ "test-model": [says("end")], one: [busy(120), says("done")] }),
    });

    expect((await bench.agent.work("s1", invocation(bench))).left).toBe("handed-over");
    bench.clock.advance(120 * SECONDS);
    const report = await (await bench.again()).work("s1", invocation(bench));

    expect(report.settled).toMatchObject([{ outcome: { kind: "completed", state: "close" } }]);
    expect(bench.requests).toHaveLength(3);
  });
});
