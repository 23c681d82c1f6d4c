/** Sessions that all fall due at one instant, and one process that sweeps. */
import { createInProcessModel } from "../../../lib/models/in-process.js";
import type { EngineEvent } from "../../../lib/session/events.js";
import { openDesk } from "../desk.js";
import { ms, percentile, printTable, timed } from "../report.js";
import { DUE, WAITING } from "../waiting.js";
import { WORKFLOW } from "../work.js";

const SESSIONS = 1_000;
const AT_A_TIME = 8;
/** Sweeps begin this long before the time, and are repeated this often. */
const LEAD_MS = 500;
const SWEEP_EVERY_MS = 100;

export async function wake(): Promise<void> {
  let offset = 0;
  const now = () => Date.now() + offset;
  const resumed = new Map<string, number>();
  let twice = 0;
  const onEvent = (event: EngineEvent) => {
    if (event.type !== "delivered" || event.sessionId === undefined) return;
    if (resumed.has(event.sessionId)) twice += 1;
    resumed.set(event.sessionId, now());
  };
  const { agent, handed } = await openDesk("", {
    files: { [`workflows/${WORKFLOW}/workflow.yaml`]: WAITING },
    model: await waitingModel(),
    onEvent,
    host: { clock: { now, sleep } },
  });
  try {
    const names = Array.from({ length: SESSIONS }, (_, index) => `sleeper-${index}`);
    const parking = await timed(() => parkAll(names, (id) => agent.workflow.send(id, { message: "Wait." })));
    handed.take();
    offset = DUE - LEAD_MS - Date.now();
    let sweeps = 0;
    const sweeping = await timed(async () => {
      for (let idle = 0; resumed.size < SESSIONS && idle < 50; sweeps += 1) {
        const { woken } = await agent.wake();
        idle = now() < DUE || woken > 0 ? 0 : idle + 1;
        await sleep(SWEEP_EVERY_MS);
      }
    });
    const trips = [...handed.take()].map(([name, { calls }]) => `${name} ${(calls / SESSIONS).toFixed(2)}`);
    const open = await agent.sessions.list({ status: "awaiting_input" });
    const late = [...resumed.values()].map((at) => at - DUE);
    printTable(`${SESSIONS} sessions due at one instant, one process sweeping`, [
      ["", "value"],
      ["resumed", resumed.size],
      ["resumed twice", twice],
      ["still waiting", open.length],
      ["lateness p50", `${ms(percentile(late, 0.5))} ms`],
      ["lateness p99", `${ms(percentile(late, 0.99))} ms`],
      ["lateness at most", `${ms(Math.max(...late))} ms`],
      ["CPU per wake", `${ms(sweeping.cpu / SESSIONS)} ms`],
      ["parking one, to begin with", `${ms(parking.wall / SESSIONS)} ms`],
      ["sweeps", sweeps],
      ["store calls per wake", trips.join(", ")],
    ]);
  } finally {
    await agent.close();
  }
}

/** Waits the first time it is asked in a session, and answers the second time. */
function waitingModel() {
  return createInProcessModel({
    model: "sleeper",
    generate: ({ messages }) =>
      messages.some((message) => message.type === "tool")
        ? { content: "Done." }
        : {
            content: "I wait.",
            toolCalls: [{ name: "archmax_wait", args: { reason: "the bell", until: new Date(DUE).toISOString() } }],
          },
  });
}

async function parkAll(names: readonly string[], park: (id: string) => Promise<{ kind: string }>): Promise<void> {
  const left = [...names];
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) {
        const { kind } = await park(id);
        if (kind !== "parked") throw new Error(`${id} ended as ${kind}.`);
      }
    }),
  );
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}
