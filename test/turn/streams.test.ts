/** `agent.stream` and `agent.streamEvents`, on agents of both kinds. */
import { describe, expect, it, vi } from "vitest";
import type { Bench } from "../harness/agent.js";
import { benches, calls, ofType, plainBenches, says } from "./support.js";
import { ANSWERS, REVIEWED, toReview } from "./workflows.js";

const open = benches();
const plain = plainBenches();
const config = { configurable: { thread_id: "s1" } };
const LISTS = [calls(["ls", { path: "/" }]), says("Nothing there.")];
const kinds = [
  ["governed", () => open({ spec: ANSWERS, replies: LISTS })],
  ["plain", () => plain({ replies: LISTS })],
] as const;

async function all<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** What is stored of the thread, without the ids and times that each run has its own of. */
async function threadOf({ stores, clock }: Pick<Bench, "stores" | "clock">): Promise<string[]> {
  const session = await stores.sessions.read("s1", clock.now());
  return (session?.thread ?? []).map(({ key, value }) =>
    `${key} ${value}`.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|arr-[0-9a-f]+|"t":\d+/g, "<own>"),
  );
}

describe.each(kinds)("a %s agent's streams", (_kind, make) => {
  it("H-49 are the turn's updates by node, and the turn is the one that invoke makes", async () => {
    const { agent, events } = await make();

    const chunks = await all(await agent.stream({ messages: "Look." }, config));

    expect(chunks.map((chunk) => Object.keys(chunk as object))).toEqual([["open"], ["model"], ["tool"], ["model"]]);
    expect(await agent.sessions.get("s1")).toMatchObject({ status: "completed" });
    expect(await agent.sessions.messageCount("s1")).toBe(4);
    expect(ofType(events, "agent-text").map(({ text }) => text)).toEqual(["Nothing there."]);
  });

  it("H-49 are LangGraph's chunks of the modes asked for", async () => {
    const { agent } = await make();

    const chunks = await all(await agent.stream({ messages: "Look." }, { ...config, streamMode: ["values", "tasks"] }));

    const modes = chunks.map((chunk) => (chunk as [string, unknown])[0]);
    expect(new Set(modes)).toEqual(new Set(["values", "tasks"]));
    const last = chunks.findLast((chunk) => (chunk as [string, unknown])[0] === "values") as [
      string,
      { session: { messages: unknown[] } },
    ];
    expect(last[1].session.messages).toHaveLength(4);
  });

  it("H-49 are LangGraph's events, named by what runs", async () => {
    const { agent } = await make();

    const events = await all(agent.streamEvents({ messages: "Look." }, config));

    const ran = events.filter(({ event }) => event === "on_chain_start").map(({ name }) => name);
    expect(ran).toEqual(expect.arrayContaining(["LangGraph", "open", "model", "tool"]));
    expect(events.at(-1)).toMatchObject({ event: "on_chain_end", name: "LangGraph" });
    expect(await agent.sessions.get("s1")).toMatchObject({ status: "completed" });
  });

  it("H-49 S-77 leave the thread that the same turn leaves where nobody watches", async () => {
    const [watched, unwatched] = [await make(), await make()];

    await all(watched.agent.streamEvents({ messages: "Look." }, config));
    await unwatched.agent.invoke({ messages: "Look." }, config);

    const thread = await threadOf(unwatched);
    expect(thread.length).toBeGreaterThan(4);
    expect(await threadOf(watched)).toEqual(thread);
  });

  it("H-49 take LangGraph's filter of events", async () => {
    const { agent } = await make();

    const events = await all(agent.streamEvents({ messages: "Look." }, config, { includeNames: ["tool"] }));

    expect(new Set(events.map(({ name }) => name))).toEqual(new Set(["tool"]));
  });

  it("H-49 S-3 stop nothing when nobody reads on, and tell nothing for a key that was answered", async () => {
    const { agent, requests } = await make();
    const once = () => agent.stream({ messages: "Look." }, { ...config, idempotencyKey: "k" });

    for await (const _first of await once()) break;
    await vi.waitFor(async () => expect(await agent.sessions.get("s1")).toMatchObject({ status: "completed" }));
    const again = await all(await once());

    expect(again).toEqual([]);
    expect(requests).toHaveLength(2);
  });
});

describe("streams", () => {
  it("H-49 H-47 fail as invoke does: for a parked session, without a thread, for messages that are none", async () => {
    const { agent } = await open({ spec: REVIEWED, replies: [toReview, says("Please decide.")] });
    await agent.invoke({ messages: "Go." }, config);

    await expect(all(await agent.stream({ messages: "Go." }, config))).rejects.toMatchObject({
      code: "session-not-resumable",
    });
    await expect(agent.stream({ messages: "Go." }, {} as never)).rejects.toMatchObject({ code: "missing-thread-id" });
    await expect(agent.stream({ messages: "Go." }, undefined as never)).rejects.toMatchObject({
      code: "missing-thread-id",
    });
    expect(() => agent.streamEvents({ messages: [] }, config)).toThrow(/messages/);
  });

  it("H-49 H-67 fail as the turn does", async () => {
    const { agent } = await open({
      spec: ANSWERS,
      answer: () => ({ status: 400, error: { message: "no such model" } }),
    });

    await expect(all(await agent.stream({ messages: "Go." }, config))).rejects.toThrow("no such model");
    await expect(all(agent.streamEvents({ messages: "Go." }, config))).rejects.toThrow("no such model");

    expect(await agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "turn-error" } });
  });

  it("H-49 S-50 go on over the legs of a turn that is cut", async () => {
    let rings = 0;
    const doorbell = {
      ring: async () => {
        rings += 1;
      },
    };
    const { agent, clock } = await open({ spec: ANSWERS, replies: LISTS, host: { doorbell } });

    const chunks = await all(await agent.stream({ messages: "Look." }, { ...config, drainAt: clock.now() }));

    expect(rings).toBe(4);

    expect(chunks.map((chunk) => Object.keys(chunk as object)[0])).toEqual(["open", "model", "tool", "model"]);
    expect(await agent.sessions.get("s1")).toMatchObject({ status: "completed" });
  });

  it("H-49 H-51 end with the caller's reason when the call is cancelled", async () => {
    const cancel = new AbortController();
    const { agent } = await open({
      spec: ANSWERS,
      answer: () => {
        cancel.abort(new Error("no longer wanted"));
        return says("Late.");
      },
    });

    await expect(all(await agent.stream({ messages: "Go." }, { ...config, signal: cancel.signal }))).rejects.toThrow(
      "no longer wanted",
    );
  });
});
