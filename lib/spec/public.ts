/**
 * `parkway/spec`: the schema of `workflow.yaml`, its pure validator, the grammars and the signature helpers (H-2). Fit for a
 * browser: nothing here reaches a Node built-in, or a package other than zod and re2js (H-3).
 */
export { BINARY_MIME_TYPES } from "./binary-mime-types.js";
export { parseCodeDescription } from "./code-description.js";
export { DIAGNOSTIC_CODES, type DiagnosticClass, type DiagnosticCode, isDiagnosticCode } from "./diagnostic-codes.js";
export { type DottedPath, parseDottedPath, resolveDottedPath } from "./dotted-path.js";
export { compileGlob, escapeGlob, isGlob } from "./globs.js";
export { workflowJsonSchema } from "./json-schema.js";
export { type MachineSpecResult, parseMachineSpec, type SpecIssue } from "./machine-spec.js";
export { isSlug, isVariableName, MAX_TITLE_CHARS, titleIssue } from "./names.js";
export {
  DEFAULT_TRIGGER_ID,
  DEFAULT_WORKFLOW,
  MANUAL_TRIGGER,
  runArtifactPaths,
  sessionPaths,
  WORKFLOW_TOOL_PREFIX,
  workflowPaths,
  workflowSlugFromToolName,
  workflowToolName,
} from "./paths.js";
export { type ParsedReference, parseReference } from "./references.js";
export {
  childSessionId,
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
export type {
  Diagnostic,
  JsonValue,
  MountGrant,
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
  WorkflowSpec as MachineSpec,
} from "./types.js";
export { SIGNATURE_FORMATS, SIGNATURE_TYPES } from "./types.js";
