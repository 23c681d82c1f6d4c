/** Waiting for what was accepted, stopping it, and decisions that name themselves (S-5, S-20, S-101). */
import { describe, expect, it } from "vitest";
import { createIntake, createIntakeWorkflows, type IntakeHost } from "../../lib/intake/index.js";
import { StoreUnavailableError } from "../../lib/session/errors.js";
import type { Bench } from "../harness/agent.js";
import { intakes } from "../harness/intake.js";
import { wrapStore } from "../harness/wrap-store.js";
import { benches, says } from "../turn/support.js";
import { ANSWERS, gate, REVIEWED, toReview } from "../turn/workflows.js";

const bench = benches();
const alone = intakes();
const firing = { workflow: "case", message: "Go", sessionId: "s1" };
const api = { source: "api" } as const;

function entrance({ stores, clock, rootDir }: Bench, more: Partial<IntakeHost> = {}) {
  const host = {
    store: stores.sessions,
    files: stores.files,
    doorbell: { ring: async () => {} },
    clock,
    warn: () => {},
  };
  return createIntake({ ...host, ...more }, createIntakeWorkflows({ rootDir }));
}

describe("waiting", () => {
  it("S-101 ends with the settled receipt, whose outcome is that of the turn, history included", async () => {
    const { opened, open } = gate();
    const on = await bench({ spec: ANSWERS, answer: () => opened.then(() => says("Yes.")) });
    const intake = entrance(on);
    const { receipt } = await intake.fire(firing, api);
    const waited = intake.wait(receipt.arrivalId, 25_000);
    const worked = on.agent.work("s1");
    await expect.poll(() => on.requests.length).toBe(1);
    on.clock.advance(100);

    open();
    await worked;
    on.clock.advance(1_000);
    const settled = await waited;

    expect(settled).toMatchObject({ status: "settled", outcome: { kind: "completed", reply: "Yes." } });
    expect(await intake.outcome(settled!)).toMatchObject({
      reply: "Yes.",
      auditTrail: [{ to: "answer", kind: "trigger" }],
      variables: { trigger: { value: "manual", locked: true } },
      messages: [{ content: "Go" }, { content: "Yes." }],
    });
    expect(await intake.sessions.get("s1")).toMatchObject({ status: "completed" });
    expect(await intake.sessions.list()).toHaveLength(1);
    expect(await intake.sessions.trail("s1")).toHaveLength(1);
    expect(await intake.sessions.delete("s1")).toBe(true);
    expect(await intake.sessions.delete("s1")).toBe(false);
  });

  it("S-101 ends after the time asked for, 25 seconds at most, and when the caller hangs up, which changes nothing", async () => {
    const on = alone({ specs: { case: ANSWERS } });
    const { receipt } = await on.intake.fire(firing, api);
    const hangUp = new AbortController();
    const short = on.intake.wait(receipt.arrivalId, 200);
    const long = on.intake.wait(receipt.arrivalId, 3_600_000);
    const hungUp = on.intake.wait(receipt.arrivalId, 25_000, hangUp.signal);
    let isOver = false;
    void long.then(() => {
      isOver = true;
    });

    const passing = async (ms: number) => {
      for (let at = 0; at < ms; at += 100) {
        on.clock.advance(100);
        for (let n = 0; n < 5; n += 1) await Promise.resolve();
      }
    };
    await passing(200);
    expect(await short).toEqual(receipt);
    hangUp.abort();
    expect(await hungUp).toEqual(receipt);
    await passing(24_700);
    expect(isOver).toBe(false);
    await passing(100);
    expect(await long).toEqual(receipt);
    expect(await on.intake.wait("unknown", 25_000)).toBeNull();
    expect(await on.intake.outcome(receipt)).toBeNull();
  });

  it("S-94 S-101 looks past a store that fails meanwhile", async () => {
    const on = alone({ specs: { case: ANSWERS } });
    let looks = 0;
    const store = wrapStore(on.host.store, async (op, run) => {
      if (op.name === "receipt" && ++looks === 2) throw new StoreUnavailableError("read", "busy");
      return run();
    });
    const intake = createIntake({ ...on.host, store }, on.intake.workflows);
    const { receipt } = await on.intake.fire(firing, api);

    const waited = intake.wait(receipt.arrivalId, 100);
    await expect.poll(() => looks).toBe(1);
    on.clock.advance(100);

    expect(await waited).toEqual(receipt);
    expect(looks).toBe(2);
  });
});

describe("cancelling", () => {
  it("S-20 takes a queued arrival back, and finds nothing to stop in a settled one", async () => {
    const on = alone({ specs: { case: ANSWERS } });
    const { receipt } = await on.intake.fire(firing, api);

    expect(await on.intake.cancel("s1", receipt.arrivalId)).toBe(true);
    expect(await on.intake.receipt(receipt.arrivalId)).toMatchObject({ status: "superseded" });
    expect(await on.intake.cancel("s1", receipt.arrivalId)).toBe(false);
  });
});

describe("a decision", () => {
  async function parked() {
    const on = await bench({ spec: REVIEWED, replies: [toReview, says("Please."), says("Sent."), says("Once more.")] });
    const intake = entrance(on);
    await intake.fire(firing, api);
    await on.agent.work("s1");
    const park = (await intake.sessions.get("s1"))?.pending?.parkId ?? "";
    const decide = (more: object = {}, key?: string) =>
      intake.accept(
        { sessionId: "s1", input: { kind: "decision", target: "send", decidedBy: "ann", ...more } },
        { source: "api", ...(key === undefined ? {} : { key }) },
      );
    return { on, intake, park, decide };
  }

  it("S-3 S-5 S-68 is one decision however often the same person takes it, also once it was applied", async () => {
    const { on, park, decide } = await parked();

    const first = await decide({ park });
    const again = [await decide({ park, comment: "Fine." }), await decide({ target: " send " })];
    await on.agent.work("s1");
    const late = await decide({ park });

    expect(first).toMatchObject({ repeated: false });
    expect(again).toMatchObject([first, first].map(({ receipt }) => ({ repeated: true, receipt })));
    expect(late).toMatchObject({ repeated: true, receipt: { status: "settled", outcome: { reply: "Sent." } } });
    expect(late.receipt.arrivalId).toBe(first.receipt.arrivalId);
    expect(on.requests).toHaveLength(3);
  });

  it("S-5 is another one from another person, under a key of its own, or for another way out", async () => {
    const { park, decide } = await parked();

    const taken = [
      await decide({ park }),
      await decide({ park, decidedBy: "ben" }),
      await decide({ park, target: "work" }),
      await decide({ park }, "mine"),
    ];

    expect(taken.map(({ receipt }) => receipt.seq)).toEqual([2, 3, 4, 5]);
  });

  it("S-8 is refused before it is accepted when it names another park or no way out", async () => {
    const { decide, park } = await parked();

    await expect(decide({ park: "park-9" })).rejects.toMatchObject({ name: "StaleDecisionError", actual: park });
    await expect(decide({ target: "nowhere" })).rejects.toMatchObject({
      name: "InvalidDecisionTargetError",
      validTargets: ["send", "work"],
    });
  });
});
