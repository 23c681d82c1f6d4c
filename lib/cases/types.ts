/** What running a workflow's test cases takes and gives (C-43, C-50, C-51). */
import type { Agent } from "../agent.js";
import type { ModelFactory } from "../models/index.js";
import type { Sandbox } from "../sandbox/types.js";
import type { EventHandler } from "../session/events.js";
import type { Clock } from "../session/ports.js";
import type { Backend } from "../workspace/index.js";

/** What a record is of (C-43): the key of an assertion, with an ending for a reply's tokens and a grade. */
export type AssertionKind =
  | "succeeded"
  | "parked"
  | "raised"
  | "reachedState"
  | "trail"
  | "noTraversal"
  | "triggerArrival"
  | "reply.includes"
  | "reply.excludes"
  | "calledTool"
  | "notCalledTool"
  | "blockedTool"
  | "usedNoTools"
  | "ranWorkflow"
  | "variables"
  | "grade.closedQA";

/** What one assertion came to (C-43). A step of a case has one record or, for lists of tokens and names, several. */
export interface AssertionRecord {
  kind: AssertionKind;
  status: "passed" | "failed" | "not-executed";
  /** `atLeast` of a grade. */
  threshold: number | null;
  /** The judge's, from 0 to 1. */
  score?: number;
  /** Why it failed; of a grade, what the judge said. */
  detail?: string;
  /** Index in the document's `steps`, from 0. */
  step: number;
}

/** How a case ended (C-47, C-51). */
export interface Verdict {
  status: "passed" | "failed" | "skipped";
  /** One line each: what ended the case, then the failed records (C-45, C-47). */
  failures: string[];
}

/** What became of one case (C-51). */
export interface CaseResult {
  /** The path below `tests/` without the extension. */
  id: string;
  title?: string;
  description?: string;
  /** Absent where no session was begun: of skipped cases and of documents that do not parse. */
  sessionId?: string;
  verdict: Verdict;
  records: AssertionRecord[];
  skipReason?: string;
  /** What ended the case before its last step; a missed structural assertion is no such thing (C-44). */
  error?: string;
}

/** How the agent is made that a suite is run on. */
export interface TargetRequest {
  workflow: string;
  /** Absent where `authoring` was given without a root (C-52). */
  rootDir?: string;
  onEvent: EventHandler;
  /** Of the run, or of the one case that the target is for. */
  modelFactory?: ModelFactory;
}

/** Makes the agent that cases run on (C-53); it must follow the workflow of the request. */
export type CreateTarget = (request: TargetRequest) => Promise<Agent>;

/** The suite that `runTests` runs, what its cases run on, and who is told of it (C-50). */
export interface RunTestsOptions {
  workflow: string;
  /** The current directory unless given; with `authoring` none is needed (C-52). */
  rootDir?: string;
  /** Holds `workflows/**` in place of the root's folder. */
  authoring?: Backend;
  /** Keeps the cases whose id contains it (C-5). */
  filter?: string;
  /** Every event of the cases' sessions and their children; nothing of a session once its case has ended (C-46). */
  onEvent?: EventHandler;
  /** Precedes each case. `file` is its workspace path; no session is begun for what is skipped or does not parse. */
  onCaseStart?(file: string, sessionId?: string): void;
  /** Follows each case. */
  onCaseResult?(result: CaseResult): void;
  sandboxRuntime?: Sandbox;
  /** Builds the models of the default target, and the judge (C-42). */
  modelFactory?: ModelFactory;
  /**
   * Asked for each case that is run, with its workspace path: the models of that case alone, judge included; undefined
   * leaves it to `modelFactory`. Each case then has a target of its own, which `createTarget` has to make.
   */
  modelForCase?(file: string): ModelFactory | undefined | Promise<ModelFactory | undefined>;
  /** The agent that cases run on, or what makes it; `createCaseTarget` unless given (C-53). One that is made here is closed. */
  createTarget?: Agent | CreateTarget;
  /** `test-default-<run>-<file>` unless given (C-54). */
  sessionIdForCase?(file: string): string;
  /** Stops the running case; the call then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** The environment of the default target and of the judge; `process.env` and the root's `.env` unless given. */
  env?: Record<string, string | undefined>;
  /** Tells `tests.caseTimeoutMs`. */
  host?: { clock?: Clock };
}

/** What a run of a suite came to (C-50). */
export interface RunTestsResult {
  /** In the order of discovery. */
  results: CaseResult[];
  /** 1 where a case failed, or where a filter was given that no case fits. */
  exitCode: 0 | 1;
  /** Cases found, before the filter. */
  discovered: number;
  /** The workflow is disabled, so its suite is not run (C-49). */
  skipped?: "disabled";
}

/** The signature of `runTests`, for what stands in its place. */
export type RunTests = (options: RunTestsOptions) => Promise<RunTestsResult>;
