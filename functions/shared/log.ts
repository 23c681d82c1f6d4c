/** A function's log: names and ids, never values (F-101, N-41). */
import { Logger } from "@aws-lambda-powertools/logger";
import { ParkwayError } from "../../lib/session/errors.js";

/** What this project's code may log: scalars under names. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export function createLogger(functionName: string): Logger {
  return new Logger({ persistentKeys: { function: functionName } });
}

export function logOf(logger: Logger): Log {
  return {
    info: (message, fields = {}) => logger.info(message, fields),
    warn: (message, fields = {}) => logger.warn(message, fields),
    error: (message, fields = {}) => logger.error(message, fields),
  };
}

/**
 * What of an error may be kept: its class, its code, where it was thrown, and its text if it is one of ours. Others' texts
 * may quote what they were given, such as an item that a service refused.
 */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const { code, retryable, $metadata } = error as {
    code?: unknown;
    retryable?: unknown;
    $metadata?: { requestId?: string; httpStatusCode?: number };
  };
  return {
    error: error.name,
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof retryable === "boolean" ? { retryable } : {}),
    ...(error instanceof ParkwayError ? { reason: error.message } : {}),
    ...(error.cause instanceof Error ? { cause: error.cause.name } : {}),
    ...($metadata?.requestId !== undefined ? { awsRequestId: $metadata.requestId } : {}),
    ...($metadata?.httpStatusCode !== undefined ? { awsStatus: $metadata.httpStatusCode } : {}),
    ...(error instanceof ParkwayError ? {} : { at: placeOf(error) }),
  };
}

/** The first frames of the stack without the text above them, which may have several lines. */
function placeOf(error: Error): string {
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return frames
    .slice(0, 3)
    .map((frame) => frame.trim().slice(3))
    .join(" < ");
}
