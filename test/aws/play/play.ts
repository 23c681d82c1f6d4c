/** Plays a scenario on a deployment: the outside asks until it is answered, and time and sweeps do the rest. */
import { randomUUID } from "node:crypto";
import { loadState } from "../../../lib/session/load-state.js";
import type { SessionRecord } from "../../../lib/session/record.js";
import { normalised } from "../../crash/world.js";
import type { Bench } from "../environment.js";
import type { Client } from "./client.js";
import type { Scenario, Step } from "./scenarios.js";

/** Longer than a lease, than the first repetitions of an asynchronous invocation, and than the pauses between attempts. */
const PAUSE_MS = 130_000;
/** Longer than the doorbell's messages are hidden, so that a bell that was not answered does not ring in the next run. */
const UNTIL_VISIBLE_MS = 17 * 60_000;
const A_DAY_MS = 24 * 60 * 60_000;
const MAX_TRIES = 8;

export interface Ending {
  /** Everything that has to be equal, with ids and times left out. */
  result: unknown;
  /** Requests that each function sent, by its service name. */
  requests: Record<string, string[]>;
}

export const SERVICES = ["webhook", "api", "trigger", "turn", "wake"] as const;

/** @param run - a number that no other run on the deployment has */
export async function play(
  bench: Bench,
  client: Client,
  { scenario, run }: { scenario: Scenario; run: number },
): Promise<Ending> {
  const session = scenario.sessionId(run);
  const from = bench.wire.calls.length;
  const statuses: number[] = [];
  for (const [index, step] of scenario.steps.entries()) {
    statuses.push(await act(bench, client, { step, session, key: `${session}-${index}` }));
    await rest(bench, session);
  }
  const requests = requestsSince(bench, from);
  bench.wire.disarm();
  bench.clock.advance(UNTIL_VISIBLE_MS);
  await bench.settled();
  return { result: await resultOf(bench, { scenario, session, statuses }), requests };
}

/** Asks again with the same key while there is no answer or the service says that it is its fault. */
async function act(
  bench: Bench,
  client: Client,
  { step, session, key }: { step: Step; session: string; key: string },
): Promise<number> {
  if (step.kind === "wait") {
    bench.clock.advance(step.ms);
    bench.tick();
    await bench.settled();
    return 0;
  }
  if (step.kind === "event") {
    bench.putEvent({ ...step.event(session), id: randomUUID() });
    await bench.settled();
    return 0;
  }
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { status } =
      step.kind === "webhook"
        ? await client[step.hook](step.body(session), key)
        : await client.api("POST", step.path(session), step.body(session), key);
    // A repetition is answered otherwise than the first, but only the first may be told so.
    if (status < 500) return status < 300 ? 202 : status;
  }
  throw new Error(`The step was never answered: ${JSON.stringify(step)}`);
}

/** Until nothing of the session is left to do now: pauses pass, the sweep runs every time. */
async function rest(bench: Bench, session: string): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    await bench.settled();
    const read = await bench.stores.sessions.read(session);
    const { record } = read ?? {};
    const isIdle = record && record.lease === null && record.active === null && !isDueSoon(record, bench.clock.now());
    if (isIdle && bench.host.retriesPending() === 0) return;
    bench.clock.advance(PAUSE_MS);
    bench.tick();
  }
  const lines = bench.host.output.slice(-20).map(({ functionName, line }) => `${functionName}: ${line}`);
  const requests = bench.wire.calls
    .slice(-30)
    .map(
      ({ service, operation, status, answer = "", needs }) =>
        `${service} ${operation} ${status} ${answer.replace(/\s+/g, " ")} ${needs[0]?.resource}`,
    );
  throw new Error([`${session} never came to rest.`, ...requests, ...lines].join("\n"));
}

/** Whether anything is left to do before a timed park ends, or the session expires. */
function isDueSoon({ dueAt, park }: SessionRecord, now: number): boolean {
  const isWaiting = dueAt === park?.resumeAt && Number(dueAt) > now;
  return dueAt !== null && !isWaiting && dueAt < now + A_DAY_MS;
}

async function resultOf(
  bench: Bench,
  { scenario, session, statuses }: { scenario: Scenario; session: string; statuses: number[] },
): Promise<unknown> {
  const { sessions, files } = bench.stores;
  const loaded = await loadState(sessions, session);
  const listed = await files.list(session);
  const contents = await Promise.all(
    listed.map(async ({ path }) => [path, new TextDecoder().decode((await files.read(session, path))?.bytes)]),
  );
  const { lease, active, status } = loaded?.record ?? {};
  const result = {
    statuses,
    state: loaded?.state,
    rest: { lease, active, status, queued: loaded?.queued },
    files: contents,
    effects: scenario.effects?.(bench.effectsDir, session) ?? null,
    events: lifecycleOf(bench, session),
  };
  return normalised(JSON.parse(withoutIds(JSON.stringify(result).replaceAll(session, "<session>"))));
}

/** Ids that are made of the session's, or by chance. */
function withoutIds(text: string): string {
  return text
    .replace(/[0-9a-f]{32,}/g, "<hash>")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>")
    .replace(/\bpark-(\d+)-[0-9a-f]{8}\b/g, "park-$1");
}

/** Events on the bus, each once (a consumer drops repetitions by id), in the order of their first arrival. */
export function lifecycleOf(bench: Bench, session: string): { type: string; detail: Record<string, unknown> }[] {
  const seen = new Set<string>();
  return bench.engines.events.events(bench.variable("turn", "PARKWAY_BUS")).flatMap(({ detailType, detail }) => {
    const { id, sessionId } = detail as { id: string; sessionId: string };
    if (sessionId !== session || seen.has(id)) return [];
    seen.add(id);
    return [{ type: detailType, detail: detail as Record<string, unknown> }];
  });
}

function requestsSince(bench: Bench, from: number): Record<string, string[]> {
  const calls = bench.wire.calls.slice(from).filter(({ processId }) => processId !== "");
  return Object.fromEntries(
    SERVICES.map((service) => {
      const name = bench.functionName(service);
      return [service, calls.filter(({ functionName }) => functionName === name).map(({ operation }) => operation)];
    }),
  );
}
