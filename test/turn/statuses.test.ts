/** What sets each status, and how every surface classifies it. */
import { afterEach, describe, expect, it } from "vitest";
import { aBench, type Bench, type BenchOptions } from "../harness/agent.js";
import { advance, calls, says } from "./support.js";
import { ANSWERS, always, gate, REVIEWED, toReview, WAITS, waitForReply } from "./workflows.js";

let bench: Bench;
afterEach(() => bench.close());

const spending = (budget: string) => WAITS.replace("  work:\n", `  work:\n    budget: ${budget}\n`);

describe("the status of a session", () => {
  it.each<[string, BenchOptions, { status: string; classification: string }]>([
    ["completed by the agent's last word", { spec: ANSWERS, replies: [says("Yes.")] }, finished("completed")],
    [
      "failed by a raise",
      { spec: ANSWERS, replies: [calls(["archmax_raise", { code: "stop", reason: "Enough." }])] },
      finished("failed"),
    ],
    [
      "failed by a turn that throws",
      { spec: ANSWERS, replies: [{ status: 400, error: { message: "No." } }] },
      finished("failed"),
    ],
    [
      "failed by the completion gate",
      {
        spec: ANSWERS,
        answer: always("Done."),
        completion: { maxAttempts: 1, verify: () => ({ ok: false, reason: "not yet" }) },
      },
      finished("failed"),
    ],
    [
      "failed by a limit",
      { spec: ANSWERS, answer: () => calls(["ls", { path: "/" }]), limits: { maxToolCallsPerTurn: 1 } },
      finished("failed"),
    ],
    ["rejected by a refused start", { spec: `disabled: true\n${ANSWERS}`, replies: [] }, finished("rejected")],
    [
      "rejected by a failure that nothing routes",
      { spec: spending("{ maxTurns: 1 }"), replies: [calls(["ls", { path: "/" }])] },
      finished("rejected"),
    ],
    [
      "rejected by a return that is missing",
      { spec: ANSWERS.replace("manual:", "manual: { returns: [answer] }"), replies: [says("Done.")] },
      finished("rejected"),
    ],
    ["parked at a human state", { spec: REVIEWED, replies: [toReview, says("Please.")] }, opened("awaiting_decision")],
    ["parked by a wait", { spec: WAITS, replies: [waitForReply] }, opened("awaiting_input")],
  ])("R-6 H-70 is %s", async (_what, options, told) => {
    bench = await aBench(options);

    const { send } = bench.agent.workflow;
    const outcome = await send("s1", { message: "Go" }).catch(() => null);

    if (outcome) expect(outcome.status).toBe(told.status);
    expect(await bench.agent.sessions.get("s1")).toMatchObject(told);
    expect(await bench.agent.sessions.list()).toMatchObject([told]);
    expect((await bench.stores.sessions.read("s1"))?.record.status).toBe(told.status);
  });

  it("R-6 H-70 is running while a turn is in progress, and open", async () => {
    const { opened: asked, open } = gate();
    bench = await aBench({ spec: REVIEWED, answer: () => asked.then(() => advance("review")) });
    const turn = bench.agent.workflow.send("s1", { message: "Go" });
    await expect.poll(() => bench.requests.length).toBe(1);

    expect(await bench.agent.sessions.get("s1")).toMatchObject(opened("running"));

    open();
    await turn;
  });
});

function finished(status: string) {
  return { status, classification: "finished" };
}

function opened(status: string) {
  return { status, classification: "open" };
}
