/** The middlewares that every function has around its handler. */
import type { Logger } from "@aws-lambda-powertools/logger";
import { injectLambdaContext } from "@aws-lambda-powertools/logger/middleware";
import middy, { type MiddlewareObj } from "@middy/core";
import type { Context } from "aws-lambda";
import type { Environment } from "./environment.js";
import { InvocationFailedError } from "./errors.js";
import { errorFields, type Log } from "./log.js";
import { type FunctionMetrics, publishing } from "./metrics.js";

export interface StackOptions {
  logger: Logger;
  log: Log;
  metrics: FunctionMetrics;
  env: Environment;
}

export type LambdaHandler<Event, Result> = (event: Event, context: Context) => Promise<Result>;

/**
 * Wraps a handler: log lines carry the invocation's ids, metrics are written before it returns (F-76), an error is logged
 * and leaves without its text. The tracer is loaded only where the deployment traces.
 */
export async function stack<Event, Result>(
  handle: LambdaHandler<Event, Result>,
  { logger, log, metrics, env }: StackOptions,
): Promise<LambdaHandler<Event, Result>> {
  // No answer of its own shortly before the deadline: what is under way would go on after it (F-76).
  const stacked = middy<Event, Result>({ timeoutEarlyInMillis: 0 })
    .use(injectLambdaContext(logger, { logEvent: false, resetKeys: true }))
    .use(publishing(metrics));
  if (isTracing(env)) stacked.use((await import("./tracing.js")).tracing());
  stacked.use(reportErrors(log));
  return stacked.handler(handle) as unknown as LambdaHandler<Event, Result>;
}

/** Powertools traces unless told not to; here it is asked for. */
function isTracing({ POWERTOOLS_TRACE_ENABLED: asked }: Environment): boolean {
  return asked === "true" || asked === "1";
}

function reportErrors(log: Log): MiddlewareObj {
  return {
    onError: (request) => {
      if (request.error === null) return;
      const fields = errorFields(request.error);
      log.error("The invocation failed.", fields);
      request.error = new InvocationFailedError(String(fields.code ?? fields.error));
    },
  };
}
