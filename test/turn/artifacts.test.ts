import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createAgent } from "../../lib/agent.js";
import {
  ARTIFACT_SCHEMAS,
  createTrajectoryRecorder,
  type RunMetadata,
  type SerializedGraph,
  serializedGraph,
  type Trajectory,
} from "../../lib/artifacts/index.js";
import type { ThreadItem } from "../../lib/session/ports.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { type Bench, sharedSandbox } from "../harness/agent.js";
import { writeTree } from "../harness/temporary.js";
import { wrapStore } from "../harness/wrap-store.js";
import { advance, benches, calls, ofType, says, setting } from "./support.js";
import { always } from "./workflows.js";

const open = benches();

const SPEC = `
title: Refunds
states:
  intake:
    instructions: Take it in.
    triggers: { manual: { requires: [order] }, mailed: }
    transitions: [{ to: check, description: 'All "facts" are in; <go> on' }]
  check:
    type: code
    script: scripts/check.js
    on_error: broken
    transitions: [{ to: review, description: Checked. }]
  review:
    type: human
    instructions: Decide.
    transitions: [{ to: pay, description: Pay it. }, { to: intake, description: Ask again. }]
  pay:
    instructions: Pay.
  broken:
    instructions: Say what went wrong.
`;
const FILES = {
  "workflows/case/scripts/check.js": `export default async ({ tools }) => { await tools.archmax_advance({ to: "review", reason: "all there" }); }`,
};
const REPLIES = [
  {
    text: "I take it.",
    ...calls(setting({ amount: { net: [1, 2] }, note_text: "n" }, true), ["ls", { path: "none" }]),
  },
  { ...advance("check"), text: "On to the check." },
  says("It waits for a person."),
  calls(["read_file", { file_path: "artifacts/trail.json" }]),
  says("Paid. Bye."),
];

interface SessionRead {
  thread: ThreadItem[];
}

interface Written {
  "graph.json": SerializedGraph;
  "graph.mmd": string;
  "metadata.json": RunMetadata;
  "trail.json": { steps: unknown[] };
  "trajectory.json": Trajectory;
  "variables.json": Record<string, unknown>;
}

async function aRun(options: Parameters<typeof open>[0] = {}): Promise<Bench> {
  const bench = await open({ spec: SPEC, files: FILES, replies: REPLIES, ...options });
  await bench.agent.workflow.send("s1", { message: "Please refund.", variables: { order: "A7" } });
  await bench.agent.workflow.decide("s1", { target: "pay", comment: "Fine.", decidedBy: "ann" });
  return bench;
}

/** The artifacts of a session, by name: JSON parsed, the drawing as text. */
async function artifacts({ stores }: Pick<Bench, "stores">, session = "s1"): Promise<Written> {
  const paths = (await stores.files.list(session))
    .map(({ path }) => path)
    .filter((path) => path.startsWith("artifacts/"));
  const entries = paths.map(async (path) => {
    const text = new TextDecoder().decode((await stores.files.read(session, path))!.bytes);
    return [path.slice("artifacts/".length), path.endsWith(".json") ? JSON.parse(text) : text];
  });
  return Object.fromEntries(await Promise.all(entries)) as unknown as Written;
}

