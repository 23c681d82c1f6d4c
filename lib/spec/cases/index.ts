/** The grammar of test cases: text to document and back, pure. */
export { CaseSchemaError, placeOf } from "./errors.js";
export { type CaseReading, caseId, parseCaseDocument, readCaseDocument, sameCase } from "./parse.js";
export { readRegexString } from "./regex-string.js";
export { CASE_DESCRIPTION_MAX_LENGTH, CASE_TITLE_MAX_LENGTH, fixtureOf } from "./rules.js";
export { serializeCaseDocument } from "./serialize.js";
export {
  ACTION_KEYS,
  ASSERTION_KEYS,
  CASE_KEYS,
  type CaseAction,
  type CaseAssertion,
  type CaseDocument,
  type CaseMock,
  type CaseProblem,
  type CaseProblemCode,
  type CaseStep,
  type ParkChannel,
  type ToolMatcher,
  TRAIL_KINDS,
  type TrailKind,
} from "./types.js";
