/** Test cases of workflows: found, run, asserted, judged (C-1…C-56). The entry point `parkway/testing`. */
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
