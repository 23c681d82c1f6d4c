/** The parsed `workflow.yaml` (chapter W): keys as authored, absent blocks left out, null states and declarations read as `{}`. */

export type StateType = "agent" | "human" | "grader" | "code";
export type TransitionType = "approve" | "reject" | "refine" | "none";

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

export interface SettingsSpec {
  model?: string;
  timeoutMs?: number;
  memoryLimitBytes?: number;
  maxPtcCalls?: number | null;
  maxResultChars?: number;
  prompt_cache?: { enabled?: boolean; ttl?: "5m" | "1h" };
}

export interface TestsSpec {
  maxConcurrency?: number;
  caseTimeoutMs?: number;
  judge?: { model?: string; modelOptions?: { temperature?: number; maxTokens?: number } };
}

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

export interface TransitionSpec {
  to: string;
  description?: string;
  type?: TransitionType;
}

/** A trigger declaration is a loose slot (W-18): keys the runtime does not read are kept. */
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

export type MountGrant = string | { mount: string; access?: "read" | "read_write" };

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
export type SignatureType = (typeof SIGNATURE_TYPES)[number];
export const SIGNATURE_FORMATS = ["email", "url", "phone"] as const;

/** A signature entry as authored (W-116). */
export type SignatureItem = string | ({ name: string } & Record<string, unknown>);

/** The normalised entry of W-129, which every check is derived from. */
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

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
