import { describe, expect, it, onTestFinished } from "vitest";
import type { ParkwayConfig } from "../../lib/config/index.js";
import type { Notice } from "../../lib/local/notices.js";
import { createLocalRuntime } from "../../lib/local/runtime.js";
import type { EventHandler } from "../../lib/session/events.js";
import { createMemoryBackend } from "../../lib/workspace/index.js";
import { type ManualClock, manualClock } from "../harness/clock.js";
import { writeTree } from "../harness/temporary.js";
import { aWorkspace, onLifecycle, SCRIPT, SCRIPTED } from "./workspace.js";

const MINUTE = 60_000;

interface Options {
  clock?: ManualClock;
  config?: ParkwayConfig;
  onEvent?: EventHandler;
}

async function start(rootDir: string, { clock = manualClock(), config = {}, onEvent }: Options = {}) {
  const notices: Notice[] = [];
  const told = new Map<string, PromiseWithResolvers<void>>();
  /** Resolves once a turn of the session has settled. */
  const settled = (sessionId: string) => {
    if (!told.has(sessionId)) told.set(sessionId, Promise.withResolvers());
    return told.get(sessionId)!;
  };
  const runtime = await createLocalRuntime({
    rootDir,
    config,
    env: SCRIPTED,
    clock,
    onEvent,
    tell(notice) {
      notices.push(notice);
      if (notice.kind === "turn") settled(notice.sessionId).resolve();
    },
  });
  onTestFinished(() => runtime.close());
  /** Everything that is due has been worked off. */
  const settle = async () => {
    await runtime.tick();
    await runtime.idle();
  };
  const failures = () => notices.filter(({ kind }) => kind === "failure" || kind === "warning");
  return { ...runtime, clock, notices, settle, failures, says: (sessionId: string) => settled(sessionId).promise };
}

function workspace(files?: Record<string, string>): string {
  const { rootDir, remove } = aWorkspace(files);
  onTestFinished(remove);
  return rootDir;
}

const coolDown = { workflow: "hello-wait", sessionId: "barrier-1", message: "Pause.", variables: { minutes: 2 } };

