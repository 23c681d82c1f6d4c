import { afterEach, describe, expect, it, vi } from "vitest";
import { type CreateAgentParams, createAgent } from "../../lib/agent.js";
import { createInProcessModel } from "../../lib/models/in-process.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { aBench, type Bench, type BenchOptions, sharedSandbox } from "../harness/agent.js";
import { temporaryFolder, writeTree } from "../harness/temporary.js";
import { wrapStore } from "../harness/wrap-store.js";
import { calls, ofType, system } from "./support.js";
import { ANSWERS, always, REVIEWED, toReview, WAITS } from "./workflows.js";

let bench: Bench | undefined;
afterEach(async () => {
  await bench?.close();
  bench = undefined;
  vi.restoreAllMocks();
});

async function open(options: BenchOptions): Promise<Bench> {
  bench = await aBench(options);
  return bench;
}

/** What an assembly throws, and whether it has touched a store. */
async function refusal(options: BenchOptions): Promise<{ error: Error; touched: string[] }> {
  const touched: string[] = [];
  const watch = <T extends ReturnType<typeof createMemorySessionStore> | ReturnType<typeof createMemoryFileStore>>(
    store: T,
  ) =>
    wrapStore(store, (op, run) => {
      touched.push(op.name);
      return run();
    });
  const stores = { sessions: watch(createMemorySessionStore()), files: watch(createMemoryFileStore()) };
  const error = await open({ stores, ...options }).then(
    () => new Error("nothing was refused"),
    (thrown: Error) => thrown,
  );
  return { error, touched };
}

const tool = (name: string) =>
  toolsFromMap({ [name]: { description: "A tool.", inputSchema: { type: "object" }, handler: () => "x" } });

