/** Agents without a workflow. */
import { describe, expect, it } from "vitest";
import { createAgent } from "../../lib/agent.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { createMemoryBackend } from "../../lib/workspace/index.js";
import { openBench } from "../harness/agent.js";
import { benches, calls, offered, ofType, plainBenches, results, says, system, types } from "./support.js";

const open = plainBenches();
const governed = benches();

const AGENT = { thread_id: "s1" };
const lookup = toolsFromMap({
  lookup: {
    description: "Looks an order up.",
    inputSchema: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
    handler: ({ order }, { sessionId }) => `${order} of ${sessionId}`,
  },
});
const ask = (content: string) => ({ messages: [{ role: "user", content }] });

describe("what governs an agent", () => {
  const NAMED = "states:\n  one:\n    triggers: { manual: }\n    instructions: Work.\n";
  const of = async (files: Record<string, string>, workflow?: string | false) => {
    const bench = await openBench({ files, replies: [] }, (params) =>
      createAgent(workflow === undefined ? params : { ...params, workflow }),
    );
    await bench.close();
    return bench.agent;
  };

  it("H-25 H-45 H-46 is plain where no workflow is named and the default one has no spec", async () => {
    const agent = await of({ "workflows/other/workflow.yaml": NAMED });

    expect(agent.workflow).toBeUndefined();
    expect(agent.capabilities.subWorkflows).toBe(false);
  });

  it("H-25 is governed by the default workflow where it has a spec, and plain all the same when declared so", async () => {
    const files = { "workflows/order-lookup/workflow.yaml": NAMED };

    expect((await of(files)).workflow?.name).toBe("order-lookup");
    expect((await of(files)).capabilities.subWorkflows).toBe(true);
    expect((await of(files, false)).workflow).toBeUndefined();
  });

  it("H-26 fails where the default workflow is invalid or is only the older single file; prose alone is none", async () => {
    const addendum = "workflows/order-lookup/WORKFLOW.md";

    await expect(of({ "workflows/order-lookup/workflow.yaml": "states: 3" })).rejects.toMatchObject({
      name: "WorkflowLoadError",
      workflow: "order-lookup",
    });
    await expect(of({ [addendum]: "---\nstates: {}\n---\n" })).rejects.toThrow("workflow.yaml");
    expect((await of({ [addendum]: "Only prose." })).workflow).toBeUndefined();
  });

  it("H-25 reads no spec when it is declared plain", async () => {
    expect((await of({ "workflows/order-lookup/workflow.yaml": "states: 3" }, false)).workflow).toBeUndefined();
  });

  it("H-8 needs no option at all", async () => {
    const backend = createMemoryBackend();
    const stores = { sessions: createMemorySessionStore(), files: createMemoryFileStore() };
    const agent = await createAgent({ backend, stores });

    expect(agent.workflow).toBeUndefined();
    await agent.close();
  });
});

