/** What is wrong with the options that a host sets around its agents' calls. */
import { ParkwayError } from "../session/errors.js";

/** An entry of `guardrails` is not a function. */
export class InvalidGuardrailError extends ParkwayError {
  override readonly code = "invalid-guardrail";
  /** @param at - the option that the list stands in; `index` counts from 0 there */
  constructor(
    readonly index: number,
    readonly at: string,
  ) {
    super(`\`${at}[${index}]\` is not a function; a guardrail is a function of the call.`);
  }
}

/** A completion gate that cannot be asked. */
export class InvalidCompletionError extends ParkwayError {
  override readonly code = "invalid-completion";
  /** @param at - the option, such as `agents.refund.completion` */
  constructor(
    readonly at: string,
    problem: string,
  ) {
    super(`\`${at}\` ${problem}.`);
  }
}
