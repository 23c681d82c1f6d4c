/** Entrances and a worker, each of which knows nothing but the stores: what a deployment is made of. */
import { afterEach, describe, expect, it } from "vitest";
import { type CreateWorkerParams, createWorker, type Worker } from "../../lib/worker.js";
import { sharedSandbox } from "../harness/agent.js";
import { type IntakeBench, type IntakeBenchOptions, intakes } from "../harness/intake.js";
import { type ModelServerOptions, startModelServer } from "../model-server/index.js";
import { says } from "../turn/support.js";
import { ANSWERS, gate, REVIEWED, toReview, WAITS, waitForReply } from "../turn/workflows.js";

const bench = intakes();
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Deployed extends IntakeBench {
  worker: Worker;
  requests: { body: unknown }[];
  /** Works on every session whose doorbell has rung. */
  settle(): Promise<void>;
}

async function deployed(
  options: IntakeBenchOptions,
  model: ModelServerOptions,
  params: Partial<CreateWorkerParams> = {},
): Promise<Deployed> {
  const on = bench(options);
  const server = await startModelServer(model);
  const worker = await createWorker({
    workspace: { rootDir: on.rootDir },
    stores: { sessions: on.host.store, files: on.host.files },
    env: { ARCHMAX_API_BASE_URL: server.url, ARCHMAX_API_KEY: "test-key", ARCHMAX_MODEL: "test-model" },
    onEvent: () => {},
    sandboxRuntime: sharedSandbox(),
    host: { clock: on.clock },
    ...params,
  });
  closing.push(
    () => server.close(),
    () => worker.close(),
  );
  const settle = async () => {
    for (const sessionId of new Set(on.rung.splice(0))) await worker.work(sessionId);
  };
  return { ...on, worker, requests: server.requests, settle };
}

describe("a worker", () => {
  it("F-13 works on sessions of every workflow, and loads none before a session needs it", async () => {
    const specs = { one: ANSWERS, two: WAITS, broken: "states: {}" };
    const on = await deployed({ specs }, { handler: () => says("Yes.") });

    const fired = [
      await on.intake.fire({ workflow: "one", message: "Go" }, { source: "api" }),
      await on.intake.fire({ workflow: "two", message: "Go" }, { source: "api" }),
    ];
    await on.settle();

    const receipts = await Promise.all(fired.map(({ receipt }) => on.intake.receipt(receipt.arrivalId)));
    expect(receipts).toMatchObject([{ status: "settled" }, { status: "settled" }]);
    expect((await on.intake.sessions.list()).map(({ workflow }) => workflow).sort()).toEqual(["one", "two"]);
    expect(await on.worker.work("nobody")).toMatchObject({ left: "idle", settled: [] });
    await expect(on.worker.work("a/../b")).rejects.toMatchObject({ name: "SessionStoreIdError" });
  });

  it("H-8 H-32 refuses options it does not have, and takes the default trigger where a workflow declares it", async () => {
    const specs = { case: ANSWERS, orders: WAITS };
    const on = await deployed({ specs }, { handler: () => says("Yes.") }, { trigger: { id: "ordered" } });

    await expect(createWorker({ workflow: "case" } as never)).rejects.toThrow(/createWorker has no option "workflow"/);
    for (const workflow of ["case", "orders"]) {
      await on.intake.fire({ workflow, message: "Go", sessionId: workflow }, { source: "api" });
    }
    await on.settle();

    const trails = await Promise.all(["case", "orders"].map((id) => on.intake.sessions.trail(id)));
    expect(trails.map(([first]) => first?.reason)).toEqual(["manual", "ordered"]);
  });

  it("S-59 wakes what is due", async () => {
    const on = await deployed({ specs: { case: ANSWERS } }, { handler: () => says("Yes.") });
    const { receipt } = await on.intake.fire({ workflow: "case", message: "Go" }, { source: "api" });

    expect(await on.worker.wake()).toEqual({ due: 1, woken: 0 });

    expect(await on.intake.receipt(receipt.arrivalId)).toMatchObject({ status: "settled" });
  });
});

