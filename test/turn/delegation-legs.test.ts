/** Children across invocations, owners and the end of a turn (chapter S, and ). */
import { describe, expect, it } from "vitest";
import { LeaseLostError } from "../../lib/session/errors.js";
import { loadState } from "../../lib/session/load-state.js";
import type { Commit, Lease, SessionStore } from "../../lib/session/ports.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import type { Bench } from "../harness/agent.js";
import { wrapStore } from "../harness/wrap-store.js";
import type { RecordedRequest, ServerReply } from "../model-server/index.js";
import { byModel, caller, worker, workflow } from "./delegating.js";
import { benches, calls, ofType, results, says, setting, types } from "./support.js";

const open = benches();

const CHECK = "archmax_workflow_check";
const never = () => new Promise<never>(() => {});
const statusOf = async (sessions: SessionStore, id: string) => (await loadState(sessions, id))?.state.fields.status;

/** The text of the last message of a request. */
const lastOf = ({ body }: RecordedRequest) => String(body.messages.at(-1)?.content);

describe("many children", () => {
  it("R-182 A-75 W-247 at most four of one session's run at once, the others in order", async () => {
    let running = 0;
    let most = 0;
    const order: string[] = [];
    const waiting: (() => void)[] = [];
    let begun: number | undefined;
    const letThrough = () => {
      begun ??= ofType(bench.events, "sub-workflow-start").length;
      for (const go of waiting.splice(0)) go();
    };
    const answer = async ({ body }: RecordedRequest): Promise<ServerReply> => {
      if (body.model !== "child") {
        const asked = body.messages.some(({ role }) => role === "tool");
        const six = [1, 2, 3, 4, 5, 6].map((n): [string, Record<string, unknown>] => [CHECK, { n }]);
        return asked ? says("Done.") : calls(...six);
      }
      running += 1;
      most = Math.max(most, running);
      order.push(/n = (\d)/.exec(JSON.stringify(body.messages))?.[1] ?? "");
      await new Promise<void>((go) => {
        waiting.push(go);
        // Whoever else is let in would have asked by then.
        if (waiting.length === 4) setTimeout(letThrough, 100);
        if (order.length > 4) setTimeout(letThrough, 100);
      });
      running -= 1;
      return says("Worked.");
    };
    const bench: Bench = await open({ spec: caller("check"), files: workflow("check", worker("child")), answer });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(begun).toBe(4);
    expect(results(outcome).map(({ text }) => text)).toEqual(Array(6).fill("Worked."));
    expect(most).toBe(4);
    expect(order.slice(0, 4).sort()).toEqual(["1", "2", "3", "4"]);
    expect((await bench.agent.sessions.list()).map(({ sessionId }) => sessionId)).toContain("s1~6");
  });

  it("R-179 numbers go on in later turns and other processes", async () => {
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", worker("child")),
      answer: byModel({
        "test-model": [calls([CHECK, {}]), says("One."), calls([CHECK, {}], [CHECK, {}]), says("Two.")],
        child: [says("a"), says("b"), says("c")],
      }),
    });
    await bench.agent.workflow.send("s1", { message: "Go." });
    await (await bench.again()).workflow.send("s1", { message: "Again." });

    expect(ofType(bench.events, "sub-workflow-start").map(({ dispatchId }) => dispatchId)).toEqual(["1", "2", "3"]);
  });
});

