/** AWS X-Ray around an invocation: a chunk of its own, for deployments that trace. */
import { Tracer } from "@aws-lambda-powertools/tracer";
import { captureLambdaHandler } from "@aws-lambda-powertools/tracer/middleware";
import type { MiddlewareObj } from "@middy/core";

/** Answers hold what a session says, so they are not traced (F-101). */
export function tracing(): MiddlewareObj {
  return captureLambdaHandler(new Tracer({ captureHTTPsRequests: false }), { captureResponse: false });
}
