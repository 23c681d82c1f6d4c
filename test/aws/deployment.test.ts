/** A deployment made of the synthesized template and its assets alone, from the outside. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import { readOutbox } from "../../workflows/refund-desk/host/outbox.ts";
import { readEffects } from "../crash/effect-tools.js";
import { nameFromArn } from "./arns.js";
import { IAM_CALLER_HEADER } from "./deployed/gateway.js";
import { describeDeployment } from "./describe-deployment.js";
import { lifecycleOf } from "./play/play.js";

const MINUTES = 60_000;
const DAYS = 24 * 60 * MINUTES;
/** N-33, F-80: within a second; a new process loads first, which Lambda does beforehand where it matters. */
const ANSWER_WITHIN_MS = 1_000;

describeDeployment("a deployment from its synthesized assets alone", (deployment) => {
  const visit = () => `visit-${deployment.nextRun()}`;
  const arrivalOf = (id: string) => ({ visit_id: id, plate: "ab-12 cd", visitor: "Ada" });
  const stateOf = async (session: string) => (await loadState(deployment.bench.stores.sessions, session))?.state;
  const position = async (session: string) => (await stateOf(session))?.fields.position;
  const summary = async (session: string) => (await deployment.client.api("GET", `/v1/sessions/${session}`)).body;
  const pause = async (minutes: number) => {
    const sessionId = `pause-${deployment.nextRun()}`;
    const body = { sessionId, message: "Cool the barrier down.", variables: { minutes } };
    const answer = await deployment.client.api("POST", "/v1/workflows/hello-wait/sessions", body);
    expect(answer.status).toBe(202);
    await deployment.bench.settled();
    return sessionId;
  };

  it("N-33 S-58 S-97 opens by a signed webhook, parks, and ends by a decision through the API; events tell of it", async () => {
    const { bench, client } = deployment;
    const session = visit();
    const opened = await client.gate(arrivalOf(session));
    await bench.settled();
    const parked = await summary(session);
    const decided = await client.api("POST", `/v1/sessions/${session}/decision`, { target: "open-barrier" });
    await bench.settled();

    expect(opened.body).toMatchObject({ status: "accepted", sessionId: session, seq: 1 });
    expect(parked).toMatchObject({ status: "awaiting_decision", state: "ask-guard" });
    expect(decided.status).toBe(202);
    expect(await summary(session)).toMatchObject({ status: "completed" });
    expect(await position(session)).toBe("open-barrier");
    expect(lifecycleOf(bench, session).map(({ type }) => type)).toEqual([
      ...["turn-started", "parked", "turn-settled"],
      "turn-settled",
    ]);
  });

  it("S-59 F-21 N-35 wakes a timed park by the sweep, a second or two after its time at most", async () => {
    const { bench } = deployment;
    const session = await pause(30);
    const resumeAt = (await bench.stores.sessions.read(session))?.record.park?.resumeAt ?? 0;
    bench.clock.advance(resumeAt - bench.clock.now() - 20_000);
    bench.tick();
    await bench.settled();
    const ahead = await position(session);
    bench.clock.advance(resumeAt - bench.clock.now() + 500);
    const rung = bench.clock.now();
    await new Promise((resolve) => bench.clock.at(resumeAt + 1_000, () => resolve(null)));
    await bench.settled();

    expect(ahead).toBe("cool-down");
    expect(await position(session)).toBe("resumed");
    const woken = (await stateOf(session))?.trail.find(({ ts }) => ts >= resumeAt)?.ts ?? 0;
    console.info(`woken ${woken - resumeAt} ms after its time (the bell could be heard from ${rung - resumeAt} ms on)`);
    expect(woken - resumeAt).toBeGreaterThanOrEqual(0);
    expect(woken - resumeAt).toBeLessThan(5_000);
  });

  it("S-59 N-33 chases an invoice from a signed notice by two letters, two days apart, to the bank's payment", async () => {
    const { bench, client } = deployment;
    const session = "INV-2041";
    const invoice = {
      number: session,
      customer: "Oak & Son",
      email: "office@oak.example",
      amount_cents: 48_000,
      due_on: "2026-03-01",
    };
    const letters = () => readOutbox(join(bench.effectsDir, session)).letters.map(({ subject }) => subject);

    const opened = await client.hook("invoice-chaser/invoice_overdue", { invoice });
    await bench.settled();
    const waiting = await summary(session);
    const first = letters();
    bench.clock.advance(2 * DAYS + 5_000);
    bench.tick();
    await bench.settled();
    const second = letters();
    const payment = { invoice_number: session, amount_cents: 48_000, paid_on: "2026-03-11" };
    const paid = await client.hook("invoice-chaser/payment_received", { payment });
    await bench.settled();

    expect([opened.status, paid.status]).toEqual([202, 202]);
    expect(waiting).toMatchObject({ status: "awaiting_input", state: "chase" });
    expect(first).toEqual(["Invoice INV-2041: a friendly reminder"]);
    expect(second.sort()).toEqual([...first, "Second reminder: invoice INV-2041"]);
    expect(letters()).toHaveLength(2);
    expect((await stateOf(session))?.variables.outcome?.value).toBe("paid");
    expect([await position(`${session}~1`), await position(`${session}~2`)]).toEqual(["done", "done"]);
  });

  it("S-61 F-22 wakes everything overdue by the first sweep after an outage, and nothing before its time", async () => {
    const { bench } = deployment;
    const sessions = [await pause(10), await pause(20), await pause(60)];
    bench.clock.advance(30 * MINUTES);
    await bench.settled();
    const missed = await Promise.all(sessions.map(position));
    bench.tick();
    await bench.settled();

    expect(missed).toEqual(["cool-down", "cool-down", "cool-down"]);
    expect(await Promise.all(sessions.map(position))).toEqual(["resumed", "resumed", "cool-down"]);
  });

  it("F-26 S-13 a bell for a session that is finished does nothing", async () => {
    const { bench } = deployment;
    const session = await pause(1);
    bench.clock.advance(2 * MINUTES);
    bench.tick();
    await bench.settled();
    const before = JSON.stringify(await stateOf(session));
    bench.engines.sqs
      .queue(nameFromArn(bench.variable("turn", "PARKWAY_QUEUE_URL")))
      .send(JSON.stringify({ sessionId: session }));
    await bench.settled();

    expect(JSON.stringify(await stateOf(session))).toBe(before);
    expect(await position(session)).toBe("resumed");
  });

  it("F-80 F-76 answers a webhook with everything stored, before any turn", async () => {
    const { bench, client } = deployment;
    const session = visit();
    for (const source of bench.sources) source.pause();
    const from = bench.wire.calls.length;
    const answer = await client.gate(arrivalOf(session));
    // The process stands still since it answered: what it has not sent by now stays unsent.
    const functions = new Set(bench.wire.calls.slice(from).map(({ functionName }) => functionName));
    const receipt = await bench.stores.sessions.receipt(String(answer.body.turnId), bench.clock.now());
    const bells = bench.engines.sqs.queue(nameFromArn(bench.variable("turn", "PARKWAY_QUEUE_URL"))).messages;

    expect(answer.status).toBe(202);
    expect(answer.ms).toBeLessThan(ANSWER_WITHIN_MS);
    expect([...functions]).toEqual([bench.functionName("webhook")]);
    expect(receipt).toMatchObject({ status: "queued", sessionId: session });
    expect(bells.map(({ body }) => body)).toContain(JSON.stringify({ sessionId: session }));
    for (const source of bench.sources) source.resume();
    await bench.settled();
    expect(await position(session)).toBe("ask-guard");
  });

  it("N-30 N-32 refuses what is not signed, and answers a repeated delivery like the first", async () => {
    const { bench, client } = deployment;
    const session = visit();
    const unsigned = await client.post("/hooks/hello-park/gate_camera", JSON.stringify(arrivalOf(session)), {});
    const first = await client.gate(arrivalOf(session), `delivery-${session}`);
    const second = await client.gate(arrivalOf(session), `delivery-${session}`);
    await bench.settled();

    expect([unsigned.status, first.status, second.status]).toEqual([401, 202, 200]);
    expect(second.body).toMatchObject({ status: "duplicate", turnId: first.body.turnId, sessionId: session });
    expect((await stateOf(session))?.fields.turnOrdinal).toBe(1);
  });

  it("N-36 answers nobody without a key; who a caller is by IAM counts only where the gateway says so", async () => {
    const path = "/v1/workflows/hello-wait/sessions";
    const headers = { [IAM_CALLER_HEADER]: "arn:aws:iam::111122223333:role/any" };

    expect((await deployment.client.post(path, "{}", {})).status).toBe(401);
    expect((await deployment.client.post(path, "{}", headers)).status).toBe(401);
  });

  it("N-30 takes GitHub's signature with a secret of the Secrets Manager, and runs tools once each", async () => {
    const { bench, client } = deployment;
    const session = `issue-${deployment.nextRun()}`;
    const { status } = await client.github({ issue: { id: session } });
    await bench.settled();

    expect(status).toBe(202);
    expect(await position(session)).toBe("done");
    expect(readEffects(join(bench.effectsDir, session))).toMatchObject({ rings: 1 });
  });

  it("N-34 fires a trigger for a matching event of the bus, and none for another", async () => {
    const { bench } = deployment;
    const session = `order-${deployment.nextRun()}`;
    const event = { source: "shop.orders", "detail-type": "Order Placed" };
    const rules = [
      bench.putEvent({ ...event, detail: { id: session, total: 5 } }),
      bench.putEvent({ ...event, detail: { id: session, total: 50 } }),
    ];
    await bench.settled();

    expect(rules.map((matched) => matched.length)).toEqual([0, 1]);
    expect(await position(session)).toBe("done");
  });

  it("F-9 one event that comes twice gives one turn, and a schedule's firing for one time too", async () => {
    const { bench } = deployment;
    const session = `order-${deployment.nextRun()}`;
    const event = {
      source: "shop.orders",
      "detail-type": "Order Placed",
      detail: { id: session, total: 50 },
      id: session,
    };
    bench.putEvent(event);
    bench.putEvent(event);
    const listed = async () => (await deployment.client.api("GET", "/v1/sessions?workflow=errands&limit=100")).body;
    await bench.settled();
    const before = ((await listed()).items as unknown[]).length;
    for (const at of ["2026-03-20T02:00:00Z", "2026-03-20T02:00:00Z", "2026-03-21T02:00:00Z"])
      bench.schedules[0]?.fire(at);
    await bench.settled();

    expect((await stateOf(session))?.fields.turnOrdinal).toBe(1);
    expect(bench.schedules).toMatchObject([{ expression: "cron(0 3 * * ? *)", timeZone: "Europe/Berlin" }]);
    expect(((await listed()).items as unknown[]).length - before).toBe(2);
  });

  it("F-72 keeps an event that its function failed to take three times", async () => {
    const { bench } = deployment;
    const trigger = bench.functionName("trigger");
    const detail = { id: `lost-${deployment.nextRun()}`, total: 50 };
    for (const ms of [0, 61_000, 121_000]) {
      const point = bench.wire.arm({ functionName: trigger, at: 1, mode: "before" });
      if (ms === 0) bench.putEvent({ source: "shop.orders", "detail-type": "Order Placed", detail });
      bench.clock.advance(ms);
      await bench.settled();
      expect(point.hasFired()).toBe(true);
    }
    bench.wire.disarm();
    const kept = bench.engines.sqs.queue("ParkwayUndelivered").messages.map(({ body }) => JSON.parse(body));

    expect(kept).toMatchObject([
      { requestContext: { approximateInvokeCount: 3 }, requestPayload: { rule: "order-placed", event: { detail } } },
    ]);
  });

  it("S-95 a bell that fails again and again ends in its queue's own dead-letter queue; the due mark still finds the session", async () => {
    const { bench, client } = deployment;
    const session = visit();
    const turn = bench.functionName("turn");
    bench.wire.arm({ functionName: turn, at: 1, mode: "before" });
    await client.gate(arrivalOf(session));
    for (let rings = 0; rings < 5; rings += 1) {
      await bench.settled();
      bench.wire.arm({ functionName: turn, at: 1, mode: "before" });
      bench.clock.advance(17 * MINUTES);
    }
    await bench.settled();
    bench.wire.disarm();
    const dead = bench.engines.sqs.queue("ParkwayDoorbellDeadLetters").messages;
    const before = await position(session);
    bench.tick();
    await bench.settled();

    expect(dead.map(({ body }) => JSON.parse(body))).toEqual([{ sessionId: session }]);
    expect(before).toBeUndefined();
    expect(await position(session)).toBe("ask-guard");
  });

  it("F-3 S-29 a bell that meets a dead owner's lease leaves, and the due mark has the session continued", async () => {
    const { bench, client } = deployment;
    const session = visit();
    const doorbell = bench.engines.sqs.queue(nameFromArn(bench.variable("turn", "PARKWAY_QUEUE_URL")));
    bench.wire.arm({ functionName: bench.functionName("turn"), at: 4, mode: "after" });
    await client.gate(arrivalOf(session));
    await bench.settled();
    bench.wire.disarm();
    const waiting = doorbell.messages.length;
    doorbell.send(JSON.stringify({ sessionId: session }));
    await bench.settled();
    const { record } = (await bench.stores.sessions.read(session)) ?? {};

    expect(doorbell.messages.length).toBe(waiting);
    expect(record?.lease).not.toBeNull();
    expect(record?.dueAt).toBeGreaterThanOrEqual(record?.lease?.expiresAt ?? Number.POSITIVE_INFINITY);
    bench.clock.advance(2 * MINUTES);
    bench.tick();
    await bench.settled();
    expect(await position(session)).toBe("ask-guard");
  });

  describe("afterwards", () => {
    it("F-80 a process that was there answered within a second", () => {
      const answers = deployment.bench.gateways.flatMap((gateway) => gateway.answers);
      const warm = answers
        .filter(({ isCold }) => !isCold)
        .map(({ ms }) => ms)
        .sort((a, b) => a - b);
      const cold = answers.filter(({ isCold }) => isCold).map(({ ms }) => Math.round(ms));
      const at = (share: number) => warm[Math.floor((warm.length - 1) * share)]?.toFixed(0);
      console.info(`${warm.length} warm answers: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; cold: ${cold.join(", ")} ms`);

      // A busy machine may stop any single one for as long.
      expect(warm[Math.floor(warm.length / 2)]).toBeLessThan(ANSWER_WITHIN_MS);
    });

    it("H-126 N-41 no secret stands in what functions wrote", () => {
      const lines = deployment.bench.host.output.map(({ line }) => line).join("\n");

      expect(lines).not.toContain("gate-secret");
      expect(lines).not.toContain("Secret to Everybody");
      expect(lines).not.toContain("ab-12 cd");
    });
  });
});
