/** What is wrong with the tools a host passes; all thrown at assembly. */
import { ParkwayError } from "../session/errors.js";

/** Host tools take names that belong to the runtime (H-105). */
export class ReservedToolNameError extends ParkwayError {
  override readonly code = "reserved-tool-name";
  constructor(readonly names: readonly string[]) {
    super(`These tool names belong to the runtime: ${names.join(", ")}. Give the host's tools other names.`);
  }
}

/** A declaration of path arguments that cannot hold (H-104). */
export class ToolPathsError extends ParkwayError {
  override readonly code = "tool-paths";
  constructor(
    readonly tool: string,
    reason: string,
  ) {
    super(`The path arguments of "${tool}" cannot be declared so: ${reason}.`);
  }
}

/** A tool whose arguments cannot be described to a model as JSON Schema (F-70). */
export class ToolDescriptionError extends ParkwayError {
  override readonly code = "tool-description";
  constructor(
    readonly tool: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`The tool "${tool}" cannot be described to a model: ${reason}.`, options);
  }
}
