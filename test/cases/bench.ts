/** A workspace with one workflow `case` and its cases, run on a scripted model server. */
import { afterEach } from "vitest";
import type { CreateAgentParams } from "../../lib/agent.js";
import { type CaseResult, caseTargetWith, type RunTestsOptions, runTests } from "../../lib/cases/index.js";
import type { EngineEvent } from "../../lib/session/events.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { sharedSandbox } from "../harness/agent.js";
import { type ManualClock, manualClock } from "../harness/clock.js";
import { temporaryFolder, writeTree } from "../harness/temporary.js";
import { type ModelServer, type ModelServerOptions, startModelServer } from "../model-server/index.js";

export interface SuiteOptions {
  /** Text of `workflows/case/workflow.yaml`. */
  spec?: string;
  /** Text of the cases by their path below `tests/`. A case without a title and a description is given both. */
  cases?: Record<string, string>;
  /** Further files of the workspace, by path. */
  files?: Record<string, string | Uint8Array>;
  replies?: ModelServerOptions["replies"];
  answer?: ModelServerOptions["handler"];
  /** Of the agent that cases run on. */
  target?: Omit<CreateAgentParams, "workflow" | "onEvent">;
}

export interface Suite {
  rootDir: string;
  env: Record<string, string>;
  events: EngineEvent[];
  requests: ModelServer["requests"];
  clock: ManualClock;
  stores: NonNullable<CreateAgentParams["stores"]>;
  run(options?: Partial<RunTestsOptions>): ReturnType<typeof runTests>;
  /** The result of the only case. */
  one(options?: Partial<RunTestsOptions>): Promise<CaseResult>;
}

/** Opens suites whose folders and servers go with the test that opened them. */
export function suites(): (options: SuiteOptions) => Promise<Suite> {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()));
  });
  return async ({ spec, cases = {}, files = {}, replies, answer, target }) => {
    const folder = temporaryFolder();
    closing.push(folder.remove);
    writeTree(folder.dir, {
      ...(spec === undefined ? {} : { "workflows/case/workflow.yaml": spec }),
      ...Object.fromEntries(
        Object.entries(cases).map(([file, text]) => [`workflows/case/tests/${file}`, withHead(text)]),
      ),
      ...files,
    });
    const server = await startModelServer(answer ? { handler: answer } : { replies: replies ?? [] });
    closing.push(server.close);
    const env = { ARCHMAX_API_BASE_URL: server.url, ARCHMAX_API_KEY: "test-key", ARCHMAX_MODEL: "test-model" };
    const events: EngineEvent[] = [];
    const clock = manualClock();
    const stores = { sessions: createMemorySessionStore(), files: createMemoryFileStore() };
    const createTarget = caseTargetWith({ env, stores, sandboxRuntime: sharedSandbox(), host: { clock }, ...target });
    const run = (options: Partial<RunTestsOptions> = {}) =>
      runTests({
        workflow: "case",
        rootDir: folder.dir,
        env,
        host: { clock },
        onEvent: (event) => events.push(event),
        createTarget,
        ...options,
      });
    const one = async (options?: Partial<RunTestsOptions>) => {
      const { results } = await run(options);
      if (results.length !== 1) throw new Error(`the suite has ${results.length} cases`);
      return results[0]!;
    };
    return { rootDir: folder.dir, env, events, requests: server.requests, clock, stores, run, one };
  };
}

function withHead(text: string): string {
  return /^title:/m.test(text) ? text : `title: A case\ndescription: What it shows.\n${text}`;
}
