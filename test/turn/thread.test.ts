/** What an agent shows of its sessions' threads, and what it hands to LangGraph. */
import { tool } from "@langchain/core/tools";
import { getStore, InMemoryStore } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { workflowStateSchema } from "../../lib/session/state-schema.js";
import { benches, calls, plainBenches, results, says } from "./support.js";
import { ANSWERS, REVIEWED, toReview, WAITS, waitForReply } from "./workflows.js";

const open = benches();
const plain = plainBenches();
const config = { configurable: { thread_id: "s1" } };

describe("an agent", () => {
  it.each([
    ["governed", () => open({ spec: ANSWERS, replies: [says("One."), says("Two.")] })],
    ["plain", () => plain({ replies: [says("One."), says("Two.")] })],
  ])("H-44 H-45 has every member, and a %s one's survive destructuring", async (kind, make) => {
    const { agent } = await make();
    const { invoke, stream, streamEvents, withConfig, getState, getStateHistory, updateState, dispose } = agent;
    const { emitRunArtifacts, getSpecSnapshot, sessions } = agent;

    expect(Object.keys(agent)).toEqual(
      expect.arrayContaining(
        "invoke stream streamEvents withConfig graph checkpointer store getState getStateHistory updateState sessions emitRunArtifacts getSpecSnapshot dispose runtimeContract capabilities workflow".split(
          " ",
        ),
      ),
    );
    await invoke({ messages: "Go." }, config);
    for await (const _chunk of await stream({ messages: "Go on." }, config));
    expect(() => streamEvents({ messages: [] }, config)).toThrow();
    expect((await getState(config)).values?.messages).toHaveLength(4);
    expect((await getStateHistory(config).next()).value?.values?.status).toBe("completed");
    await expect(updateState(config, {})).rejects.toMatchObject({ code: "state-update-refused" });
    expect(await sessions.messageCount("s1")).toBe(4);
    expect(await emitRunArtifacts("s1")).toBe("s1/artifacts");
    expect(await getSpecSnapshot("unknown")).toBeNull();
    expect(withConfig({}).workflow).toBe(agent.workflow);
    await dispose("s1");
    expect(agent.workflow === undefined).toBe(kind === "plain");
  });

  it("H-44 is the same one under other settings, which a call's own outweigh", async () => {
    const { agent, requests } = await open({ spec: ANSWERS, answer: () => calls(["ls", { path: "/" }]) });

    const bound = agent.withConfig({ configurable: { thread_id: "s1" }, recursionLimit: 3 });

    expect(bound).not.toBe(agent);
    expect(bound.workflow).toBe(agent.workflow);
    expect(bound.sessions).toBe(agent.sessions);
    await expect(bound.invoke({ messages: "Go." }, {} as never)).rejects.toThrow("3 steps");
    const narrower = bound.withConfig({ recursionLimit: 5 });
    await expect(narrower.invoke({ messages: "Go." }, {} as never)).rejects.toThrow("5 steps");
    await expect(narrower.invoke({ messages: "Go." }, { ...config, recursionLimit: 1 })).rejects.toThrow("1 steps");
    expect((await bound.getState({} as never)).values?.status).toBe("failed");
    expect(requests.length).toBeGreaterThan(2);
  });

  it("H-8 H-22 refuses what would interrupt calls, and a saver that is not the session store's", async () => {
    const { again } = await open({ spec: ANSWERS, replies: [] });

    await expect(again({ interruptOn: { ls: true } } as never)).rejects.toThrow(/interruptOn.*human state/);
    await expect(again({ checkpointer: {} } as never)).rejects.toThrow(/checkpointer.*one commit/);
    await expect(again({ interruptOn: {} } as never)).rejects.toBeInstanceOf(TypeError);
  });

  it.each([
    ["governed", (given: object) => open({ spec: `${ANSWERS}    tools: { allow: [remember] }\n`, ...given })],
    ["plain", (given: object) => plain(given)],
  ])("H-22 hands store, name and description of a %s agent to LangGraph untouched", async (_kind, make) => {
    const store = new InMemoryStore();
    await store.put(["people"], "ada", { likes: "tea" });
    const remember = tool(async ({ who }) => JSON.stringify((await getStore()?.get(["people"], who))?.value), {
      name: "remember",
      description: "Tells what is known of somebody.",
      schema: z.object({ who: z.string() }),
    });
    const { agent } = await make({
      store,
      name: "clerk",
      description: "Answers customers.",
      tools: [remember],
      replies: [calls(["remember", { who: "ada" }]), says("She likes tea.")],
    });

    const names: string[] = [];
    for await (const { name } of agent.streamEvents({ messages: "What does Ada like?" }, config)) names.push(name);

    expect(agent.store).toBe(store);
    expect(names).toContain("clerk");
    expect(agent.graph).toMatchObject({ name: "clerk", description: "Answers customers." });
    expect(results({ messages: (await agent.getState(config)).values!.messages })).toMatchObject([
      { tool: "remember", text: '{"likes":"tea"}' },
    ]);
  });
});

