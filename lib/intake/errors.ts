/** Why a workflow cannot be loaded (H-26, H-27, H-129). */
import { ParkwayError } from "../session/errors.js";
import type { Diagnostic } from "../spec/types.js";

export class WorkflowLoadError extends ParkwayError {
  override readonly code = "workflow-load";
  constructor(
    readonly workflow: string,
    readonly file: string,
    readonly issues: readonly Diagnostic[],
  ) {
    super(
      [`The workflow "${workflow}" cannot be loaded (${file}):`, ...issues.map((issue) => `  ${describe(issue)}`)].join(
        "\n",
      ),
    );
  }
}

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
