/** The public names of `workflow.yaml`'s loader: pure and fit for a browser. */
export { BINARY_MIME_TYPES } from "./binary-mime-types.js";
export { parseCodeDescription } from "./code-description.js";
export { DIAGNOSTIC_CODES, type DiagnosticClass, type DiagnosticCode, isDiagnosticCode } from "./diagnostic-codes.js";
export { isShapeCode, orderDiagnostics } from "./diagnostic-order.js";
export { type DiagnosticDetails, type DocumentPath, hasLoadFinding, makeDiagnostic, nearest } from "./diagnostics.js";
export {
  type DottedPath,
  descend,
  parseDottedPath,
  parseValuePath,
  resolveDottedPath,
  resolveValuePath,
  sessionIdFromValue,
} from "./dotted-path.js";
export { compileGlob, escapeGlob, isGlob } from "./globs.js";
export { workflowJsonSchema } from "./json-schema.js";
export { type MachineSpecResult, parseMachineSpec, type SpecIssue } from "./machine-spec.js";
export { isSlug, isVariableName, MAX_TITLE_CHARS, SLUG, titleIssue, VARIABLE_NAME } from "./names.js";
export { type ParseSpecOptions, parseSpec } from "./parse-spec.js";
export {
  DEFAULT_TRIGGER_ID,
  DEFAULT_WORKFLOW,
  MANUAL_TRIGGER,
  runArtifactPaths,
  sessionPaths,
  specPath,
  WORKFLOW_TOOL_PREFIX,
  workflowPaths,
  workflowSlugFromToolName,
  workflowToolName,
} from "./paths.js";
export {
  type ParsedReference,
  parseReference,
  type ReferencePart,
  type ResolvedReference,
  referenceParts,
  resolveGuard,
  resolveReference,
  resolveReferenceValue,
  type Substituted,
  substituteReferences,
  wholeReference,
} from "./references.js";
export {
  childSessionId,
  hasControlCharacter,
  isChildSessionOf,
  MAX_SESSION_ID_BYTES,
  parentSessionIdOf,
  SESSION_AREAS,
  sessionIdRejection,
} from "./session-ids.js";
export {
  normalizeSignature,
  type SignatureIssue,
  signatureForTrigger,
  signatureJsonSchema,
  signatureValueIssues,
} from "./signature.js";
export { parseSize, SIGNATURE_CONTENTS, type SignatureRule } from "./signature-rules.js";
export { canonicalSpecJson, specHash } from "./spec-hash.js";
export type {
  Diagnostic,
  JsonValue,
  LocatePath,
  MountGrant,
  ParsedSpec,
  SettingsSpec,
  Signature,
  SignatureEntry,
  SignatureItem,
  SignatureType,
  StateSpec,
  StateType,
  TestsSpec,
  ToolEntry,
  TransitionSpec,
  TransitionType,
  TriggerSpec,
  WorkflowSpec,
} from "./types.js";
export { SIGNATURE_FORMATS, SIGNATURE_TYPES } from "./types.js";
