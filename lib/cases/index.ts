/** Test cases of workflows: found, run, asserted, judged (C-1…C-56). The entry point `parkway/testing`. */
export {
  CASE_DESCRIPTION_MAX_LENGTH,
  CASE_TITLE_MAX_LENGTH,
  type CaseAction,
  type CaseAssertion,
  type CaseDocument,
  type CaseMock,
  CaseSchemaError,
  type CaseStep,
  parseCaseDocument,
  serializeCaseDocument,
} from "../spec/cases/index.js";
export { type DiscoveredCase, discoverCases } from "./discover.js";
export {
  CaseTimeoutError,
  MissingFixtureError,
  SessionSeedUnsupportedError,
  ToolMocksUnsupportedError,
  UngovernedTargetError,
} from "./errors.js";
export { createToolMockMiddleware } from "./mocks.js";
export { partialMatch } from "./partial-match.js";
export { type RunCaseOptions, runCase } from "./run-case.js";
export { runTests } from "./run-tests.js";
export { assertWorkflowGovernedTarget, type CaseTargetRequest, caseTargetWith, createCaseTarget } from "./target.js";
export type {
  AssertionKind,
  AssertionRecord,
  CaseResult,
  CreateTarget,
  RunTests,
  RunTestsOptions,
  RunTestsResult,
  TargetRequest,
  Verdict,
} from "./types.js";
export { exitCodeForVerdict, reduceVerdict } from "./verdict.js";
