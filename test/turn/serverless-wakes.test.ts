/** Waking on time, and telling the outside (chapter S, 28 and 33). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LifecycleEvent } from "../../lib/session/lifecycle.js";
import { createFilesystemFileStore } from "../../lib/stores/filesystem/index.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { createSqliteSessionStore } from "../../lib/stores/sqlite/index.js";
import { anAccept } from "../harness/builders.js";
import { temporaryFolder } from "../harness/temporary.js";
import { wrapStore } from "../harness/wrap-store.js";
import { benches, calls, ofType, says } from "./support.js";
import { ANSWERS, always, REVIEWED, toReview, WAITS } from "./workflows.js";

const open = benches();
const HOUR = 3_600_000;
const wait = (until: string) => ({ text: "Later.", ...calls(["archmax_wait", { reason: "Not yet.", until }]) });

describe("a park with a time", () => {
  it("S-58 S-61 F-23 has its due mark from the park to the resume, and is not woken before", async () => {
    const bench = await open({ spec: WAITS, replies: [wait("1h"), says("Time.")] });
    const due = async () => (await bench.stores.sessions.read("s1"))?.record.dueAt;
    await bench.agent.workflow.send("s1", { message: "Go" });

    expect(await due()).toBe(bench.clock.now() + HOUR);
    bench.clock.advance(HOUR - 1);
    expect(await bench.agent.wake()).toEqual({ due: 0, woken: 0 });
    bench.clock.advance(1);
    expect(await bench.agent.wake()).toEqual({ due: 1, woken: 1 });
    expect(await due()).toBeNull();
    expect(ofType(bench.events, "delivered")).toMatchObject([{ trigger: "timer" }]);
  });

  it("S-59 N-35 F-21 is resumed once though twenty wake it at once", async () => {
    const bench = await open({ spec: WAITS, replies: [wait("1h"), says("Time.")] });
    await bench.agent.workflow.send("s1", { message: "Go" });
    bench.clock.advance(HOUR);

    const sweeps = await Promise.all(Array.from({ length: 20 }, () => bench.agent.wake()));

    expect(sweeps.reduce((sum, { woken }) => sum + woken, 0)).toBe(1);
    expect(ofType(bench.events, "delivered")).toHaveLength(1);
    expect((await bench.agent.sessions.trail("s1")).map(({ reason }) => reason)).toEqual(["manual", "timer"]);
    expect(bench.requests).toHaveLength(2);
  });

  it("S-60 is woken again where it waits again until the same instant", async () => {
    const until = new Date(Date.UTC(2026, 2, 20, 10)).toISOString();
    const bench = await open({ spec: WAITS, replies: [wait(until), wait(until), says("Time.")] });
    await bench.agent.workflow.send("s1", { message: "Go" });
    await bench.agent.workflow.deliver("s1", { trigger: { id: "mail" } });
    bench.clock.advance(HOUR);

    expect(await bench.agent.wake()).toEqual({ due: 1, woken: 1 });
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "completed" });
  });

  it("S-63 F-24 goes on through the same delivery where its time had passed already", async () => {
    const bench = await open({ spec: WAITS, replies: [wait("2020-01-01"), says("Time.")] });
    await bench.agent.accept("s1", { kind: "turn", message: "Go" });
    await bench.agent.work("s1");
    await bench.agent.wake();

    expect(ofType(bench.events, "delivered")).toMatchObject([{ trigger: "timer" }]);
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "completed" });
  });

  it("S-65 is woken also where the workflow has been disabled meanwhile", async () => {
    const bench = await open({ spec: WAITS, replies: [wait("1h"), says("Time.")] });
    await bench.agent.workflow.send("s1", { message: "Go" });
    writeFileSync(join(bench.rootDir, "workflows/case/workflow.yaml"), `disabled: true\n${WAITS}`);
    bench.clock.advance(HOUR);

    expect(await (await bench.again()).wake()).toEqual({ due: 1, woken: 1 });
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "completed" });
  });

  it("F-87 F-13 is found by a new process that has nothing but the embedded store", async () => {
    const folder = temporaryFolder();
    const stores = () => ({
      sessions: createSqliteSessionStore({ file: join(folder.dir, "parkway.db") }),
      files: createFilesystemFileStore({ dir: folder.dir }),
    });
    const before = stores();
    const parked = await open({ spec: WAITS, stores: before, replies: [wait("1h")] });
    await parked.agent.workflow.send("s1", { message: "Go" });
    await before.sessions.close();

    const after = stores();
    const restarted = await open({ spec: WAITS, stores: after, replies: [says("Time.")] });
    restarted.clock.advance(HOUR);

    expect(await restarted.agent.wake()).toEqual({ due: 1, woken: 1 });
    expect(await restarted.agent.sessions.get("s1")).toMatchObject({ status: "completed" });
    await after.sessions.close();
    folder.remove();
  });
});

describe("lifecycle events", () => {
  /** A bus that takes nothing while `isDown`. */
  function aBus() {
    const seen: LifecycleEvent[] = [];
    const bus = {
      seen,
      isDown: false,
      async publish(events: LifecycleEvent[]) {
        if (bus.isDown) throw new Error("The bus does not answer.");
        seen.push(...events);
      },
    };
    return bus;
  }

  it("S-97 S-99 tell start, park and settlement in order, each with an id of its own", async () => {
    const bus = aBus();
    const bench = await open({ spec: REVIEWED, replies: [toReview, says("Please."), says("Sent.")], host: { bus } });
    await bench.agent.workflow.send("s1", { message: "Go" });
    const { pending } = (await bench.agent.sessions.get("s1"))!;
    expect(bus.seen.map(({ type }) => type)).toEqual(["turn-started", "parked", "turn-settled"]);
    expect(bus.seen[1]?.detail).toMatchObject({ awaiting: "decision", parkId: pending?.parkId, state: "review" });

    await bench.agent.workflow.decide("s1", { target: "send" });

    expect(bus.seen.at(-1)).toMatchObject({
      type: "turn-settled",
      sessionId: "s1",
      workflow: "case",
      detail: { kind: "completed", state: "send" },
    });
    expect(new Set(bus.seen.map(({ id }) => id)).size).toBe(bus.seen.length);
    for (const { id } of bus.seen) expect(id).toMatch(/^s1\/1\//);
  });

  it("F-75 carry how many sessions came before, through parks and wake-ups, and nothing where none did", async () => {
    const bus = aBus();
    const bench = await open({
      spec: WAITS,
      replies: [wait("1h"), says("Time."), says("Again."), says("Last.")],
      host: { bus },
    });
    const arrive = async (id: string, hops?: number) => {
      const input = { kind: "turn", message: "Go" } as const;
      const at = { workflow: "case", acceptedAt: bench.clock.now(), input };
      await bench.stores.sessions.accept(anAccept({ id, ...at, ...(hops === undefined ? {} : { hops }) }));
      await bench.agent.work("s1");
    };
    const told = () => bus.seen.splice(0).map(({ detail }) => detail.hops);

    await arrive("arr-1", 3);
    expect(told()).toEqual([3, 3, 3]);
    bench.clock.advance(HOUR);
    await bench.agent.wake();
    expect(told()).toEqual([3]);
    await arrive("arr-2");
    expect(told()).toEqual([undefined, undefined]);
    await arrive("arr-3", 0);
    expect(bus.seen.every(({ detail }) => !("hops" in detail))).toBe(true);
  });

  it("F-75 tell it of a session that cannot be read back too", async () => {
    const bus = aBus();
    const sessions = wrapStore(createMemorySessionStore(), async (op, run) => {
      const result = await run();
      if (op.name === "claim") (result as { thread?: unknown[] }).thread?.push({ key: "C", value: "" });
      return result;
    });
    const stores = { sessions, files: createMemoryFileStore() };
    const bench = await open({ spec: ANSWERS, replies: [], host: { bus }, stores });
    await sessions.accept(anAccept({ workflow: "case", hops: 2, acceptedAt: bench.clock.now() }));
    for (let n = 0; n < 6; n += 1) {
      await bench.agent.work("s1").catch(() => undefined);
      bench.clock.advance(HOUR);
    }

    expect(bus.seen).toMatchObject([{ type: "dead-lettered", detail: { hops: 2 } }]);
  });

  it("S-97 tells an arrival that was given up, with the id of its dead letter", async () => {
    const bus = aBus();
    const bench = await open({ spec: ANSWERS, replies: [], host: { bus } });
    await bench.agent.accept("s1", { kind: "turn", message: "Bad" });
    for (let n = 0; n < 5; n += 1) {
      await bench.stores.sessions.claim("s1", { owner: "dies", now: bench.clock.now(), leaseMs: 60_000 });
      bench.clock.advance(60_001);
    }
    await bench.agent.work("s1");

    const [letter] = await bench.stores.sessions.deadLetters(bench.clock.now());
    expect(bus.seen.filter(({ type }) => type === "dead-lettered")).toMatchObject([
      { detail: { deadLetterId: letter?.id } },
    ]);
  });

  it("S-98 neither fail nor delay a turn where the bus is down, and come out once it is back", async () => {
    const bus = aBus();
    bus.isDown = true;
    const bench = await open({ spec: ANSWERS, answer: always("Yes."), host: { bus } });

    expect(await bench.agent.workflow.send("s1", { message: "Go" })).toMatchObject({ kind: "completed" });
    expect((await bench.stores.sessions.read("s1"))?.record.dueAt).toBeLessThanOrEqual(bench.clock.now());
    bus.isDown = false;
    await (await bench.again()).wake();

    expect(bus.seen.map(({ type }) => type)).toEqual(["turn-started", "turn-settled"]);
    expect(await bench.agent.wake()).toEqual({ due: 0, woken: 0 });
    expect(bus.seen).toHaveLength(2);
  });

  it("S-100 carry no variable, message or file content, whatever became of the turn", async () => {
    const bus = aBus();
    const bench = await open({
      spec: REVIEWED,
      replies: [
        {
          text: "secret-said",
          ...calls(
            ["archmax_set_variables", { variables: { secret_name: "secret-value", title: "secret-title" } }],
            ["archmax_advance", { to: "review", reason: "secret-reason" }],
          ),
        },
        says("secret-handoff"),
        says("secret-answer"),
        says("secret-end"),
      ],
      host: { bus },
    });
    const { send, reply, decide } = bench.agent.workflow;
    await send("s1", {
      message: "secret-message",
      variables: { secret_seed: "secret-seeded" },
      files: { secret_file: { name: "secret-file.txt", content: "secret-bytes" } },
    });
    await reply("s1", "secret-question");
    await decide("s1", { target: "send", comment: "secret-comment" });

    expect(bus.seen.map(({ type }) => type)).toContain("parked");
    expect(JSON.stringify(bus.seen)).not.toContain("secret");
  });
});