describe("assembling an agent", () => {
  it.each<[string, BenchOptions, Record<string, unknown>]>([
    [
      "H-8 an unknown option",
      { subagents: [] } as never,
      { name: "TypeError", message: expect.stringContaining("subagents") },
    ],
    ["H-129 W-205 a reserved tool name", { tools: tool("archmax_x") }, { name: "ReservedToolNameError" }],
    ["H-129 paths of no tool", { toolPaths: { none: { file: "read" } } }, { name: "ToolPathsError" }],
    ["H-41 a clock without zone", { clock: "2026-03-20T10:00:00" }, { name: "InvalidClockError" }],
    ["H-41 an impossible date", { clock: "2026-02-30" }, { name: "InvalidClockError" }],
    ["H-41 a clock that is none", { clock: "noon" }, { name: "InvalidClockError" }],
    [
      "H-26 a missing workflow",
      { workflow: "none" },
      {
        name: "WorkflowLoadError",
        workflow: "none",
        file: "workflows/none/workflow.yaml",
        issues: [{ code: "file/missing" }],
      },
    ],
    [
      "H-26 an invalid spec",
      { spec: "states: {}\n" },
      { name: "WorkflowLoadError", issues: expect.arrayContaining([expect.objectContaining({ class: "load" })]) },
    ],
    [
      "H-26 a machine in prose alone",
      { spec: undefined, files: { "workflows/case/WORKFLOW.md": "---\nstates: {}\n---\n" } },
      { name: "WorkflowLoadError", issues: [{ code: "file/legacy-single-file" }] },
    ],
    [
      "H-26 two machines",
      { files: { "workflows/case/WORKFLOW.md": "---\nstates: {}\n---\n" } },
      { name: "WorkflowLoadError", issues: [{ code: "file/competing-machines" }] },
    ],
    [
      "W-8 W-22 two machines, the second with the line ends of another system",
      { files: { "workflows/case/WORKFLOW.md": "\uFEFF--- \r\na: b\r\n---\r\n" } },
      {
        name: "WorkflowLoadError",
        issues: [{ code: "file/competing-machines", class: "load", file: "workflows/case/WORKFLOW.md" }],
      },
    ],
    [
      "W-22 W-56 a workflow whose name is no slug",
      { workflow: "My_Flow", files: { "workflows/My_Flow/workflow.yaml": ANSWERS } },
      { name: "WorkflowLoadError", issues: [{ code: "workflow/slug" }] },
    ],
    [
      "W-22 W-56 a blank name",
      { workflow: " " },
      { name: "WorkflowLoadError", issues: [{ code: "workflow/slug-missing" }] },
    ],
    [
      "H-27 another contract",
      { spec: `runtime: { engine: archmax-harness, version: "4" }\n${ANSWERS}` },
      {
        name: "UnsupportedRuntimeContractError",
        requested: { engine: "archmax-harness", version: "4" },
        supported: [{ engine: "archmax-harness", version: "3" }],
      },
    ],
    [
      "H-27 W-37 another engine and version, whatever else is called so before them",
      { spec: `metadata: { engine: mine, version: 3 }\nruntime: { engine: other, version: 2 }\n${ANSWERS}` },
      { name: "UnsupportedRuntimeContractError", requested: { engine: "other", version: "2" } },
    ],
    [
      "H-32 an undeclared trigger",
      { trigger: { id: "nobody" } },
      { name: "UnknownTriggerError", trigger: "nobody", declared: ["manual"] },
    ],
    [
      "H-33 a bad variable name",
      { variables: { "A-1": 1 } },
      { name: "InvalidVariableNameError", variable: "A-1", where: expect.stringContaining("createAgent") },
    ],
    [
      "H-33 the reserved variable",
      { variables: { trigger: 1 } },
      { name: "InvalidVariableNameError", variable: "trigger" },
    ],
    ["H-33 a title that is none", { variables: { title: " " } }, { name: "InvalidTitleError" }],
    [
      "H-34 a malformed session path",
      { sessionPath: "a..b" },
      { name: "InvalidSessionPathError", path: "a..b", reason: expect.any(String) },
    ],
  ])("H-9 %s is refused before anything is written", async (_what, options, error) => {
    const found = await refusal({ spec: ANSWERS, ...options });

    expect(found.error).toMatchObject(error);
    expect(found.error.message).not.toBe("");
    expect(found.touched).toEqual([]);
  });

  it("H-10 refuses the first of several in the order of the options", async () => {
    const wrong = {
      nonsense: 1,
      tools: tool("archmax_x"),
      clock: "noon",
      workflow: "none",
      trigger: { id: "nobody" },
      variables: { "A-1": 1 },
    } as unknown as BenchOptions;
    const without = (...keys: string[]) =>
      Object.fromEntries(Object.entries(wrong).filter(([key]) => !keys.includes(key)));
    const names: string[] = [];
    const steps = [
      [],
      ["nonsense"],
      ["nonsense", "tools"],
      ["nonsense", "tools", "clock"],
      ["nonsense", "tools", "clock", "workflow"],
      ["nonsense", "tools", "clock", "workflow", "trigger"],
    ];
    for (const keys of steps) names.push((await refusal({ spec: ANSWERS, ...without(...keys) })).error.name);

    expect(names).toEqual([
      "TypeError",
      "ReservedToolNameError",
      "InvalidClockError",
      "WorkflowLoadError",
      "UnknownTriggerError",
      "InvalidVariableNameError",
    ]);
  });

  it("W-8 W-22 takes prose that begins with a rule, or has rules further down", async () => {
    for (const prose of ["---\n\nProse.\n", "Prose.\n\n---\n\nMore.\n\n---\n"]) {
      const { agent } = await open({ spec: ANSWERS, files: { "workflows/case/WORKFLOW.md": prose }, replies: [] });

      expect(agent.workflow.name).toBe("case");
      await bench?.close();
    }
  });

  it("H-9 W-31 makes no model call and writes nothing when it succeeds, in or out of service", async () => {
    const touched: string[] = [];
    const watched = wrapStore(createMemorySessionStore(), (op, run) => {
      touched.push(op.name);
      return run();
    });
    const { requests } = await open({
      spec: `disabled: true\n${ANSWERS}`,
      answer: always("Yes."),
      stores: { sessions: watched, files: createMemoryFileStore() },
    });

    expect(touched).toEqual([]);
    expect(requests).toEqual([]);
  });

  it("H-25 governs by the workflow that is named", async () => {
    const { agent } = await open({
      workflow: "other",
      files: { "workflows/other/workflow.yaml": ANSWERS.replace("answer:", "elsewhere:") },
      spec: ANSWERS,
      answer: always("Yes."),
    });

    expect(agent.workflow.name).toBe("other");
    expect(await agent.workflow.send("s1", { message: "Go" })).toMatchObject({ state: "elsewhere" });
  });

  it("H-27 takes version 3, said or not", async () => {
    for (const runtime of ["", 'runtime: { engine: archmax-harness, version: "3" }\n']) {
      const { agent, close } = await open({ spec: runtime + ANSWERS, replies: [] });
      expect(agent.workflow.name).toBe("case");
      await close();
    }
    bench = undefined;
  });

  it("H-44 H-55 has methods that survive being taken apart", async () => {
    const { agent } = await open({ spec: WAITS, answer: always("Yes.") });
    const { workflow, sessions, accept, work, receipt, wake, getSpecSnapshot } = agent;
    const { name, machine, resolveTrigger, resolveSession, send, decide, reply, deliver } = workflow;
    const { list, get, messageCount, delete: remove, seed } = sessions;

    expect([name, machine.workflow, resolveTrigger().id]).toEqual(["case", "case", "manual"]);
    await seed("s1", { "a.md": "A" });
    expect(await send("s1", { message: "Go" })).toMatchObject({ kind: "completed" });
    for (const wrong of [decide("s1", { target: "x" }), reply("s1", "x"), deliver("s1", { trigger: { id: "x" } })])
      await expect(wrong).rejects.toThrow();
    expect((await resolveSession({ sessionId: "s1" })).disposition).toBe("turn");
    const { arrivalId } = await accept("s1", { kind: "turn", message: "More" });
    await work("s1");
    expect((await receipt(arrivalId))?.status).toBe("settled");
    expect(await wake()).toEqual({ due: 0, woken: 0 });
    expect(await getSpecSnapshot(machine.specHash)).not.toBeNull();
    expect([(await list()).length, (await get("s1"))?.status, await messageCount("s1"), await remove("s1")]).toEqual([
      1,
      "completed",
      4,
      true,
    ]);
  });
});