describe("run artifacts", () => {
  it("R-304 H-107 H-110 are six files under artifacts/, each as its schema says", async () => {
    const bench = await aRun();

    expect(await bench.agent.emitRunArtifacts("s1")).toBe("s1/artifacts");

    const written = await artifacts(bench);
    expect(Object.keys(written)).toEqual([
      "graph.json",
      "graph.mmd",
      "metadata.json",
      "trail.json",
      "trajectory.json",
      "variables.json",
    ]);
    for (const [name, schema] of Object.entries(ARTIFACT_SCHEMAS)) {
      const check = z.fromJSONSchema(schema as never);
      expect(check.safeParse(written[name as keyof Written]).error, name).toBeUndefined();
      expect(check.safeParse(null).success, name).toBe(false);
    }
  });

  it("R-304 H-107 say what was said and done, state by state, over the whole session", async () => {
    const bench = await aRun();
    await bench.agent.emitRunArtifacts("s1");
    const { "trajectory.json": trajectory } = await artifacts(bench);

    expect(trajectory).toMatchObject({
      sessionId: "s1",
      workflow: "case",
      prompt: "Please refund.",
      finalAnswer: "Paid. Bye.",
    });
    expect(trajectory.segments.map(({ items, ...segment }) => segment)).toEqual([
      { state: "intake", exitedState: "check" },
      { state: "check", enteredState: "intake", exitedState: "review" },
      { state: "review", enteredState: "check", exitedState: "pay" },
      { state: "pay", enteredState: "review" },
    ]);
    const [intake, check, review, pay] = trajectory.segments.map(({ items }) => items);
    expect(intake).toEqual([
      { kind: "message", role: "user", content: "Please refund." },
      { kind: "message", role: "assistant", content: "I take it." },
      {
        kind: "tool_call",
        name: "archmax_set_variables",
        args: { variables: { amount: { net: [1, 2] }, note_text: "n" }, lock: true },
        result: expect.any(String),
      },
      { kind: "tool_call", name: "ls", args: { path: "none" }, result: "/none is empty." },
      { kind: "message", role: "assistant", content: "On to the check." },
      { kind: "tool_call", name: "archmax_advance", args: expect.any(Object), result: expect.any(String) },
    ]);
    expect(check).toEqual([]);
    expect(review).toContainEqual({ kind: "message", role: "assistant", content: "It waits for a person." });
    expect(pay?.[0]).toEqual({ kind: "message", role: "runtime", content: expect.stringMatching(/^\[decision\] /) });
    expect(pay).toContainEqual({
      kind: "tool_call",
      name: "read_file",
      args: { file_path: "artifacts/trail.json" },
      result: expect.stringContaining("belongs to the runtime"),
    });
  });

  it("H-108 R-291 draw every state, trigger, transition and error route", async () => {
    const bench = await aRun();
    await bench.agent.emitRunArtifacts("s1");
    const { "graph.json": graph, "graph.mmd": drawing } = await artifacts(bench);

    expect(graph).toMatchObject({ entry: "intake", mermaid: drawing });
    const { nodes, edges, finals } = graph;
    expect([...nodes].sort()).toEqual(["__start__", "broken", "check", "intake", "pay", "review"]);
    expect([...finals].sort()).toEqual(["broken", "pay"]);
    expect(edges).toHaveLength(7);
    expect(edges).toEqual(
      expect.arrayContaining([
        { source: "__start__", target: "intake", conditional: true, label: "manual" },
        { source: "__start__", target: "intake", conditional: true, label: "mailed" },
        { source: "intake", target: "check", conditional: false, label: 'All "facts" are in; <go> on' },
        { source: "check", target: "broken", conditional: true, label: "on_error" },
      ]),
    );
    expect(drawing).toMatch(/^flowchart /);
    const [told] = ofType(bench.events, "graph-topology");
    expect(told?.topology).toEqual(serializedGraph(bench.agent.workflow.machine));
  });

  it("H-112 H-111 H-109 tell the variables whole, the trail in ISO time, the cost, and the contract", async () => {
    const bench = await aRun({ pricing: { default: { input: 1, output: 1 } } });
    await bench.agent.emitRunArtifacts("s1");
    const written = await artifacts(bench);

    expect(written["variables.json"]).toEqual({
      amount: { value: { net: [1, 2] }, locked: true },
      note_text: { value: "n", locked: true },
      order: { value: "A7", locked: true },
      trigger: { value: "manual", locked: true },
    });
    const summary = await bench.agent.sessions.get("s1");
    expect(written["metadata.json"]).toEqual({
      sessionId: "s1",
      workflow: "case",
      runtimeContract: { engine: "archmax-harness", version: "3", source: "defaulted" },
      packageVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
      specHash: bench.agent.workflow.machine.specHash,
      usage: summary?.usage,
    });
    const trail = await bench.agent.sessions.trail("s1");
    expect(written["trail.json"]).toEqual({
      sessionId: "s1",
      workflow: "case",
      steps: trail.map((step) => ({ ...step, ts: new Date(step.ts).toISOString() })),
    });
    expect(trail).toContainEqual(expect.objectContaining({ to: "pay", kind: "human", by: "ann" }));
  });

  it("H-109 leave out a cost where nothing was spent, and write an empty trail and no variables as such", async () => {
    const bench = await open({ spec: SPEC, files: FILES, replies: [] });
    expect(await bench.agent.workflow.send("s1", { message: "go" })).toMatchObject({ status: "rejected" });
    await bench.agent.emitRunArtifacts("s1");
    const written = await artifacts(bench);

    expect(written["metadata.json"]).not.toHaveProperty("usage");
    expect(written["trail.json"]).toEqual({ sessionId: "s1", workflow: "case", steps: [] });
    expect(written["variables.json"]).toEqual({});
    expect(written["trajectory.json"]).toEqual({ sessionId: "s1", workflow: "case", finalAnswer: "", segments: [] });
  });

  it("R-304 say the same in another process, after an edit of the workflow too, and are replaced whole", async () => {
    const bench = await aRun();
    await bench.agent.emitRunArtifacts("s1");
    const first = await artifacts(bench);
    await bench.stores.files.write("s1", "artifacts/trail.json", new TextEncoder().encode("torn"));
    writeTree(bench.rootDir, {
      "workflows/case/workflow.yaml": SPEC.replace("  broken:", "  ruined:").replace(
        "on_error: broken",
        "on_error: ruined",
      ),
    });

    const other = await bench.again();
    expect(other.workflow.machine.states.has("ruined")).toBe(true);
    expect(await other.emitRunArtifacts("s1")).toBe("s1/artifacts");

    expect(await artifacts(bench)).toEqual(first);
  });

  it("H-107 take a trajectory and a trail of the host's as they are, and complete the session's id", async () => {
    const bench = await aRun();
    const trajectory = { workflow: "case", finalAnswer: "mine", segments: [], extra: { kept: true } };
    await bench.agent.emitRunArtifacts("s1", trajectory, { trail: [{ to: "x", kind: "reset", ts: 0 }] });
    const written = await artifacts(bench);

    expect(written["trajectory.json"]).toEqual({ ...trajectory, sessionId: "s1" });
    expect(written["trail.json"]).toMatchObject({
      steps: [{ to: "x", kind: "reset", ts: "1970-01-01T00:00:00.000Z" }],
    });
  });

  it("R-304 H-107 a write that fails is a warning and null, and neither an exception nor an end of the turn", async () => {
    let broken = true;
    const files = createMemoryFileStore();
    const failing = wrapStore(files, (op, run) => {
      if (broken && op.name === "write" && String(op.args[1]).startsWith("artifacts/")) throw new Error("disk full");
      return run();
    });
    const bench = await aRun({ stores: { sessions: createMemorySessionStore(), files: failing } });

    expect(await bench.agent.emitRunArtifacts("s1")).toBeNull();
    expect(ofType(bench.events, "warning")).toMatchObject([
      { scope: "run-artifacts", sessionId: "s1", message: expect.stringContaining("disk full") },
    ]);
    broken = false;
    expect(await bench.agent.emitRunArtifacts("s1")).toBe("s1/artifacts");
  });

  it("H-107 of a session that does not exist are none", async () => {
    const bench = await open({ spec: SPEC, files: FILES });

    expect(await bench.agent.emitRunArtifacts("gone")).toBeNull();
    expect(await artifacts(bench, "gone")).toEqual({});
    await expect(bench.agent.emitRunArtifacts("../x")).rejects.toMatchObject({ name: "SessionStoreIdError" });
  });

  it("H-107 are gone with a session that is deleted while they are written", async () => {
    const files = createMemoryFileStore();
    let remove: (() => Promise<unknown>) | null = null;
    const racing = wrapStore(files, async (op, run) => {
      const result = await run();
      if (op.name === "write" && op.args[1] === "artifacts/graph.json") await remove?.();
      return result;
    });
    const bench = await aRun({ stores: { sessions: createMemorySessionStore(), files: racing } });
    remove = () => bench.agent.sessions.delete("s1");

    expect(await bench.agent.emitRunArtifacts("s1")).toBeNull();
    expect(await files.list("s1")).toEqual([]);
  });

  it("H-109 leave out what stands in the checkpoint alone when that cannot be read", async () => {
    const bench = await aRun();
    const torn = (result: unknown) => ({
      ...(result as SessionRead),
      thread: (result as SessionRead).thread.map((item) => ({ ...item, value: "{" })),
    });
    const sessions = wrapStore(bench.stores.sessions, async (op, run) => {
      const result = await run();
      return op.name === "read" && result ? (torn(result) as unknown as typeof result) : result;
    });
    const agent = await createAgent({
      workflow: "case",
      workspace: { rootDir: bench.rootDir },
      stores: { ...bench.stores, sessions },
      env: {},
      onEvent: () => {},
      sandboxRuntime: sharedSandbox(),
    });

    expect(await agent.emitRunArtifacts("s1")).toBe("s1/artifacts");
    expect(Object.keys(await artifacts(bench))).toEqual(["graph.json", "graph.mmd", "metadata.json"]);
    await agent.close();
  });

  it("W-252 R-205 no agent reads or writes them", async () => {
    const bench = await aRun({
      replies: [...REPLIES, calls(["read_file", { file_path: "artifacts/trail.json" }], ["ls"]), says("end")],
    });
    await bench.agent.emitRunArtifacts("s1");
    const { messages } = await bench.agent.workflow.send("s1", { message: "And?" });
    const [read, listed] = messages.filter(({ role }) => role === "tool").slice(-2);

    expect(read?.additional_kwargs?.archmax?.refusal).toBe("blocked:zone.runtime-internal");
    expect(listed?.content).not.toContain("artifacts");
  });

  it("H-111 a recorder of the events comes to the same segments and final answer, and hands every event on", async () => {
    const heard: string[] = [];
    const recorder = createTrajectoryRecorder({ onEvent: ({ type }) => heard.push(type) });
    const bench = await aRun({ onEvent: recorder.handler });
    await bench.agent.emitRunArtifacts("s1");
    const { "trajectory.json": derived } = await artifacts(bench);
    const recorded = recorder.trajectory("s1", { workflow: "case", prompt: "Please refund." });

    const { segments, ...told } = recorded;
    expect(told).toEqual({ sessionId: "s1", workflow: "case", prompt: "Please refund.", finalAnswer: "Paid. Bye." });
    expect(segments.map(({ items, ...segment }) => segment)).toEqual(
      derived.segments.map(({ items, ...segment }) => segment),
    );
    const ofAgent = ({ items }: Trajectory["segments"][number]) =>
      items.filter((item) => item.kind === "tool_call" || item.role === "assistant");
    expect(segments.map(ofAgent)).toEqual(derived.segments.map(ofAgent));
    expect(segments[0]?.items).toContainEqual({
      kind: "tool_call",
      name: "ls",
      args: { path: "none" },
      result: "/none is empty.",
    });
    expect(heard).toContain("prompt-shaping");
    expect(heard.filter((type) => type === "state-enter")).toHaveLength(4);
    expect(recorder.trajectory("other", { workflow: "case" })).toEqual({
      sessionId: "other",
      workflow: "case",
      finalAnswer: "",
      segments: [],
    });
  });

  it("H-111 a recorder keeps the sessions of one agent apart", async () => {
    const recorder = createTrajectoryRecorder();
    const bench = await open({
      spec: "states:\n  a:\n    instructions: A.\n    triggers: { manual: }\n",
      answer: always("yes"),
      onEvent: recorder.handler,
    });
    await Promise.all(["s1", "s2"].map((id) => bench.agent.workflow.send(id, { message: "go" })));

    for (const id of ["s1", "s2"]) {
      expect(recorder.trajectory(id, { workflow: "case" }).segments).toEqual([
        { state: "a", items: [{ kind: "message", role: "assistant", content: "yes" }] },
      ]);
    }
  });
});