describe("a plain agent's turn", () => {
  it("H-127 H-47 is the engine's: tools, the session's folder, the transcript, and no control of states", async () => {
    const { agent, requests, events, stores } = await open({
      tools: lookup,
      files: { "AGENTS.md": "Be brief.", "skills/tea/SKILL.md": "---\ndescription: How to make tea.\n---\nBoil." },
      systemPrompt: "You are a clerk.",
      replies: [
        calls(["lookup", { order: "NL-1" }], ["write_file", { file_path: "scratchpad/a.txt", content: "kept" }]),
        calls(["read_file", { file_path: "skills/tea/SKILL.md" }], ["archmax_advance", { to: "x" }]),
        says("Done."),
        says("Still here."),
      ],
    });

    const first = await agent.invoke(ask("Look NL-1 up."), { configurable: AGENT });
    const second = await agent.invoke(ask("And?"), { configurable: AGENT });

    expect(first).toMatchObject({ status: "completed", workflowState: "agent" });
    expect(results(first)).toMatchObject([
      { tool: "lookup", text: "NL-1 of s1", status: "success" },
      { tool: "write_file", status: "success" },
      { tool: "read_file", text: expect.stringContaining("Boil."), status: "success" },
      { tool: "archmax_advance", status: "error", text: expect.stringContaining("not a tool") },
    ]);
    expect(second.messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
      "Look NL-1 up.",
      "And?",
    ]);
    expect(new TextDecoder().decode((await stores.files.read("s1", "scratchpad/a.txt"))?.bytes)).toBe("kept");
    expect(offered(requests[0])).toEqual([
      "ls",
      "read_file",
      "write_file",
      "edit_file",
      "glob",
      "grep",
      "copy_file",
      "move_file",
      "remove_file",
      "write_todos",
      "archmax_eval",
      "archmax_run",
      "lookup",
    ]);
    const text = system(requests[0]);
    expect(text).toMatch(/^Be brief\.\n\nYou are a clerk\.\n\n## Workspace/);
    expect(text).toContain("How to make tea.");
    expect(text).not.toMatch(/archmax_advance|workflow|state/i);
    expect(types(events, "state-enter", "state-leave", "advance", "workflow-reset", "graph-topology")).toEqual([]);
    expect(ofType(events, "tool-called").map(({ tool }) => tool)).toEqual(["lookup", "write_file", "read_file"]);
    expect(ofType(events, "agent-text").map((event) => event.text)).toEqual(["Done.", "Still here."]);
  });

  it("H-127 keeps the path rules: read-only mounts, the runtime's areas, other sessions, host rules", async () => {
    const { agent } = await open({
      files: { "AGENTS.md": "Be brief." },
      policyRules: [
        function noGrep({ tool }) {
          return tool === "grep" ? { decision: "block", ruleId: "no-grep", reason: "No searching." } : null;
        },
      ],
      replies: [
        calls(
          ["write_file", { file_path: "AGENTS.md", content: "x" }],
          ["write_file", { file_path: "artifacts/x.json", content: "x" }],
          ["read_file", { file_path: "../s2/scratchpad/a.txt" }],
          ["read_file", { file_path: "workflows/order-lookup/workflow.yaml" }],
          ["grep", { pattern: "x" }],
        ),
        says("No."),
      ],
    });

    const { messages } = await agent.invoke(ask("Go."), { configurable: AGENT });

    expect(results({ messages }).map(({ refusal, text }) => refusal ?? text)).toEqual([
      "blocked:zone.read-only",
      "blocked:zone.runtime-internal",
      "blocked:zone.escapes",
      expect.stringContaining("There is no file"),
      "blocked:no-grep",
    ]);
  });

  it("H-127 reaches governed mounts as their table says, since no state could open them", async () => {
    const mounts = {
      "/notes/": { backend: createMemoryBackend({ "/a.md": "first" }), governed: true, readOnly: false },
      "/archive/": { backend: createMemoryBackend({ "/b.md": "old" }), governed: true },
    };
    const { agent, requests } = await open({
      workspace: { mounts },
      replies: [
        calls(
          ["read_file", { file_path: "notes/a.md" }],
          ["write_file", { file_path: "notes/b.md", content: "new" }],
          ["read_file", { file_path: "archive/b.md" }],
          ["write_file", { file_path: "archive/c.md", content: "new" }],
        ),
        says("Done."),
      ],
    });

    const { messages } = await agent.invoke(ask("Go."), { configurable: AGENT });

    expect(results({ messages }).map(({ status }) => status)).toEqual(["success", "success", "success", "error"]);
    expect(system(requests[0])).toMatch(/`notes\/`[\s\S]*read\/write/);
  });

  it("H-127 S-1 S-52 goes on in another process under the same id, and is no session of a workflow", async () => {
    const bench = await open({ tools: lookup, replies: [says("One."), says("Two.")] });
    const receipt = await bench.agent.accept("s1", { kind: "turn", message: "Go." }, { key: "k" });

    const other = await bench.again();
    await other.work("s1");
    const repeated = await other.accept("s1", { kind: "turn", message: "Go." }, { key: "k" });

    expect(await other.receipt(receipt.arrivalId)).toMatchObject({ status: "settled", outcome: { reply: "One." } });
    expect(repeated.arrivalId).toBe(receipt.arrivalId);
    expect(await other.sessions.get("s1")).toMatchObject({ status: "completed", workflowState: "agent" });
    expect(await other.sessions.get("s1")).not.toHaveProperty("specHash");
    const ruled = await governed({
      spec: "states:\n  one:\n    triggers: { manual: }\n    instructions: Work.\n",
      stores: bench.stores,
    });
    await expect(ruled.agent.workflow.send("s1", { message: "Mine?" })).rejects.toMatchObject({
      code: "session-workflow-mismatch",
    });
  });

  it("H-109 H-127 leaves out trail.json, variables.json and specHash of its artifacts", async () => {
    const { agent, stores } = await open({ replies: [says("Done.")] });
    await agent.invoke(ask("Go."), { configurable: AGENT });

    await agent.emitRunArtifacts("s1");

    const written = (await stores.files.list("s1")).map(({ path }) => path);
    expect(written).toEqual([
      "artifacts/graph.json",
      "artifacts/graph.mmd",
      "artifacts/metadata.json",
      "artifacts/trajectory.json",
    ]);
    const metadata = await stores.files.read("s1", "artifacts/metadata.json");
    expect(JSON.parse(new TextDecoder().decode(metadata?.bytes))).toMatchObject({
      sessionId: "s1",
      runtimeContract: { engine: "archmax-harness", version: "3", source: "defaulted" },
    });
    expect(new TextDecoder().decode(metadata?.bytes)).not.toContain("specHash");
    expect(await stores.files.readShared("_specs/.json")).toBeNull();
  });

  it("H-127 refuses an id that names no session, and takes the agent's own trigger only where it is there", async () => {
    const { agent, again } = await open({ replies: [] });

    await expect(agent.invoke(ask("Go."), { configurable: { thread_id: "../x" } })).rejects.toMatchObject({
      code: "session-id",
    });
    await expect(again({ trigger: { id: "mail" } })).rejects.toMatchObject({ name: "UnknownTriggerError" });
  });

  it("H-51 H-67 fails with the caller's reason when it is cancelled, and goes on with the next message", async () => {
    const cancel = new AbortController();
    const { agent } = await open({
      answer: (_request, ordinal) => {
        if (ordinal === 1) cancel.abort(new Error("no longer wanted"));
        return says("Later.");
      },
    });

    await expect(agent.invoke(ask("Go."), { configurable: AGENT, signal: cancel.signal })).rejects.toThrow(
      "no longer wanted",
    );

    expect(await agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "turn-cancelled" } });
    expect(await agent.invoke(ask("Go on."), { configurable: AGENT })).toMatchObject({ status: "completed" });
  });

  it("H-51 takes nothing in whose signal has stopped it before it began", async () => {
    const { agent, requests } = await open({ replies: [] });
    const signal = AbortSignal.abort(new Error("no longer wanted"));

    await expect(agent.invoke(ask("Go."), { configurable: AGENT, signal })).rejects.toThrow("no longer wanted");

    expect(await agent.sessions.get("s1")).toBeNull();
    expect(requests).toEqual([]);
  });

  it("H-50 ends at 400 steps, or at the number that the call gives", async () => {
    const { agent } = await open({ answer: () => calls(["ls", { path: "/" }]) });

    await expect(agent.invoke(ask("Go."), { configurable: AGENT, recursionLimit: 5 })).rejects.toThrow("5");

    expect(await agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "recursion-limit" } });
  });
});