describe("events", () => {
  it("H-38 a handler that throws fails no turn, and is reported once", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const { agent } = await open({
      spec: ANSWERS,
      answer: always("Yes."),
      onEvent: () => {
        throw new Error("The log is full.");
      },
    });

    expect(await agent.workflow.send("s1", { message: "Go" })).toMatchObject({ kind: "completed" });
    expect(warned.mock.calls).toEqual([[expect.stringContaining("The log is full.")]]);
  });

  it("H-38 R-299 prints one line per event on stderr where nobody subscribed, and nothing where somebody did", async () => {
    const lines: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((text) => lines.push(String(text)) > 0);
    const made = await open({ spec: ANSWERS, answer: always("Yes.") });
    await made.agent.workflow.send("s1", { message: "Go" });
    expect(lines).toEqual([]);

    await (await made.again({ onEvent: undefined })).workflow.send("s2", { message: "Go" });

    expect(lines.every((line) => line.endsWith("\n") && line.trim().split("\n").length === 1)).toBe(true);
    expect(lines.map((line) => line.split(" ").slice(0, 4).join(" "))).toContain(
      "5 info state-enter s2".replace("5", String(lines.findIndex((line) => line.includes("state-enter")) + 1)),
    );
  });
});

describe("the environment", () => {
  it("H-125 reads the root's `.env`, and lets the process's own variables win", async () => {
    const { dir, remove } = temporaryFolder();
    const seen: unknown[] = [];
    writeTree(dir, {
      "workflows/case/workflow.yaml": ANSWERS,
      ".env": "ARCHMAX_API_BASE_URL=http://env\nARCHMAX_API_KEY=from-file\nARCHMAX_MODEL=from-file\n",
    });
    vi.stubEnv("ARCHMAX_MODEL", "from-process");
    vi.stubEnv("ARCHMAX_API_KEY", undefined);
    vi.stubEnv("ARCHMAX_API_BASE_URL", undefined);
    const agent = await createAgent({
      workflow: "case",
      workspace: { rootDir: dir },
      stores: { sessions: createMemorySessionStore(), files: createMemoryFileStore() },
      sandboxRuntime: sharedSandbox(),
      onEvent: () => {},
      modelFactory: async (_role, env) => {
        seen.push(env());
        return createInProcessModel({ model: "in-process", generate: () => ({ content: "Yes." }) });
      },
    });

    await agent.workflow.send("s1", { message: "Go" });

    expect(seen).toMatchObject([{ baseUrl: "http://env", apiKey: "from-file", model: "from-process" }]);
    await agent.close();
    vi.unstubAllEnvs();
    remove();
  });

  it("H-125 misses a model only when one is called", async () => {
    const { agent } = await open({ spec: ANSWERS });

    await expect(agent.workflow.send("s1", { message: "Go" })).rejects.toThrow(/ARCHMAX_/);
  });
});