describe("a deployment on one machine", () => {
  it("F-87 S-103 a restart in the middle of a wait loses no wake", async () => {
    const rootDir = workspace();
    const clock = manualClock();

    const before = await start(rootDir, { clock });
    await before.intake.fire(coolDown, { source: "api" });
    await before.idle();
    const parked = await before.intake.sessions.get("barrier-1");
    await before.close();
    clock.advance(2 * MINUTE);
    const after = await start(rootDir, { clock });
    await after.settle();

    expect(parked).toMatchObject({ status: "awaiting_input", state: "cool-down" });
    expect(await after.intake.sessions.get("barrier-1")).toMatchObject({ status: "completed" });
    expect((await after.intake.sessions.trail("barrier-1")).at(-1)).toMatchObject({ to: "resumed" });
    expect([...before.failures(), ...after.failures()]).toEqual([]);
  });

  it("H-93 H-91 S-103 serves the mounts of the configuration, and no session is called by one", async () => {
    const rootDir = workspace({
      "workflows/read/workflow.yaml": `
mounts: { allow_always: [kb] }
states:
  work:
    type: code
    script: scripts/w.js
    triggers: { manual: { message: false } }
    tools: { allow: [read_file] }
`,
      "workflows/read/scripts/w.js": `export default async ({ tools }) => {
        await tools.archmax_set_variables({ variables: { found: await tools.read_file({ file_path: "kb/a.txt" }) } }); }`,
    });
    const kb = { backend: createMemoryBackend({ "/a.txt": "of the mount" }), governed: true };
    const { intake, idle, failures } = await start(rootDir, { config: { mounts: { "/kb/": kb } } });

    await intake.fire({ workflow: "read", sessionId: "case-1" }, { source: "api" });
    await idle();

    expect(await intake.sessions.get("case-1")).toMatchObject({
      status: "completed",
      variables: { found: { value: "of the mount" } },
    });
    await expect(intake.fire({ workflow: "read", sessionId: "kb/1" }, { source: "api" })).rejects.toMatchObject({
      name: "SessionStoreIdError",
    });
    expect(failures()).toEqual([]);
  });

  it("F-21 F-87 a wait ends at its time by the ticker alone, and not before", async () => {
    const { intake, clock, settle, idle } = await start(workspace());

    await intake.fire(coolDown, { source: "api" });
    await idle();
    clock.advance(2 * MINUTE - 1);
    await settle();
    const early = await intake.sessions.get("barrier-1");
    clock.advance(1);
    await settle();

    expect(early).toMatchObject({ status: "awaiting_input" });
    expect(await intake.sessions.get("barrier-1")).toMatchObject({ status: "completed" });
  });

  it("F-75 S-97 an event rule fires its trigger for a lifecycle event, with variables by path", async () => {
    const config = { events: { cooling: onLifecycle("parked", "hello-wait") } };
    const { intake, idle, notices } = await start(workspace(), { config });

    await intake.fire(coolDown, { source: "api" });
    await idle();

    const [echo] = await intake.sessions.list({ workflow: "echo" });
    expect(echo).toMatchObject({ status: "completed" });
    expect(notices).toContainEqual({ kind: "fired", what: "event cooling", sessionId: echo?.sessionId });
    expect((await intake.sessions.list({ workflow: "echo" })).length).toBe(1);
  });

  it("F-75 a chain of sessions that start sessions stops at 10 hops", async () => {
    const config = { events: { again: onLifecycle("turn-settled", "echo") } };
    const { intake, idle, notices } = await start(workspace(), { config });

    await intake.fire({ workflow: "echo", trigger: "told" }, { source: "api" });
    await idle();

    expect(await intake.sessions.list({ workflow: "echo" })).toHaveLength(11);
    const kept = notices.filter(({ kind }) => kind === "kept");
    expect(kept).toMatchObject([{ what: "event again", reason: expect.stringContaining("too-many-hops") }]);
    expect(await intake.deadLetters()).toHaveLength(1);
  });

  it("S-103 a schedule fires its trigger once at each of its times", async () => {
    const schedules = { often: { workflow: "echo", trigger: "told", schedule: "rate(5 minutes)" } };
    const { intake, clock, settle, ...runtime } = await start(workspace(), { config: { schedules } });

    await settle();
    expect(runtime.schedules()).toEqual({ often: clock.now() + 5 * MINUTE });
    clock.advance(5 * MINUTE);
    await settle();
    await settle();
    clock.advance(5 * MINUTE);
    await settle();

    expect(await intake.sessions.list({ workflow: "echo" })).toHaveLength(2);
  });

  it("S-54 a stop lets turns end that end soon, and leaves the others to the next start", async () => {
    const rootDir = workspace({ "script.yaml": "- { text: never said, delayMs: 60000 }\n" });
    const clock = manualClock();
    const modelCalled = Promise.withResolvers<void>();
    const before = await start(rootDir, {
      clock,
      onEvent: ({ type }) => type === "state-enter" && modelCalled.resolve(),
    });

    await before.intake.fire(coolDown, { source: "api" });
    await modelCalled.promise;
    await before.intake.fire({ workflow: "echo", trigger: "told", sessionId: "echo-1" }, { source: "api" });
    const closed = before.close();
    await before.says("echo-1");
    clock.advance(10_000);
    await closed;
    writeTree(rootDir, { "script.yaml": SCRIPT });
    const after = await start(rootDir, { clock });
    await after.settle();

    expect(await after.intake.sessions.get("echo-1")).toMatchObject({ status: "completed" });
    expect(await after.intake.sessions.get("barrier-1")).toMatchObject({ status: "awaiting_input" });
    expect(before.notices.filter(({ kind }) => kind === "turn")).toHaveLength(1);
  });

  it("C-73 does not start with entrances that name what does not exist", async () => {
    const schedules = { often: { workflow: "echo", trigger: "tolled", schedule: "rate(5 minutes)" } };

    await expect(start(workspace(), { config: { schedules } })).rejects.toMatchObject({
      code: "deployment",
      message: expect.stringContaining('schedules.often: The workflow "echo" has no trigger "tolled"'),
    });
  });
});
