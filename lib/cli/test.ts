/** `parkway test`: a workflow's cases, replayed from cassettes, recorded, or run against the model (C-66, C-74). */
import { createHash } from "node:crypto";
import type { Cassettes, Settled } from "../cases/cassettes/index.js";
import type { CaseResult, RunTestsOptions, RunTestsResult } from "../cases/index.js";
import { agentOptions, loadConfigFile, type ParkwayConfig } from "../config/index.js";
import { EXIT, UsageError } from "./errors.js";
import { printHeader } from "./header.js";
import { junitReport } from "./junit.js";
import { textOption, writeOutput } from "./options.js";
import { icons } from "./style.js";
import { createTestView, type TestView } from "./test-view.js";
import type { CommandContext } from "./types.js";
import { splitWorkflow } from "./workflows.js";

export async function test(context: CommandContext): Promise<number> {
  const { terminal, root, options, command } = context;
  if (options.record && options.live) throw new UsageError("give --record or --live, not both", command);
  const [workflow, rest] = splitWorkflow(context, context.args);
  const [filter, ...more] = rest;
  if (more.length > 0) throw new UsageError(`one filter at most, found ${rest.join(", ")}`, command);

  printHeader(context, workflow, "with-model");
  const config = await loadConfigFile(root);
  const view = createTestView({ style: terminal.style, write: terminal.err, verbose: options.verbose === true });
  const suite = await runSuite(context, { workflow, filter, config, view });
  const { result, unrecorded } = suite;

  view.summary(result);
  if (filter !== undefined && result.results.length === 0 && result.skipped === undefined) {
    terminal.err(terminal.style.red(`${icons.fail} no cases matched '${filter}' (${result.discovered} discovered)`));
  } else if (result.discovered === 0 && result.skipped === undefined) {
    terminal.err(terminal.style.yellow(`${icons.warn} there are no cases under workflows/${workflow}/tests`));
  }
  const junit = textOption(context, "junit");
  if (junit !== undefined) writeOutput(context, junit, await junitReport(workflow, result.results, view.secondsOf));
  const exit = result.exitCode === 1 || unrecorded > 0 ? EXIT.failure : EXIT.ok;
  terminal.out(options.json ? JSON.stringify({ workflow, ...result, exitCode: exit }) : countsLine(result));
  return exit;
}

interface Suite {
  workflow: string;
  filter: string | undefined;
  config: ParkwayConfig;
  view: TestView;
}

/** `unrecorded`: cases that were to be recorded and could not be. */
async function runSuite(
  context: CommandContext,
  { workflow, filter, config, view }: Suite,
): Promise<{ result: RunTestsResult; unrecorded: number }> {
  const { terminal, root, signal } = context;
  const { env } = terminal;
  const [{ runTests }, target] = await Promise.all([import("../cases/index.js"), openTargets(context, config)]);
  const cassettes = await cassettesOf(context, workflow, config);
  const settled: Settled[] = [];
  const settle = (result: CaseResult) => {
    const end: Settled = cassettes === null ? { result } : cassettes.settle(result);
    settled.push(end);
    view.onCaseResult(end.result, end.recorded);
  };
  try {
    const {
      results: _results,
      exitCode,
      ...suite
    } = await runTests({
      workflow,
      rootDir: root,
      ...(filter === undefined ? {} : { filter }),
      env,
      signal,
      ...(config.modelFactory ? { modelFactory: config.modelFactory } : {}),
      onEvent: view.onEvent,
      onCaseStart: (file, sessionId) => view.onCaseStart(file, sessionId, cassettes?.replayed(file)),
      onCaseResult: settle,
      sessionIdForCase,
      createTarget: async (request) => {
        const agent = await target.create(request);
        return cassettes === null ? agent : cassettes.watched(agent, request.modelFactory);
      },
      ...(cassettes === null ? {} : { modelForCase: cassettes.modelForCase }),
    });
    const results = settled.map(({ result }) => result);
    const failed = exitCode === 1 || results.some(({ verdict }) => verdict.status === "failed");
    return {
      result: { results, exitCode: failed ? 1 : 0, ...suite },
      unrecorded: settled.filter(({ recorded }) => recorded !== undefined && "kept" in recorded).length,
    };
  } finally {
    await target.close();
  }
}

/** Agents with what the deployment adds, over stores that end with the run: a parked case is never woken by anybody. */
async function openTargets({ root, terminal }: CommandContext, config: ParkwayConfig) {
  const [{ caseTargetWith }, { createSandbox }, memory] = await Promise.all([
    import("../cases/index.js"),
    import("../sandbox/index.js"),
    import("../stores/memory/index.js"),
  ]);
  // One sandbox for all cases; each evaluation has a fresh engine all the same.
  const sandbox = createSandbox();
  const create: NonNullable<Extract<RunTestsOptions["createTarget"], (...args: never[]) => unknown>> = caseTargetWith({
    ...agentOptions(config, root),
    env: terminal.env,
    stores: { sessions: memory.createMemorySessionStore(), files: memory.createMemoryFileStore() },
    sandboxRuntime: { ...sandbox, close: async () => {} },
  });
  return { create, close: () => sandbox.close() };
}

/** Null where cassettes have no part in the run. */
async function cassettesOf(
  { root, options, terminal }: CommandContext,
  workflow: string,
  config: ParkwayConfig,
): Promise<Cassettes | null> {
  if (options.live) return null;
  const { createCassettes } = await import("../cases/cassettes/index.js");
  return createCassettes({
    rootDir: root,
    workflow,
    mode: options.record ? "record" : "replay",
    env: terminal.env,
    ...(config.modelFactory ? { modelFactory: config.modelFactory } : {}),
    sessionIdForCase,
  });
}

/** The same in every run, since every run has stores of its own, and another for every file (C-3). */
function sessionIdForCase(file: string): string {
  const name = file.replace(/^workflows\/[^/]+\/tests\//, "").replace(/\.test\.yaml$/, "");
  const fit = name.replace(/[/\\~\p{Cc}]/gu, "-");
  // What is replaced may make two names one.
  return fit === name ? `test-${name}` : `test-${fit}-${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
}

function countsLine({ results, skipped }: RunTestsResult): string {
  if (skipped !== undefined) return `suite skipped — ${skipped}`;
  const count = (status: string) => results.filter(({ verdict }) => verdict.status === status).length;
  return `${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`;
}