describe("the stated time", () => {
  it.each([
    ["2026-05-01", "2026-05-01", "00:00"],
    ["2026-05-01T12:39:59+02:00", "2026-05-01", "10:30"],
    ["", "2026-03-20", "09:00"],
  ])("H-41 is %j rounded down to ten minutes, in every call", async (clock, day, time) => {
    const { agent, requests } = await open({ spec: ANSWERS, answer: always("Yes."), clock });
    await agent.workflow.send("s1", { message: "Go" });

    expect(system(requests[0])).toContain(day);
    expect(system(requests[0])).toContain(time);
  });

  it("H-41 pins nothing but that statement", async () => {
    const made = await open({
      spec: WAITS,
      replies: [{ text: "Later.", ...calls(["archmax_wait", { reason: "Tomorrow.", until: "1d" }]) }],
      clock: "2020-01-01",
    });

    const { pending } = await made.agent.workflow.send("s1", { message: "Go" });

    expect(pending).toMatchObject({ parkedAt: "2026-03-20T09:00:00.000Z", resumeAt: "2026-03-21T09:00:00.000Z" });
  });
});

describe("which model serves a call", () => {
  const MODELS = `settings: { model: of-settings }\n${REVIEWED.replace("title: The review", "title: The review\n    model: of-review").replace("instructions: Send it.", "instructions: Send it.\n    model: of-send")}`;
  const params = { replies: [toReview, { text: "Please." }, { text: "Short." }, { text: "Sent." }] };
  const through = async ({ send, reply, decide }: Bench["agent"]["workflow"]) => {
    await send("s1", { message: "Go" });
    await reply("s1", "How long?");
    await decide("s1", { target: "send" });
  };

  it("W-165 W-166 W-167 is the state's, else the settings', for handoffs and replies too", async () => {
    const { agent, requests } = await open({ spec: MODELS, ...params });
    await through(agent.workflow);

    expect(requests.map(({ body }) => body.model)).toEqual(["of-settings", "of-review", "of-review", "of-send"]);
  });

  it("W-165 is the environment's where the workflow names none", async () => {
    const { agent, requests } = await open({ spec: REVIEWED, ...params });
    await through(agent.workflow);

    expect(new Set(requests.map(({ body }) => body.model))).toEqual(new Set(["test-model"]));
  });

  it("H-11 W-165 is the host's own above all ids, and one warning names those", async () => {
    const model = await createInProcessModel({
      model: "own",
      generate: ({ messages }) =>
        messages.at(-1)?.getType() === "human" && messages.length < 4
          ? { toolCalls: [{ name: "archmax_advance", args: { to: "review", reason: "r" } }] }
          : { content: "Yes." },
    });
    const made = await open({ spec: MODELS, model } as BenchOptions);
    await through(made.agent.workflow);

    const warnings = ofType(made.events, "warning");
    expect(warnings).toHaveLength(1);
    for (const id of ["of-settings", "of-review", "of-send", "review", "send"])
      expect(warnings[0]?.message).toContain(id);
  });

  it("H-12 W-166 is built by the factory, by role and requested id, without touching the environment", async () => {
    const asked: unknown[] = [];
    const modelFactory: CreateAgentParams["modelFactory"] = async (role, _env, requested) => {
      asked.push([role, requested]);
      return createInProcessModel({
        model: requested ?? "",
        generate: () =>
          requested === "of-settings"
            ? { toolCalls: [{ name: "archmax_advance", args: { to: "review", reason: "r" } }] }
            : { content: "Yes." },
      });
    };
    const { agent } = await open({ spec: MODELS, modelFactory, env: {} });
    await through(agent.workflow);

    expect(asked).toEqual([
      ["agent", "of-settings"],
      ["agent", "of-review"],
      ["agent", "of-send"],
    ]);
  });
});
