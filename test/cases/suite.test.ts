/** A suite: its cases found, parsed, chosen and run one after the other, on which target, and what is reported. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createAgent } from "../../lib/agent.js";
import { caseTargetWith, createCaseTarget, discoverCases, runCase, runTests } from "../../lib/cases/index.js";
import { scriptedModel } from "../../lib/models/index.js";
import { parseCaseDocument } from "../../lib/spec/cases/index.js";
import { createMemoryBackend } from "../../lib/workspace/index.js";
import { sharedSandbox } from "../harness/agent.js";
import { ANSWERS, always } from "../turn/workflows.js";
import { suites } from "./bench.js";

const open = suites();
const answering = { spec: ANSWERS, answer: always("Hello there.") };
const PASSES = 'steps: [{ send: "Hi" }, { succeeded: true }]';
const FAILS = 'steps: [{ send: "Hi" }, { parked: true }]';

describe("finding cases", () => {
  const files = {
    "b.test.yaml": PASSES,
    "a/z.test.yml": PASSES,
    "a.test.yaml": PASSES,
    "B.test.yaml": PASSES,
    "fixtures/order.json": "{}",
    "notes.md": "notes",
    "old.test.js": "throw new Error()",
    "tests.config.js": "throw new Error()",
    "plain.yaml": "title: [",
  };

  it("C-1 C-2 takes .test.yaml and .test.yml at any depth, sorted by path, and ignores the rest", async () => {
    const suite = await open({ ...answering, cases: files });

    const found = await discoverCases({ workflow: "case", rootDir: suite.rootDir });
    const { results, discovered } = await suite.run();

    expect(found.map(({ id }) => id)).toEqual(["B", "a", "a/z", "b"]);
    expect(found[2]!.file).toBe("workflows/case/tests/a/z.test.yml");
    expect(results.map(({ id, verdict }) => `${id} ${verdict.status}`)).toEqual([
      "B passed",
      "a passed",
      "a/z passed",
      "b passed",
    ]);
    expect(discovered).toBe(4);
  });

  it("C-1 C-4 fails the second of two files that are one case by their names, and says of which", async () => {
    const suite = await open({ ...answering, cases: { "a.test.yaml": PASSES, "a.test.yml": PASSES } });

    const { results, exitCode } = await suite.run();

    expect(exitCode).toBe(1);
    expect(results.map(({ verdict }) => verdict.status)).toEqual(["passed", "failed"]);
    expect(JSON.stringify(results[1])).toContain("a.test.yml is the same case as workflows/case/tests/a.test.yaml");
  });

  it("C-1 C-50 takes a missing directory for an empty suite, before any agent is built", async () => {
    const suite = await open({ spec: ANSWERS });

    expect(await suite.run({ createTarget: () => Promise.reject(new Error("built")) })).toEqual({
      results: [],
      exitCode: 0,
      discovered: 0,
    });
  });

  it("C-5 C-50 keeps the cases whose id contains the filter, and counts before it", async () => {
    const suite = await open({ ...answering, cases: files });
    const ran = async (filter: string) => {
      const { results, discovered } = await suite.run({ filter });
      expect(discovered).toBe(4);
      return results.map(({ id }) => id);
    };

    expect(await ran("a")).toEqual(["a", "a/z"]);
    expect(await ran("b")).toEqual(["b"]);
    expect(await ran("a/")).toEqual(["a/z"]);
    expect(await ran("z")).toEqual(["a/z"]);
    expect(await ran("case")).toEqual([]);
    expect(await ran("test")).toEqual([]);
  });

  it("C-5 C-50 builds no agent for a filter that fits nothing, and ends with 1", async () => {
    const suite = await open({ ...answering, cases: files });

    const createTarget = () => Promise.reject(new Error("built"));

    expect(await suite.run({ filter: "nothing", createTarget })).toEqual({ results: [], exitCode: 1, discovered: 4 });
  });

  it("C-52 reads spec, cases and fixtures through the authoring backend, without a root", async () => {
    const authoring = createMemoryBackend();
    await authoring.write("/workflows/case/workflow.yaml", ANSWERS);
    await authoring.write(
      "/workflows/case/tests/a.test.yaml",
      `title: A\ndescription: D\nworkspace: { a.txt: { from: fixtures/a.txt } }\n${PASSES}`,
    );
    await authoring.write("/workflows/case/tests/fixtures/a.txt", "a");
    const model = await scriptedModel(["Hello."]);

    const { results } = await runTests({
      workflow: "case",
      authoring,
      sandboxRuntime: sharedSandbox(),
      modelFactory: () => model,
    });

    expect(results.map(({ id, verdict }) => `${id} ${verdict.status}`)).toEqual(["a passed"]);
  });
});

describe("documents", () => {
  it("C-4 C-8 C-51 parses every file before anything runs; one that does not parse is a failed case beside the others", async () => {
    const suite = await open({
      ...answering,
      cases: { "a.test.yaml": PASSES, "b.test.yaml": "steps: [{ sent: hi }]\nextra: 1", "c.test.yaml": PASSES },
    });
    const { results, exitCode } = await suite.run();
    const broken = results[1]!;

    expect(results.map(({ verdict }) => verdict.status)).toEqual(["passed", "failed", "passed"]);
    expect(broken).toEqual({
      id: "b",
      verdict: { status: "failed", failures: [broken.error] },
      records: [],
      error: expect.stringMatching(/b\.test\.yaml.*steps\[0\]\.sent.*\n.*extra/s),
    });
    expect(exitCode).toBe(1);
  });

  it("C-4 C-54 reads later files before the first case runs, and tells of each case before and after it", async () => {
    const suite = await open({
      ...answering,
      cases: { "a.test.yaml": PASSES, "b.test.yaml": PASSES, "c.test.yaml": "steps: 7" },
    });
    const told: string[] = [];

    await suite.run({
      onCaseStart: (file, sessionId) => {
        writeFileSync(join(suite.rootDir, "workflows/case/tests/b.test.yaml"), "steps: 7");
        told.push(`${file.split("/").pop()} ${sessionId === undefined ? "no session" : "session"}`);
      },
      onCaseResult: ({ id, verdict }) => told.push(`${id} ${verdict.status}`),
    });

    expect(told).toEqual([
      "a.test.yaml session",
      "a passed",
      "b.test.yaml session",
      "b passed",
      "c.test.yaml no session",
      "c failed",
    ]);
  });

  it("C-9 reports a skipped case with its reason, runs nothing of it, and validates the rest of it", async () => {
    const suite = await open({
      ...answering,
      cases: {
        "a.test.yaml": `skip: until the bank is back\n${PASSES}`,
        "b.test.yaml": "skip: broken\nsteps: [{ sent: 1 }]",
      },
    });
    const { results, exitCode } = await suite.run({ createTarget: () => Promise.reject(new Error("built")) });

    expect(results[0]).toEqual({
      id: "a",
      title: "A case",
      description: "What it shows.",
      verdict: { status: "skipped", failures: [] },
      records: [],
      skipReason: "until the bank is back",
    });
    expect(results[1]!.verdict.status).toBe("failed");
    expect(suite.requests).toEqual([]);
    expect(exitCode).toBe(1);
  });
});

describe("running", () => {
  it("C-3 C-48 C-54 runs one case at a time, each on a session of its own that is kept", async () => {
    const suite = await open({ ...answering, cases: { "a.test.yaml": PASSES, "x/b.test.yaml": PASSES } });
    const order: string[] = [];
    const { results } = await suite.run({
      onCaseStart: (file) => order.push(`start ${file}`),
      onCaseResult: ({ id }) => order.push(`end ${id}`),
    });
    const ids = results.map(({ sessionId }) => sessionId!);
    const kept = await suite.stores.sessions.read(ids[1]!, 0);

    expect(order).toEqual([
      "start workflows/case/tests/a.test.yaml",
      "end a",
      "start workflows/case/tests/x/b.test.yaml",
      "end x/b",
    ]);
    const [, run] = /^test-default-([^/]+?)-workflows-case-tests-a\.test\.yaml$/.exec(ids[0]!) ?? [];
    expect(ids[1]).toBe(`test-default-${run}-workflows-case-tests-x-b.test.yaml`);
    expect(kept?.record.status).toBe("completed");
    const again = await suite.run();
    expect(again.results[0]!.sessionId).not.toBe(ids[0]);
  });

  it("C-3 C-54 files whose names differ in a dash and a folder have a session each", async () => {
    const suite = await open({ ...answering, cases: { "a/b.test.yaml": PASSES, "a-b.test.yaml": PASSES } });

    const { results } = await suite.run();

    expect(new Set(results.map(({ sessionId }) => sessionId)).size).toBe(2);
  });

  it("C-54 takes the session id that is asked for", async () => {
    const suite = await open({ ...answering, cases: { "a.test.yaml": PASSES } });

    const { sessionId } = await suite.one({ sessionIdForCase: (file) => `mine/${file.split("/").pop()}` });

    expect(sessionId).toBe("mine/a.test.yaml");
  });

  it("C-47 C-50 C-51 ends with 1 where a case failed, and 0 where all passed", async () => {
    const suite = await open({ ...answering, cases: { "a.test.yaml": PASSES, "b.test.yaml": FAILS } });

    const { results, exitCode } = await suite.run();

    expect(exitCode).toBe(1);
    expect((await suite.run({ filter: "a" })).exitCode).toBe(0);
    expect(results[1]).toEqual({
      id: "b",
      title: "A case",
      description: "What it shows.",
      sessionId: results[1]!.sessionId,
      verdict: { status: "failed", failures: ["parked: expected it parked: it completed in answer"] },
      records: [
        {
          kind: "parked",
          status: "failed",
          threshold: null,
          detail: "expected it parked: it completed in answer",
          step: 1,
        },
      ],
    });
  });

  it("C-48 W-43 refuses a suite with another concurrency than 1", async () => {
    const suite = await open({ spec: `tests: { maxConcurrency: 2 }\n${ANSWERS}`, cases: { "a.test.yaml": PASSES } });

    await expect(suite.run()).rejects.toMatchObject({ name: "WorkflowLoadError" });
  });

  it("C-49 W-32 runs no case of a disabled workflow, which the spec decides before discovery", async () => {
    const suite = await open({ spec: `disabled: true\n${ANSWERS}`, cases: { "a.test.yaml": "steps: 7" } });

    expect(await suite.run()).toEqual({ results: [], exitCode: 0, discovered: 0, skipped: "disabled" });
  });

  it("C-50 C-46 gives the events of its cases, with those of assembly before them", async () => {
    const suite = await open({ ...answering, cases: { "a.test.yaml": PASSES } });
    const { sessionId } = await suite.one();
    const ofCase = suite.events.filter((event) => event.sessionId === sessionId).map(({ type }) => type);

    expect(suite.events[0]).toMatchObject({ type: "graph-topology" });
    expect(ofCase).toEqual(expect.arrayContaining(["advance", "state-enter", "agent-text"]));
    expect(suite.events.filter((event) => event.sessionId !== undefined)).toHaveLength(ofCase.length);
  });

  it("C-50 prints nothing, without a subscriber too", async () => {
    const suite = await open({ ...answering, cases: { "a.test.yaml": PASSES, "b.test.yaml": "steps: 7" } });
    const written = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write").mockReturnValue(true));

    await suite.run({ onEvent: undefined });

    const calls = written.map((spy) => spy.mock.calls.length);
    for (const spy of written) spy.mockRestore();
    expect(calls).toEqual([0, 0]);
  });

  it("C-50 stops at the caller's signal, and rejects with its reason", async () => {
    const stop = new AbortController();
    const suite = await open({
      spec: ANSWERS,
      answer: () => {
        stop.abort(new Error("enough"));
        return { text: "late" };
      },
      cases: { "a.test.yaml": PASSES, "b.test.yaml": PASSES },
    });
    const results: string[] = [];

    await expect(suite.run({ signal: stop.signal, onCaseResult: ({ id }) => results.push(id) })).rejects.toThrow(
      "enough",
    );
    expect(results).toEqual([]);
    expect(suite.requests).toHaveLength(1);
  });
});

describe("targets", () => {
  it("C-53 runs on an agent that is given, and leaves it open", async () => {
    const suite = await open({ ...answering, cases: { "a.test.yaml": PASSES, "b.test.yaml": PASSES } });
    const target = await createAgent({
      workflow: "case",
      workspace: { rootDir: suite.rootDir },
      stores: suite.stores,
      env: suite.env,
      onEvent: () => {},
      sandboxRuntime: sharedSandbox(),
    });

    const { exitCode } = await suite.run({ createTarget: target });

    expect(exitCode).toBe(0);
    expect((await target.workflow.send("after", { message: "Hi" })).kind).toBe("completed");
    await target.close();
  });

  it("C-53 asks a function for the target once, with workflow, root and event handler, and closes it", async () => {
    const suite = await open({ ...answering, cases: { "a.test.yaml": PASSES, "b.test.yaml": PASSES } });
    const asked: unknown[] = [];
    let closed = 0;
    const make = caseTargetWith({ env: suite.env, stores: suite.stores, sandboxRuntime: sharedSandbox() });

    await suite.run({
      createTarget: async (request) => {
        const target = await make(request);
        asked.push(request);
        return Object.assign(target, {
          close: async () => {
            closed += 1;
          },
        });
      },
    });

    expect(asked).toEqual([{ workflow: "case", rootDir: suite.rootDir, onEvent: expect.any(Function) }]);
    expect(closed).toBe(1);
  });

  it("C-53 C-55 refuses a target without a workflow before any case", async () => {
    const suite = await open({ ...answering, cases: { "a.test.yaml": PASSES } });
    const started: string[] = [];
    let closed = false;
    const plain = {
      close: async () => {
        closed = true;
      },
    } as never;

    await expect(
      suite.run({ createTarget: async () => plain, onCaseStart: (file) => started.push(file) }),
    ).rejects.toMatchObject({ name: "UngovernedTargetError", code: "ungoverned-target" });
    expect(started).toEqual([]);
    expect(closed).toBe(true);
  });

  it("C-53 makes a target without host tools by default, whose sessions are under the root", async () => {
    const suite = await open({ ...answering, cases: { "a.test.yaml": PASSES } });

    const { results } = await suite.run({ createTarget: undefined, sandboxRuntime: sharedSandbox() });

    expect(results[0]!.verdict.status).toBe("passed");
    expect(readdirSync(suite.rootDir)).toContain("sessions");
    const agent = await createCaseTarget({ workflow: "case", rootDir: suite.rootDir, env: suite.env });
    expect(await agent.sessions.get(results[0]!.sessionId!)).toMatchObject({ status: "completed" });
    expect(agent).toMatchObject({ capabilities: { toolMocks: true } });
    await agent.close();
  });

  it("C-53 keeps sessions in memory where nothing can be written under the root", async () => {
    const suite = await open({
      ...answering,
      cases: { "a.test.yaml": PASSES },
      files: { sessions: "a file in the way" },
    });

    const { exitCode } = await suite.run({ createTarget: undefined, sandboxRuntime: sharedSandbox() });

    expect(exitCode).toBe(0);
  });

  it("C-54 disposes each session after its case and deletes none", async () => {
    const suite = await open({
      ...answering,
      cases: { "a.test.yaml": PASSES, "b.test.yaml": "variables: { trigger: 1 }" },
    });
    const make = caseTargetWith({ env: suite.env, stores: suite.stores, sandboxRuntime: sharedSandbox() });
    const told: string[] = [];

    const { results } = await suite.run({
      createTarget: async (request) => {
        const target = await make(request);
        const dispose = (id: string) => {
          told.push(`disposed ${id}`);
          return target.dispose(id);
        };
        return { ...target, dispose };
      },
      onCaseResult: ({ id }) => told.push(id),
    });

    expect(told).toEqual([`disposed ${results[0]!.sessionId}`, "a", "b"]);
    expect(await suite.stores.sessions.read(results[0]!.sessionId!, 0)).not.toBeNull();
  });

  it("C-50 refuses a built target beside models by case", async () => {
    const suite = await open({ ...answering, cases: { "a.test.yaml": PASSES } });
    const make = caseTargetWith({ env: suite.env, stores: suite.stores, sandboxRuntime: sharedSandbox() });
    const target = await make({ workflow: "case", rootDir: suite.rootDir, onEvent: () => {} });

    await expect(suite.run({ createTarget: target, modelForCase: () => undefined })).rejects.toBeInstanceOf(TypeError);
    await target.close();
  });

  it("C-50 runs each case on models of its own where they are asked for by file", async () => {
    const suite = await open({
      spec: ANSWERS,
      cases: {
        "a.test.yaml": 'steps: [{ send: "Hi" }, { reply: { includes: "I am a" } }]',
        "b.test.yaml": 'steps: [{ send: "Hi" }, { reply: { includes: "I am b" } }]',
        "c.test.yaml": PASSES,
      },
    });
    const { results } = await suite.run({
      modelForCase: async (file) => {
        if (file.endsWith("c.test.yaml")) throw new Error("no recording of c");
        const model = await scriptedModel([`I am ${file.split("/").pop()![0]}`]);
        return () => model;
      },
    });

    expect(results.map(({ verdict }) => verdict)).toEqual([
      { status: "passed", failures: [] },
      { status: "passed", failures: [] },
      { status: "failed", failures: ["no recording of c"] },
    ]);
    expect(results[2]!.records).toEqual([{ kind: "succeeded", status: "not-executed", threshold: null, step: 1 }]);
    expect(suite.requests).toEqual([]);
  });
});

describe("runCase", () => {
  it("C-55 runs one parsed document on a target", async () => {
    const suite = await open(answering);
    const make = caseTargetWith({ env: suite.env, stores: suite.stores, sandboxRuntime: sharedSandbox() });
    const target = await make({ workflow: "case", rootDir: suite.rootDir, onEvent: () => {} });
    const document = parseCaseDocument(
      "workflows/case/tests/a.test.yaml",
      `title: A\ndescription: D\n${PASSES}`,
      "workflows/case/tests",
    );

    const result = await runCase({ target, document, sessionId: "s1", rootDir: suite.rootDir });

    expect(result).toMatchObject({ id: "a", sessionId: "s1", verdict: { status: "passed" } });
    await target.close();
  });
});
