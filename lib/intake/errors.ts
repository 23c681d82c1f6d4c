/** Why a workflow cannot be loaded (H-26, H-27, H-129). */
import { ParkwayError } from "../session/errors.js";
import type { Diagnostic } from "../spec/types.js";

/** Findings that the message itself holds. */
const TOLD = 5;

/**
 * A workflow that cannot govern an agent: its spec is missing or invalid, or cannot be told from a second one (H-26).
 * Thrown at assembly with every finding in `issues`, which `validateWorkflow` reports without throwing.
 */
export class WorkflowLoadError extends ParkwayError {
  override readonly code = "workflow-load";
  constructor(
    readonly workflow: string,
    readonly file: string,
    readonly issues: readonly Diagnostic[],
  ) {
    const told = issues.slice(0, TOLD).map((issue) => `  ${describe(issue)}`);
    const rest = issues.length - told.length;
    super(
      [
        `The workflow "${workflow}" cannot be loaded (${file}):`,
        ...told,
        ...(rest > 0 ? [`  and ${rest} more; \`parkway validate ${workflow}\` lists them all`] : []),
      ].join("\n"),
    );
  }
}

/**
 * A spec's `runtime` asks for another engine or version than `archmax-harness` 3 (H-27); thrown at assembly, before any
 * model call.
 */
export class UnsupportedRuntimeContractError extends ParkwayError {
  override readonly code = "unsupported-runtime-contract";
  constructor(readonly requested: { engine: string; version: string }) {
    super(
      `The workflow asks for ${requested.engine} ${requested.version}; this runtime serves archmax-harness version 3.`,
    );
  }
  readonly supported = [{ engine: "archmax-harness", version: "3" }];
}

function describe(issue: Diagnostic): string {
  const at = issue.line === undefined ? "" : `${issue.line}:${issue.column ?? 1} `;
  return `${at}${issue.code} ${issue.message}`;
}
