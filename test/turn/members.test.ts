/** What an agent has beside its turns. */
import { expect, it } from "vitest";
import { createBackendSessionStore, portsOf } from "../../lib/stores/bundles/index.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { type Backend, createMemoryBackend } from "../../lib/workspace/index.js";
import { benches, calls, results, says } from "./support.js";

const open = benches();

const SPEC = `
states:
  work:
    triggers: { manual: }
    instructions: Work.
    tools: { allow: [slow] }
`;

it("H-54 shows the runtime contract that the spec declares, or the default one", async () => {
  const defaulted = await open({ spec: SPEC });
  const declared = await open({ spec: `runtime: { engine: archmax-harness, version: 3 }\n${SPEC}` });

  expect(defaulted.agent.runtimeContract).toEqual({ engine: "archmax-harness", version: "3", source: "defaulted" });
  expect(declared.agent.runtimeContract).toEqual({ engine: "archmax-harness", version: "3", source: "declared" });
});

it("H-46 tells whether a middleware mocks tools, and that a governed agent has sub-workflows", async () => {
  const without = await open({ spec: SPEC, middleware: [{ name: "Other" }] });
  const mocked = await open({ spec: SPEC, middleware: [{ name: "Other" }, { name: "ToolMockMiddleware" }] });

  expect(without.agent.capabilities).toEqual({ toolMocks: false, subWorkflows: true });
  expect(mocked.agent.capabilities).toEqual({ toolMocks: true, subWorkflows: true });
});

it("H-52 R-308 disposes of a session any number of times, while a cancelled script's call is still pending", async () => {
  const cancel = new AbortController();
  const pending = Promise.withResolvers<string>();
  let ended = false;
  const tools = toolsFromMap({
    slow: {
      description: "Takes long, and does not look at its signal.",
      inputSchema: { type: "object" },
      handler: async () => {
        cancel.abort(new Error("no longer wanted"));
        const answer = await pending.promise;
        ended = true;
        return answer;
      },
    },
  });
  const { agent } = await open({
    spec: SPEC,
    tools,
    replies: [calls(["archmax_eval", { code: "await tools.slow({})" }]), says("Again.")],
  });

  try {
    await expect(
      agent.workflow.send("s1", { message: "Go." }, { signal: cancel.signal, idempotencyKey: "first" }),
    ).rejects.toThrow("no longer wanted");
  } finally {
    await agent.dispose("s1");
    await agent.dispose("s1");
    await agent.dispose("never-seen");
  }

  expect(ended).toBe(false);
  expect(await agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "turn-cancelled" } });
  pending.resolve("late");
  const outcome = await agent.workflow.send("s1", { message: "Once more." });
  expect(outcome).toMatchObject({ kind: "completed", reply: "Again." });
  expect(results(outcome).map(({ text }) => text)).not.toContain("late");
});

it("H-52 R-308 frees what the store keeps of a session in memory, so that the next turn loads it from there", async () => {
  const backend = createMemoryBackend();
  const read: string[] = [];
  const counted: Backend = {
    ...backend,
    downloadFiles: (paths) => {
      read.push(...paths.filter((path) => path.startsWith("/.parkway/sessions/")));
      return backend.downloadFiles(paths);
    },
  };
  const stores = await portsOf(createBackendSessionStore({ backend: counted }));
  const { agent } = await open({ spec: SPEC, stores, replies: [says("One."), says("Two."), says("Three.")] });
  await agent.workflow.send("s1", { message: "Go." });

  read.length = 0;
  await agent.workflow.send("s1", { message: "Go." });
  const kept = read.length;
  await agent.dispose("s1");
  const outcome = await agent.workflow.send("s1", { message: "Go." });

  expect(kept).toBe(0);
  expect(read).toHaveLength(1);
  expect(outcome).toMatchObject({ kind: "completed", reply: "Three." });
  expect(await agent.sessions.messageCount("s1")).toBe(6);
});

it("H-52 H-78 is safe for a session that was deleted, and refuses an id that names none", async () => {
  const { agent } = await open({ spec: SPEC, replies: [says("Done."), says("Done.")] });
  await agent.workflow.send("s1", { message: "Go." });

  await agent.dispose("s1");
  expect(await agent.sessions.messageCount("s1")).toBe(2);
  expect(await agent.sessions.delete("s1")).toBe(true);
  await agent.dispose("s1");

  expect(await agent.sessions.get("s1")).toBeNull();
  await expect(agent.dispose("../x")).rejects.toMatchObject({ code: "session-id" });
});
