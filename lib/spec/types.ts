/** The parsed `workflow.yaml` (chapter W): keys as authored, absent blocks left out, null states and declarations read as `{}`. */

/** Who works in a state: an agent, a person, a grading model or a script (W-61). */
export type StateType = "agent" | "human" | "grader" | "code";

/** What a transition means to the person who chooses it (W-84); `none` unless given. */
export type TransitionType = "approve" | "reject" | "refine" | "none";

/** A parsed `workflow.yaml`, as `parseMachineSpec` and `getSpecSnapshot` give it (H-53, H-118). */
export interface WorkflowSpec {
  title?: string;
  instructions?: string;
  runtime?: { engine?: string; version?: string | number };
  /** W-27: anything but absent, null and false is read as true. */
  disabled?: boolean;
  settings?: SettingsSpec;
  tests?: TestsSpec;
  metadata?: Record<string, unknown>;
  tools?: { allow_always?: ToolEntry[]; forbid_always?: ToolEntry[] };
  skills?: { allow_always?: string[]; forbid_always?: string[] };
  mounts?: { allow_always?: MountGrant[]; forbid_always?: string[] };
  states: Record<string, StateSpec>;
}

/**
 * A workflow's model id, its bounds on scripts and its prompt cache (W-38 to W-41). An absent bound is 15,000 ms, 64
 * MiB, 256 calls or 4,000 characters.
 */
export interface SettingsSpec {
  model?: string;
  timeoutMs?: number;
  memoryLimitBytes?: number;
  maxPtcCalls?: number | null;
  maxResultChars?: number;
  prompt_cache?: { enabled?: boolean; ttl?: "5m" | "1h" };
}

/** How a workflow's cases are run (W-42 to W-46); nothing of it affects a session. */
export interface TestsSpec {
  maxConcurrency?: number;
  caseTimeoutMs?: number;
  judge?: { model?: string; modelOptions?: { temperature?: number; maxTokens?: number } };
}

/** A state as authored; its `type`, `agent` unless given, decides which other keys it may have (W-61, W-62). */
export interface StateSpec {
  type?: StateType;
  title?: string;
  summary?: string;
  instructions?: string;
  script?: string;
  triggers?: Record<string, TriggerSpec>;
  transitions?: TransitionSpec[];
  tools?: { allow?: ToolEntry[]; forbid?: ToolEntry[] };
  skills?: { allow?: string[]; forbid?: string[] };
  mounts?: { allow?: MountGrant[]; forbid?: string[] };
  requires?: string[];
  locks?: string[];
  model?: string;
  budget?: { maxTurns?: number; timeoutMs?: number; maxParks?: number };
  on_error?: string;
  evidence?: string[];
  approvers?: string[];
  metadata?: Record<string, unknown>;
}

/** A way from a state to the state `to` (W-84, W-85). */
export interface TransitionSpec {
  to: string;
  description?: string;
  type?: TransitionType;
}

/** A trigger as a state declares it, a loose slot (W-18): keys the runtime does not read are kept. */
export interface TriggerSpec {
  session?: string;
  message?: string | false;
  connection?: string;
  description?: string;
  requires?: SignatureItem[];
  returns?: SignatureItem[];
  [hostKey: string]: unknown;
}

/** An entry of a tools list (W-181): a bare name, or a name with one kind of guard. */
export type ToolEntry =
  | string
  | {
      tool: string;
      args?: Record<string, string | string[]>;
      paths?: string | string[];
      connection?: string;
      source?: string;
    };

/** An entry of a mounts list: a governed mount by name, read only unless it asks for `read_write` (H-98). */
export type MountGrant = string | { mount: string; access?: "read" | "read_write" };

/** The words that a signature entry's `type` may be (W-121). */
export const SIGNATURE_TYPES = [
  "string",
  "integer",
  "number",
  "boolean",
  "date",
  "date-time",
  "object",
  "array",
  "file",
] as const;

/** The type of a signature entry (W-121): no value of one is coerced, and none may be null (W-122). */
export type SignatureType = (typeof SIGNATURE_TYPES)[number];

/** The words that a string entry's `format` may be (W-123). */
export const SIGNATURE_FORMATS = ["email", "url", "phone"] as const;

/** A signature entry as authored (W-116). */
export type SignatureItem = string | ({ name: string } & Record<string, unknown>);

/** A signature entry, normalised (W-129); every check is derived from it. */
export interface SignatureEntry {
  name: string;
  type?: SignatureType;
  description?: string;
  format?: (typeof SIGNATURE_FORMATS)[number];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  enum?: string[];
  content?: "text" | "markdown" | "html" | "json";
  /** Numbers for integer and number; a literal, `today` or `now` for date and date-time. */
  minimum?: number | string;
  maximum?: number | string;
  minItems?: number;
  maxItems?: number;
  accept?: string[];
  /** Whole bytes. */
  maxSize?: number;
}

/** What a trigger requires and what its workflow returns, normalised (W-129); `description` is for callers (H-121). */
export interface Signature {
  description?: string;
  requires: SignatureEntry[];
  returns: SignatureEntry[];
}

/** A finding about authored files (W-1, W-2). `line` and `column` are 1-based. */
export interface Diagnostic {
  code: string;
  severity: "error" | "warning";
  class: "load" | "check" | "warn";
  message: string;
  hint?: string;
  file?: string;
  line?: number;
  column?: number;
  /** Dotted key path, `states.review.transitions.0.to`. */
  field?: string;
  path?: (string | number)[];
}

/** Where a key path stands in the text, 1-based: its key, or for a path that is absent its nearest parent. */
export type LocatePath = (path: readonly (string | number)[]) => { line: number; column: number } | undefined;

/**
 * What loading one `workflow.yaml` gives. `stateOrder` is the document order of `states`. A document with a load finding
 * still carries `spec` when its shape holds, so that cross-file checks can run (W-21).
 */
export type ParsedSpec =
  | {
      ok: true;
      spec: WorkflowSpec;
      stateOrder: string[];
      specHash: string;
      /** The document the hash is of (W-49), as stored under `_specs/` (W-52). */
      specJson: string;
      diagnostics: Diagnostic[];
      locate: LocatePath;
    }
  | { ok: false; diagnostics: Diagnostic[]; spec?: WorkflowSpec; stateOrder?: string[]; locate: LocatePath };

/** A value that JSON can hold. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