describe("stopping a turn", () => {
  it("R-307 R-305 ends the children that run for it as failed, and they stay so", async () => {
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", worker("child")),
      answer: ({ body }) => (body.model === "child" ? never() : calls([CHECK, {}, "c1"], [CHECK, {}, "c2"])),
    });
    const aborter = new AbortController();
    const turn = bench.agent.workflow.send("s1", { message: "Go." }, { signal: aborter.signal });
    await expect.poll(() => bench.requests.length).toBe(3);

    aborter.abort(new Error("Enough."));

    await expect(turn).rejects.toThrow("Enough.");
    for (const id of ["s1~1", "s1~2"]) {
      expect((await loadState(bench.stores.sessions, id))?.state.fields).toMatchObject({
        status: "failed",
        exit: { code: "turn-cancelled" },
      });
    }
    expect(await statusOf(bench.stores.sessions, "s1")).toBe("failed");
  });

  it("R-307 ends only when its children have", async () => {
    let finish: () => void = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const aborter = new AbortController();
    const sessions = createMemorySessionStore();
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", worker("child")),
      stores: {
        sessions: wrapStore(sessions, async ({ name, args }, run) => {
          if (name === "commit" && (args[0] as Lease).sessionId === "s1~1" && aborter.signal.aborted) await finished;
          return run();
        }),
        files: createMemoryFileStore(),
      },
      answer: ({ body }) => (body.model === "child" ? never() : calls([CHECK, {}, "c1"], [CHECK, {}, "c2"])),
    });
    let isOver = false;
    const turn = bench.agent.workflow.send("s1", { message: "Go." }, { signal: aborter.signal }).finally(() => {
      isOver = true;
    });
    turn.catch(() => undefined);
    await expect.poll(() => bench.requests.length).toBe(3);
    aborter.abort(new Error("Enough."));
    await expect.poll(() => statusOf(sessions, "s1~2")).toBe("failed");
    // Whatever else a turn does at its end would be done by now.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isOver).toBe(false);

    finish();

    await expect(turn).rejects.toThrow("Enough.");
    expect(await statusOf(sessions, "s1~1")).toBe("failed");
  });

  it("R-201 R-307 a child that had parked stays parked, and the next turn warns that nothing presents it", async () => {
    const parking = worker("child")
      .replace("manual:", "manual:")
      .concat(
        "    transitions: [{ to: ask, description: Ask. }]\n  ask: { type: human, instructions: Fine?, transitions: [{ to: work, description: Yes. }] }\n",
      );
    const bench = await open({
      spec: caller("check", "slow"),
      files: { ...workflow("check", parking), ...workflow("slow", worker("slow")) },
      answer: (request) => {
        if (request.body.model === "slow") return never();
        if (request.body.model === "child") {
          return lastOf(request).startsWith("[opening]")
            ? calls(["archmax_advance", { to: "ask", reason: "To a person." }])
            : says("Please.");
        }
        return lastOf(request) === "Again."
          ? says("Well.")
          : calls([CHECK, {}, "c1"], ["archmax_workflow_slow", {}, "c2"]);
      },
    });
    const aborter = new AbortController();
    const turn = bench.agent.workflow.send("s1", { message: "Go." }, { signal: aborter.signal });
    const phase = async () => (await loadState(bench.stores.sessions, "s1~1"))?.state.fields.parkPhase;
    await expect.poll(phase).toBe("suspended");
    await expect.poll(() => bench.requests.some(({ body }) => body.model === "slow")).toBe(true);
    aborter.abort(new Error("Enough."));
    await expect(turn).rejects.toThrow();
    expect(await statusOf(bench.stores.sessions, "s1~1")).toBe("awaiting_decision");

    const outcome = await bench.agent.workflow.send("s1", { message: "Again." });

    expect(outcome).toMatchObject({ kind: "completed", reply: "Well." });
    expect(ofType(bench.events, "warning")).toMatchObject([
      { scope: "delegation", message: expect.stringContaining("s1~1") },
    ]);
    expect(await statusOf(bench.stores.sessions, "s1~1")).toBe("awaiting_decision");
  });
});

