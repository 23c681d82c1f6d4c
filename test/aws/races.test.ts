/** Many at once on one session of a deployment: exactly one effect, in order. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import { readEffects } from "../crash/effect-tools.js";
import { describeDeployment } from "./describe-deployment.js";
import { lifecycleOf } from "./play/play.js";

const IS_LONG = process.env.PARKWAY_CRASH_POINTS !== undefined;
/** Each concurrent invocation is a process of its own. */
const INVOCATIONS = IS_LONG ? 50 : 8;
const WAKERS = IS_LONG ? 20 : 6;
const MINUTES = 60_000;

describeDeployment("races on a deployment", (deployment) => {
  const loaded = async (session: string) => loadState(deployment.bench.stores.sessions, session);
  const bellFor = (sessionId: string) => ({
    Records: [{ messageId: "m", body: JSON.stringify({ sessionId }), attributes: {}, eventSource: "aws:sqs" }],
  });

  /** A session that waits, whose time has come without anybody having noticed. */
  async function aDuePark(): Promise<string> {
    const { bench, client } = deployment;
    const sessionId = `pause-${deployment.nextRun()}`;
    const body = { sessionId, message: "Cool the barrier down.", variables: { minutes: 5 } };
    await client.api("POST", "/v1/workflows/hello-wait/sessions", body);
    await bench.settled();
    bench.clock.advance(6 * MINUTES);
    return sessionId;
  }

  it(`S-22 F-1 F-3 ${INVOCATIONS} invocations at once for one session run its turn once`, {
    timeout: 5 * MINUTES,
  }, async () => {
    const { bench } = deployment;
    const session = `order-${deployment.nextRun()}`;
    for (const source of bench.sources) source.pause();
    bench.putEvent({ source: "shop.orders", "detail-type": "Order Placed", detail: { id: session, total: 50 } });
    await bench.settled();
    const turn = bench.functionName("turn");
    const invocations = await Promise.all(
      Array.from({ length: INVOCATIONS }, () => bench.host.invoke(turn, bellFor(session))),
    );
    for (const source of bench.sources) source.resume();
    await bench.settled();

    const failed = invocations.filter(({ error }) => error);
    if (failed.length > 0) console.info(bench.host.output.filter(({ line }) => !line.startsWith("{")).slice(-20));
    expect(failed).toEqual([]);
    expect(bench.host.processes(turn).length).toBe(INVOCATIONS);
    expect((await loaded(session))?.state.fields).toMatchObject({
      position: "done",
      turnOrdinal: 1,
      status: "completed",
    });
    expect((await loaded(session))?.record).toMatchObject({ lease: null, active: null });
    expect(readEffects(join(bench.effectsDir, session))).toMatchObject({ rings: 1 });
    expect(lifecycleOf(bench, session).map(({ type }) => type)).toEqual(["turn-started", "turn-settled"]);
  });

  it(`S-59 S-60 ${WAKERS} wakers on one due session give one delivery and one step`, {
    timeout: 5 * MINUTES,
  }, async () => {
    const { bench } = deployment;
    const session = await aDuePark();
    const wake = bench.functionName("wake");
    await Promise.all(Array.from({ length: WAKERS }, () => bench.host.invoke(wake, {})));
    await bench.settled();
    const { state } = (await loaded(session)) ?? {};

    expect(state?.fields).toMatchObject({ position: "resumed", status: "completed" });
    expect(state?.trail.map(({ kind, to, reason }) => `${kind} ${to} ${reason}`)).toEqual([
      "trigger cool-down manual",
      "trigger cool-down timer",
      "agent resumed The pause is over.",
    ]);
  });

  it("S-67 S-69 S-70 a decision, a wake-up and a delivery at once: one resumes, in the order of acceptance", async () => {
    const { bench, client } = deployment;
    const session = await aDuePark();
    const [decision, delivery] = await Promise.all([
      client.api("POST", `/v1/sessions/${session}/decision`, { target: "resumed" }),
      client.api("POST", `/v1/sessions/${session}/deliveries`, {
        trigger: { id: "manual" },
        variables: { minutes: 5 },
      }),
      bench.host.invoke(bench.functionName("wake"), {}),
    ]);
    await bench.settled();
    const { state } = (await loaded(session)) ?? {};

    const settled = await Promise.all(
      [decision, delivery].map(async ({ status, body }) =>
        status === 202 ? (await bench.stores.sessions.receipt(String(body.turnId), bench.clock.now()))?.status : status,
      ),
    );

    expect(settled[0] === "refused" || settled[0] === 409).toBe(true);
    expect(state?.fields).toMatchObject({ position: "resumed", status: "completed" });
    const resumptions = state?.trail.filter(({ kind }) => kind === "trigger").slice(1) ?? [];
    // Of the delivery and the wake-up one was applied; the other found no park.
    expect(resumptions).toHaveLength(1);
    expect(settled[1] === "settled").toBe(resumptions[0]?.reason === "manual");
  });

  it("S-3 two requests with one key at once are one arrival, and both answers tell it", async () => {
    const { bench, client } = deployment;
    const session = await aDuePark();
    const body = { trigger: { id: "manual" }, variables: { minutes: 5 } };
    const deliver = () => client.api("POST", `/v1/sessions/${session}/deliveries`, body, `once-${session}`);
    const answers = await Promise.all([deliver(), deliver(), deliver()]);
    await bench.settled();

    const { state } = (await loaded(session)) ?? {};

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(answers.map((answer) => String(answer.body.turnId)))).toEqual(
      new Set([expect.stringMatching(/^arr-/)]),
    );
    // One delivery or, where the wake-up was first, none: never two.
    expect(state?.trail.filter(({ kind, reason }) => kind === "trigger" && reason !== "timer")).toHaveLength(2);
  });
});