describe("a session's thread", () => {
  it("H-44 H-130 R-5 is its checkpointed state, in the schema's form: parked for a decision", async () => {
    const { agent } = await open({ spec: REVIEWED, replies: [toReview, says("Please decide.")] });
    await agent.workflow.send("s1", { message: "Go.", variables: { order: "NL-1" } });

    const { values, next } = await agent.getState(config);

    expect(workflowStateSchema.parse(values)).toEqual(values);
    expect(next).toEqual([]);
    expect(values).toMatchObject({
      status: "awaiting_decision",
      position: "review",
      entryState: "work",
      variables: { order: { value: "NL-1", locked: true } },
      trail: [
        { to: "work", kind: "trigger" },
        { to: "review", kind: "agent" },
      ],
      park: { channel: "decision", state: "review", evidence: ["scratchpad/draft.md"], seq: 1 },
    });
    expect(values?.variables.order).not.toHaveProperty("lockedBy");
  });

  it("H-44 H-130 R-5 is the same for a wait, and null where nothing has run", async () => {
    const { agent } = await open({ spec: WAITS, replies: [waitForReply, says("Waiting.")] });
    await agent.workflow.send("s1", { message: "Go." });

    const { values } = await agent.getState(config);

    expect(workflowStateSchema.parse(values)).toEqual(values);
    expect(values).toMatchObject({ status: "awaiting_input", park: { channel: "input" } });
    expect((await agent.getState({ configurable: { thread_id: "never" } })).values).toBeNull();
    await expect(agent.getState({ configurable: { thread_id: "../x" } })).rejects.toMatchObject({ code: "session-id" });
    await expect(agent.getState({} as never)).rejects.toMatchObject({ code: "missing-thread-id" });
  });

  it("H-44 is written by turns alone: the checkpointer and the graph only read", async () => {
    const { agent } = await open({ spec: ANSWERS, replies: [says("One.")] });
    await agent.workflow.send("s1", { message: "Go." });
    const { graph, checkpointer } = agent;
    const before = await agent.getState(config);

    expect((await checkpointer.getTuple(config))?.checkpoint.id).toBe(before.config.configurable?.checkpoint_id);
    expect((await graph.getState(config)).config).toEqual(before.config);
    expect((await graph.getGraphAsync()).drawMermaid()).toContain("model");
    await expect(graph.invoke({ session: [] } as never, { ...config })).rejects.toThrow();
    await expect(graph.updateState(config, { session: [] } as never, "model")).rejects.toMatchObject({
      code: "checkpointer-read-only",
    });
    await expect(checkpointer.deleteThread("s1")).rejects.toMatchObject({ code: "checkpointer-read-only" });
    expect(await agent.getState(config)).toEqual(before);
  });
});