describe("an invocation that ends inside a child", () => {
  const tick = () => calls(setting({ n: 1 }));

  it("S-55 S-56 S-89 F-41 H-43 goes on with the child in the next one, however many steps it takes, and attempts never add up", async () => {
    const ran: string[] = [];
    const tools = toolsFromMap({
      pay: {
        description: "Pays.",
        inputSchema: { type: "object" },
        handler: (_input, { idempotencyKey }) => void ran.push(idempotencyKey),
      },
    });
    const child = worker("child").replace("instructions:", "tools: { allow: [pay] }\n    instructions:");
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", child),
      tools,
      answer: byModel({
        "test-model": [calls([CHECK, {}, "c1"]), says("Done.")],
        child: [calls(["pay"]), ...Array.from({ length: 9 }, tick), says("Worked.")],
      }),
    });
    await bench.agent.accept("s1", { kind: "turn", message: "Go." });

    const attempts: number[] = [];
    let left = "";
    for (let n = 0; n < 40 && left !== "idle"; n += 1) {
      ({ left } = await (await bench.again()).work("s1", { drainAt: 0 }));
      attempts.push((await bench.stores.sessions.read("s1"))?.record.active?.attempts ?? 0);
    }

    expect(attempts.length).toBeGreaterThan(8);
    expect(Math.max(...attempts)).toBe(0);
    expect(ran).toEqual([expect.stringMatching(/^s1~1\//)]);
    expect(await statusOf(bench.stores.sessions, "s1")).toBe("completed");
    expect(bench.requests.filter(({ body }) => body.model === "child")).toHaveLength(11);
    expect(types(bench.events, "sub-workflow-start", "sub-workflow-result")).toEqual([
      "sub-workflow-start",
      "sub-workflow-result",
    ]);
  });

  it("S-89 F-39 a child that gets on between two crashes never uses up its root's attempts", async () => {
    const sessions = createMemorySessionStore();
    let commits = 0;
    let dies = false;
    // The process dies at its third write of the child, every time.
    const stores = {
      sessions: wrapStore(sessions, ({ name, args }, run) => {
        if (dies) return never();
        if (name === "commit" && (args[0] as Lease).sessionId === "s1~1" && ++commits % 3 === 0) {
          dies = true;
          return never();
        }
        return run();
      }),
      files: createMemoryFileStore(),
    };
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", worker("child")),
      stores,
      answer: ({ body }) => {
        if (body.model !== "child")
          return body.messages.some(({ role }) => role === "tool") ? says("Done.") : calls([CHECK, {}, "c1"]);
        return body.messages.length < 70 ? tick() : says("Worked.");
      },
    });
    await bench.agent.accept("s1", { kind: "turn", message: "Go." });

    for (let n = 0; n < 30 && (await statusOf(sessions, "s1")) !== "completed"; n += 1) {
      dies = false;
      const agent = await bench.again();
      const work = agent.work("s1");
      await Promise.race([work, expect.poll(() => dies).toBe(true)]).catch(() => undefined);
      bench.clock.advance(20 * 60_000);
    }

    const root = (await loadState(sessions, "s1"))?.state;
    expect(root?.fields.status).toBe("completed");
    expect(commits).toBeGreaterThan(3);
    expect(JSON.stringify(root?.messages)).not.toContain("archmax_set_variables");
  });
});

describe("a worker that was overtaken", () => {
  it("S-28 S-23 writes nothing more into the child, whose new owner goes on where it stood", async () => {
    const sessions = createMemorySessionStore();
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isFirst = true;
    const late: unknown[] = [];
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", worker("child")),
      stores: {
        sessions: wrapStore(sessions, async ({ name, args }, run) => {
          const ofChild = name === "commit" && (args[0] as Lease).sessionId === "s1~1";
          const isModels = ofChild && JSON.stringify((args[1] as Commit).puts).includes("First words.");
          if (!isModels || !isFirst) return run();
          isFirst = false;
          await held;
          return run().catch((error: unknown) => {
            late.push(error);
            throw error;
          });
        }),
        files: createMemoryFileStore(),
      },
      answer: byModel({
        "test-model": [calls([CHECK, {}, "c1"]), says("Done.")],
        child: [says("First words."), says("Second words.")],
      }),
    });
    await bench.agent.accept("s1", { kind: "turn", message: "Go." });
    const zombie = bench.agent.work("s1");
    await expect.poll(() => isFirst).toBe(false);
    // Its heart stands still as long as the clock does; the lease runs out in the eyes of another.
    const second = await bench.again();
    await sessions.claim("s1", { owner: "another", now: bench.clock.now() + 3_600_000, leaseMs: 1 });
    bench.clock.advance(2 * 3_600_000);

    expect(await second.work("s1")).toMatchObject({ left: "idle" });
    release();

    expect(await zombie).toMatchObject({ left: "lost", settled: [] });
    expect(late).toEqual([expect.any(LeaseLostError)]);
    const child = await loadState(sessions, "s1~1");
    expect(child?.state.messages.map(({ content }) => content)).not.toContain("First words.");
    expect(child?.state.messages.at(-1)?.content).toBe("Second words.");
    expect(child?.record.fence).toBe((await sessions.read("s1"))?.record.fence);
  });
});