describe("a firing", () => {
  it("S-6 S-7 N-8 under a key that was forgotten goes on in the session it made, with what that holds", async () => {
    const spec = ANSWERS.replace("manual:", "manual: { requires: [{ name: order, type: object }] }");
    const on = await deployed({ specs: { case: spec } }, { handler: () => says("Yes.") });
    const fire = (variables: object) =>
      on.intake.fire({ workflow: "case", message: "Go", variables: { ...variables } }, { source: "bus", key: "1" });
    const first = await fire({ order: {} });
    await on.settle();
    on.clock.advance(7 * 86_400_000);

    const late = await fire({});
    await on.settle();

    expect(late).toMatchObject({ repeated: false, receipt: { sessionId: first.receipt.sessionId, seq: 2 } });
    expect(await on.intake.receipt(late.receipt.arrivalId)).toMatchObject({ outcome: { kind: "completed" } });
  });

  it("F-4 S-9 that meets a running turn waits, is delivered where the session waits then, and opens a turn where it ended", async () => {
    const { opened, open } = gate();
    const replies = [waitForReply, says("Noted."), says("Again.")];
    let asked = 0;
    const handler = async () => {
      const reply = replies[asked++];
      if (asked === 1) await opened;
      return reply ?? says("?");
    };
    const on = await deployed({ specs: { case: WAITS } }, { handler });
    const fire = (key: string, message: string) =>
      on.intake.fire({ workflow: "case", sessionId: "s1", message }, { source: "webhook", key });
    await fire("1", "Go");
    const worked = on.settle();
    await expect.poll(() => asked).toBe(1);

    const met = [await fire("2", "The answer"), await fire("3", "More")];
    expect(met).toMatchObject([{ receipt: { status: "queued", seq: 2 } }, { receipt: { status: "queued", seq: 3 } }]);
    open();
    await worked;

    const receipts = await Promise.all(met.map(({ receipt }) => on.intake.receipt(receipt.arrivalId)));
    expect(receipts).toMatchObject([
      { status: "settled", outcome: { disposition: "deliver", reply: "Noted." } },
      { status: "settled", outcome: { disposition: "turn", reply: "Again." } },
    ]);
  });

  it("F-4 F-8 N-34 that fits nowhere settles refused and is kept, and can be redriven once it fits", async () => {
    const on = await deployed({ specs: { case: REVIEWED } }, { replies: [toReview, says("Please.")] });
    const accepted = await on.intake.fire({ workflow: "case", sessionId: "s1", message: "Go" }, { source: "webhook" });
    const input = { kind: "delivery", trigger: "mail" } as const;
    const late = await on.intake.accept({ sessionId: "s1", input }, { source: "webhook", key: "1" });
    await on.settle();

    expect(await on.intake.receipt(accepted.receipt.arrivalId)).toMatchObject({ status: "settled" });
    expect(await on.intake.receipt(late.receipt.arrivalId)).toMatchObject({
      status: "refused",
      error: { name: "SessionNotAwaitingInputError" },
    });
    const [letter] = await on.intake.deadLetters();
    expect(letter).toMatchObject({ arrival: { id: late.receipt.arrivalId, sessionId: "s1" } });
    expect(await on.intake.redrive(letter?.id ?? "")).toMatchObject({ status: "queued", sessionId: "s1", seq: 3 });
  });

  it.each(["webhook", "bus"] as const)(
    "S-18 N-34 from a %s, of a disabled workflow, is rejected and kept",
    async (source) => {
      const on = await deployed({ specs: { case: `disabled: true\n${ANSWERS}` } }, { replies: [] });
      const { receipt } = await on.intake.fire({ workflow: "case", message: "Go" }, { source, key: "1" });
      await on.settle();

      expect(await on.intake.receipt(receipt.arrivalId)).toMatchObject({
        status: "settled",
        outcome: { kind: "rejected" },
      });
      expect(await on.intake.deadLetters()).toMatchObject([{ reason: expect.stringMatching(/^workflow-disabled/) }]);
      expect(on.requests).toEqual([]);
    },
  );

  it("N-8 of a disabled workflow is delivered to a session that waits", async () => {
    const on = await deployed({ specs: { case: WAITS } }, { replies: [waitForReply, says("Noted.")] });
    await on.intake.fire({ workflow: "case", sessionId: "s1", message: "Go" }, { source: "api" });
    await on.settle();
    const off = bench({
      specs: { case: `disabled: true\n${WAITS}` },
      host: { store: on.host.store, files: on.host.files },
      clock: on.clock,
    });

    const { receipt } = await off.intake.fire({ workflow: "case", sessionId: "s1", message: "Yes" }, { source: "api" });
    await on.worker.work("s1");

    expect(await on.intake.receipt(receipt.arrivalId)).toMatchObject({ outcome: { disposition: "deliver" } });
  });

  it("S-10 H-72 brings its files, whose bytes the worker places when the turn opens", async () => {
    const on = await deployed({ specs: { case: ANSWERS } }, { replies: [says("Yes.")] });
    const files = { scan: { name: "scan.txt", content: "the bytes" } };
    await on.intake.fire({ workflow: "case", sessionId: "s1", message: "Go", files }, { source: "api" });
    await on.settle();

    const placed = await on.host.files.read("s1", "scratchpad/attachments/scan.txt");
    expect(new TextDecoder().decode(placed?.bytes)).toBe("the bytes");
    expect(await on.intake.sessions.get("s1")).toMatchObject({
      variables: { scan: { value: "scratchpad/attachments/scan.txt", locked: true } },
    });
  });
});
