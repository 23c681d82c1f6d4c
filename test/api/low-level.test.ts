/** The low-level names of the root (H-130). */
import { describe, expect, it } from "vitest";
import {
  createMemoryBackend,
  createWorkflowEventEmitter,
  createWorkspaceContext,
  SessionStoreRequiredError,
  WorkspaceRootRequiredError,
  workflowStateSchema,
} from "../../lib/index.js";
import type { EngineEvent } from "../../lib/session/events.js";
import { loadState } from "../../lib/session/load-state.js";
import { manualClock } from "../harness/clock.js";
import { benches, calls, says } from "../turn/support.js";

const open = benches();

const SPEC = `
states:
  work:
    triggers: { manual: }
    instructions: Work.
    tools: { allow: [write_file] }
    transitions: [{ to: review, description: Ready. }]
  review:
    type: human
    instructions: Look at it.
    approvers: [lead@desk.example]
    transitions: [{ to: work, type: refine, description: Again. }, { to: done, type: approve, description: Good. }]
  done:
    instructions: Say goodbye.
`;

describe("H-130 workflowStateSchema", () => {
  it("R-5 H-130 takes the state of a parked and of a finished session, and keeps every field", async () => {
    const bench = await open({
      spec: SPEC,
      replies: [
        calls(["write_file", { path: "scratchpad/a.md", content: "x" }]),
        calls(["archmax_advance", { to: "review", reason: "Ready." }]),
        says("It waits for the lead."),
        says("Goodbye."),
      ],
    });
    const parked = await bench.agent.workflow.send("s1", { message: "Begin.", variables: { title: "A case" } });
    const stateOf = async () => {
      const loaded = await loadState(bench.stores.sessions, "s1");
      if (!loaded) throw new Error("the session is stored");
      const { fields, messages, variables, trail, usage } = loaded.state;
      return { ...fields, messages, variables, trail, usage };
    };

    expect(parked.kind).toBe("parked");
    const first = await stateOf();
    expect(workflowStateSchema.parse(first)).toEqual(first);
    expect(workflowStateSchema.parse(first)).toMatchObject({
      status: "awaiting_decision",
      park: { channel: "decision", state: "review", approvers: ["lead@desk.example"] },
      variables: { title: { value: "A case" } },
    });

    const settled = await bench.agent.workflow.decide("s1", { target: "done" });
    expect(settled.kind).toBe("completed");
    const last = await stateOf();
    expect(workflowStateSchema.parse(last)).toEqual(last);
  });

  it("R-5 H-130 refuses what no session is, naming the field", () => {
    const empty = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };
    const state = { messages: [], variables: {}, trail: [], usage: empty };

    expect(workflowStateSchema.safeParse(state).success).toBe(true);
    for (const [field, broken] of [
      ["status", { ...state, status: "paused" }],
      ["messages", { ...state, messages: [{ id: "1", role: "human", content: "x" }] }],
      ["variables", { ...state, variables: { a: { value: 1 } } }],
      ["park", { ...state, park: { channel: "decision", parkId: "p1" } }],
      ["usage", { ...state, usage: undefined }],
      ["decisionCount", { ...state, decisionCount: -1 }],
    ] as const) {
      const { error } = workflowStateSchema.safeParse(broken);
      expect([field, error?.issues[0]?.path[0]]).toEqual([field, field]);
    }
  });
});

describe("H-130 createWorkflowEventEmitter", () => {
  it("H-80 H-130 stamps level, time and a growing number, and hands each event on", () => {
    const clock = manualClock();
    const seen: EngineEvent[] = [];
    const emitter = createWorkflowEventEmitter((event) => seen.push(event), { clock });
    emitter.emit({ type: "state-enter", state: "work" }, "s1");
    clock.advance(5);
    emitter.emit({ type: "warning", scope: "x", message: "y" });

    expect(seen).toEqual([
      { type: "state-enter", state: "work", level: "info", ts: clock.now() - 5, seq: 1, sessionId: "s1" },
      { type: "warning", scope: "x", message: "y", level: "warn", ts: clock.now(), seq: 2 },
    ]);
  });
});

describe("H-130 createWorkspaceContext", () => {
  it("H-130 serves a session's own files, the mounts over them, and the authored files apart, as the agent sees them", async () => {
    const bench = await open({
      spec: SPEC,
      files: { "AGENTS.md": "You are careful.", "skills/a/SKILL.md": "---\ndescription: A.\n---\n" },
      replies: [calls(["write_file", { file_path: "scratchpad/a.md", content: "x" }]), says("Written.")],
    });
    await bench.agent.workflow.send("s1", { message: "Begin." });
    const context = await createWorkspaceContext({ workspace: { rootDir: bench.rootDir }, stores: bench.stores });
    const files = context.workspaceOf("s1");

    expect((await files.readRaw("/scratchpad/a.md")).data?.content).toBe("x");
    expect((await files.readRaw("/AGENTS.md")).data?.content).toBe("You are careful.");
    expect(await files.write("/skills/a/SKILL.md", "mine")).toMatchObject({
      error: expect.stringMatching(/read-only/),
    });
    expect((await files.readRaw("/workflows/case/workflow.yaml")).error).toBeDefined();
    expect(await context.authoring.listWorkflows()).toEqual(["case"]);
    expect((await context.workspaceOf("s2").readRaw("/scratchpad/a.md")).error).toBeDefined();
    await context.close();
  });

  it("H-28 H-130 refuses what assembly refuses", async () => {
    await expect(createWorkspaceContext({ backend: createMemoryBackend() })).rejects.toThrow(SessionStoreRequiredError);
    await expect(createWorkspaceContext({ workspace: { mounts: {} } })).rejects.toThrow(WorkspaceRootRequiredError);
  });
});
