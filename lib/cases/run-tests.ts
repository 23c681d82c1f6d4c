/** A workflow's suite: every case found, parsed and run, one at a time (C-48…C-54). */
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { Agent } from "../agent.js";
import { loadMachine } from "../intake/index.js";
import type { ModelFactory } from "../models/index.js";
import type { CaseDocument } from "../spec/cases/index.js";
import type { Authoring } from "../workspace/index.js";
import { casesIn, type ParsedCase, parseCases, planeOf } from "./discover.js";
import { diedBefore, skipped } from "./drive-case.js";
import { createEventGate, type EventGate } from "./event-gate.js";
import { runCase } from "./run-case.js";
import { assertWorkflowGovernedTarget, createCaseTarget } from "./target.js";
import type { CaseResult, RunTestsOptions, RunTestsResult } from "./types.js";
import { exitCodeForVerdict } from "./verdict.js";

/**
 * Runs the cases of a workflow and prints nothing.
 *
 * @throws {TypeError} for options that exclude each other, {WorkflowLoadError} for a workflow that cannot be loaded, {UngovernedTargetError} before any case, whatever
 * `createTarget` throws, and the reason of `signal`; what goes wrong in a case is told by its result
 */
export async function runTests(options: RunTestsOptions): Promise<RunTestsResult> {
  const { workflow, filter = "" } = options;
  if (options.modelForCase && typeof options.createTarget === "object") {
    throw new TypeError("modelForCase needs a target for each case: give createTarget as a function.");
  }
  const plane = planeOf(options);
  if (await isDisabled(plane, workflow)) return { results: [], exitCode: 0, discovered: 0, skipped: "disabled" };
  const found = await casesIn(plane, workflow);
  const selected = found.filter(({ id }) => id.includes(filter));
  const discovered = found.length;
  if (selected.length === 0) return { results: [], exitCode: filter === "" ? 0 : 1, discovered };
  const results = await runAll(options, await parseCases(plane, workflow, selected));
  const exitCode = results.some(({ verdict }) => exitCodeForVerdict(verdict) === 1) ? 1 : 0;
  return { results, exitCode, discovered };
}

/** A workflow without a spec has no suite to skip; what is wrong with it is said by whoever loads it. */
async function isDisabled(plane: Authoring, workflow: string): Promise<boolean> {
  if ((await plane.readSpec(workflow)) === null) return false;
  return (await loadMachine(plane, workflow)).disabled;
}

async function runAll(options: RunTestsOptions, cases: readonly ParsedCase[]): Promise<CaseResult[]> {
  const run = randomUUID();
  const sessionIdOf = options.sessionIdForCase ?? defaultSessionIds(run);
  const gate = createEventGate(options.onEvent);
  const runnable = cases.some(isRunnable);
  const shared = runnable && options.modelForCase === undefined ? await openTarget(options, gate) : null;
  const results: CaseResult[] = [];
  try {
    for (const found of cases) {
      options.signal?.throwIfAborted();
      const sessionId = isRunnable(found) ? sessionIdOf(found.file) : undefined;
      options.onCaseStart?.(found.file, sessionId);
      const result =
        sessionId === undefined ? notRun(found) : await runOne(options, { found, sessionId, gate, shared });
      results.push(result);
      options.onCaseResult?.(result);
    }
  } finally {
    await shared?.release();
  }
  return results;
}

function isRunnable({ parsed }: ParsedCase): boolean {
  return !(parsed instanceof Error) && parsed.skip === undefined;
}

function notRun({ id, parsed }: ParsedCase): CaseResult {
  if (parsed instanceof Error) {
    const error = parsed.message;
    return { id, verdict: { status: "failed", failures: [error] }, records: [], error };
  }
  const { title, description, skip = "" } = parsed;
  return { id, title, description, ...skipped(skip) };
}

async function runOne(
  options: RunTestsOptions,
  given: { found: ParsedCase; sessionId: string; gate: EventGate; shared: OpenTarget | null },
): Promise<CaseResult> {
  const { sessionId, gate, shared } = given;
  const document = given.found.parsed as CaseDocument;
  let own: ModelFactory | undefined;
  try {
    own = await options.modelForCase?.(given.found.file);
  } catch (error) {
    return diedBefore(document, sessionId, error);
  }
  const modelFactory = own ?? options.modelFactory;
  const { target, release } = shared ?? (await openTarget({ ...options, modelFactory }, gate));
  const { rootDir, authoring, env, signal, host } = options;
  gate.open(sessionId);
  try {
    return await runCase({ target, document, sessionId, rootDir, authoring, modelFactory, env, signal, host });
  } finally {
    gate.close();
    if (!shared) await release();
  }
}

interface OpenTarget {
  target: Agent;
  /** Closes what was made here. */
  release(): Promise<void>;
}

/** @throws {UngovernedTargetError} */
async function openTarget(options: RunTestsOptions, gate: EventGate): Promise<OpenTarget> {
  const { workflow, rootDir, authoring, createTarget, modelFactory, sandboxRuntime, env } = options;
  if (typeof createTarget === "object") {
    assertWorkflowGovernedTarget(createTarget);
    return { target: createTarget, release: async () => {} };
  }
  const root = rootDir ?? (authoring ? undefined : ".");
  const request = {
    workflow,
    rootDir: root === undefined ? undefined : resolve(root),
    onEvent: gate.handler,
    modelFactory,
  };
  const target = createTarget
    ? await createTarget(request)
    : await createCaseTarget({ ...request, authoring, sandboxRuntime, env });
  const release = () => target.close();
  try {
    assertWorkflowGovernedTarget(target);
  } catch (error) {
    await release();
    throw error;
  }
  return { target, release };
}

/** C-54. What no session id may hold becomes a dash too; where that makes two names one, the later is numbered (C-3). */
function defaultSessionIds(run: string): (file: string) => string {
  const given = new Set<string>();
  return (file) => {
    const id = `test-default-${run}-${file.replace(UNFIT, "-")}`;
    let free = id;
    for (let number = 2; given.has(free); number += 1) free = `${id}-${number}`;
    given.add(free);
    return free;
  };
}

const UNFIT = /[/\\~\p{Cc}]/gu;
