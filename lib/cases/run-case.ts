/** One case on a given agent (C-55). */
import type { Agent } from "../agent.js";
import { type Environment, loadDotEnv, type ModelFactory } from "../models/index.js";
import type { Clock } from "../session/ports.js";
import type { CaseDocument } from "../spec/cases/index.js";
import type { TestsSpec } from "../spec/types.js";
import { systemClock } from "../stores/clock/index.js";
import type { Backend } from "../workspace/index.js";
import { DEFAULT_CASE_TIMEOUT_MS } from "./deadline.js";
import { planeOf } from "./discover.js";
import { driveCase } from "./drive-case.js";
import { createJudge, type Judge } from "./judge/judge.js";
import { assertWorkflowGovernedTarget } from "./target.js";
import type { CaseResult } from "./types.js";

/** The case that `runCase` runs, its agent and its session. */
export interface RunCaseOptions {
  /** Follows the workflow of the case. It is not closed. */
  target: Agent;
  document: CaseDocument;
  /** A session that does not exist yet. */
  sessionId: string;
  /** Where fixtures are read; the current directory unless given. */
  rootDir?: string;
  authoring?: Backend;
  /** Builds the judge; the environment's model unless given (C-42). */
  modelFactory?: ModelFactory;
  env?: Record<string, string | undefined>;
  /** Stops the case; the call then rejects with its reason. */
  signal?: AbortSignal;
  host?: { clock?: Clock };
}

/**
 * Runs one case. Whatever goes wrong in it is told by the result.
 *
 * @throws {UngovernedTargetError} @throws the reason of `signal`
 */
export async function runCase(options: RunCaseOptions): Promise<CaseResult> {
  const { target, document, sessionId, signal, host } = options;
  assertWorkflowGovernedTarget(target);
  const { name, machine } = target.workflow;
  const plane = planeOf(options);
  return driveCase({
    target,
    document,
    sessionId,
    readFixture: (from) => plane.readBytes(name, `tests/${from}`),
    judge: judgeOf(options, machine.spec.tests?.judge),
    timeoutMs: machine.spec.tests?.caseTimeoutMs ?? DEFAULT_CASE_TIMEOUT_MS,
    clock: host?.clock ?? systemClock,
    signal,
  });
}

function judgeOf({ rootDir, authoring, modelFactory, env }: RunCaseOptions, spec: TestsSpec["judge"]): Judge | null {
  if (spec === undefined) return null;
  const root = rootDir ?? (authoring ? undefined : ".");
  const environment = (): Environment => env ?? (root === undefined ? process.env : loadDotEnv(root, process.env));
  return createJudge({
    spec,
    env: environment,
    rootDir: root,
    modelFactory,
  });
}
