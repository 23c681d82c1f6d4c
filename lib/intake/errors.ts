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

/** A valid workflow uses a part of the format that this version validates but does not run. */
export class UnsupportedFeatureError extends ParkwayError {
  override readonly code = "unsupported-feature";
  constructor(
    readonly workflow: string,
    readonly uses: readonly { feature: string; where: string }[],
  ) {
    const list = uses.map((use) => `${use.feature} (${use.where})`).join(", ");
    super(`The workflow "${workflow}" is valid, but this version does not run yet what it uses: ${list}.`);
  }
}

function describe(issue: Diagnostic): string {
  const at = issue.line === undefined ? "" : `${issue.line}:${issue.column ?? 1} `;
  return `${at}${issue.code} ${issue.message}`;
}
