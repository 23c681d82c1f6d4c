/** One translation of whatever a provider package throws into this layer's errors. */
import { ParkwayError } from "../session/errors.js";
import { awsStatusOf } from "./aws-error.js";
import { ModelCallError } from "./errors.js";
import { sanitizeErrorText } from "./sanitize.js";

/** Provider packages wrap errors of the transport; ours is found this deep. */
const MAX_CAUSES = 5;

/**
 * The error to throw for a failed call. The original is not kept as `cause`: it holds the request with its headers (F-101).
 */
export function toCallError(thrown: unknown, secrets: readonly string[]): ParkwayError {
  const chain = causes(thrown);
  const ours = chain.find((error) => error instanceof ParkwayError);
  if (ours instanceof ParkwayError) return ours;
  const fields = chain.find((error) => statusOf(error) !== undefined) ?? chain[0] ?? {};
  const status = statusOf(fields);
  // An AWS client names its errors; other classes' names say nothing.
  const named = fields.$metadata !== undefined || fields.$fault !== undefined ? fields.name : undefined;
  const code = [fields.code, fields.type, named].find((name) => typeof name === "string");
  const deepest = chain.at(-1);
  const said = [fields.message, deepest?.message].filter((text) => typeof text === "string" && text !== "");
  const text = sanitizeErrorText([...new Set(said)].join(": ") || String(thrown), secrets);
  return new ModelCallError(`The model call failed: ${text}`, {
    status,
    providerCode: code === undefined ? undefined : sanitizeErrorText(String(code), secrets),
  });
}

function statusOf(error: Record<string, unknown>): number | undefined {
  return typeof error.status === "number" ? error.status : awsStatusOf(error);
}

function causes(thrown: unknown): Record<string, unknown>[] {
  const chain: Record<string, unknown>[] = [];
  let next = thrown;
  while (typeof next === "object" && next !== null && chain.length < MAX_CAUSES) {
    chain.push(next as Record<string, unknown>);
    next = (next as { cause?: unknown }).cause;
  }
  return chain;
}
