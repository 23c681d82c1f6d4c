/** Queues, functions and rules of a template, as the bench's services take them. */
import { nameFromArn } from "../arns.js";
import type { TargetInput } from "../events/input.js";
import type { Rule, RuleTarget } from "../events/rules.js";
import type { FunctionDefinition, LambdaHost } from "../lambda/lambda-host.js";
import type { QueueOptions } from "../queue.js";
import type { LocalSqs } from "../sqs.js";
import type { Wire } from "../wire/wire.js";
import type { Resource, Template } from "./template.js";

/** SQS API reference, CreateQueue: what holds where the template does not say. */
const DEFAULT_VISIBILITY_SECONDS = 30;
/** Lambda API reference, CreateFunction. */
const DEFAULT_TIMEOUT_SECONDS = 3;
const DEFAULT_MEMORY_MB = 128;

/** Dead-letter queues first, for others name them. */
export function queuesOf(template: Template, sqs: LocalSqs): void {
  const queues = template.resources("AWS::SQS::Queue");
  const isLast = ({ properties }: Resource) => properties.RedrivePolicy === undefined;
  for (const { id, properties } of [...queues.filter(isLast), ...queues.filter((queue) => !isLast(queue))]) {
    const { VisibilityTimeout = DEFAULT_VISIBILITY_SECONDS, MessageRetentionPeriod, RedrivePolicy } = properties;
    const redrive = RedrivePolicy as { deadLetterTargetArn: string; maxReceiveCount: number } | undefined;
    const options: QueueOptions = {
      visibilityMs: Number(VisibilityTimeout) * 1_000,
      ...(MessageRetentionPeriod === undefined ? {} : { retentionMs: Number(MessageRetentionPeriod) * 1_000 }),
      ...(redrive && {
        redrive: {
          to: sqs.queue(nameFromArn(redrive.deadLetterTargetArn)),
          maxReceives: Number(redrive.maxReceiveCount),
        },
      }),
    };
    sqs.createQueue(id, options);
  }
}

export function defineFunctions(
  template: Template,
  given: { host: LambdaHost; sqs: LocalSqs; wire: Wire; assetOf(code: Record<string, unknown>): string },
): void {
  const configs = template.resources("AWS::Lambda::EventInvokeConfig");
  for (const { id, properties } of template.resources("AWS::Lambda::Function")) {
    const { Variables = {} } = (properties.Environment ?? {}) as { Variables?: Record<string, string> };
    const config = configs.find((one) => one.properties.FunctionName === id);
    given.host.define({
      name: id,
      assetDir: given.assetOf(properties.Code as Record<string, unknown>),
      handler: String(properties.Handler),
      environment: Variables,
      timeoutMs: Number(properties.Timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1_000,
      memoryMb: Number(properties.MemorySize ?? DEFAULT_MEMORY_MB),
      ...(properties.ReservedConcurrentExecutions === undefined
        ? {}
        : { reservedConcurrency: Number(properties.ReservedConcurrentExecutions) }),
      asynchronous: asynchronousOf(config, { ...given, functionName: id }),
    });
  }
}

function asynchronousOf(
  config: Resource | undefined,
  { sqs, wire, functionName }: { sqs: LocalSqs; wire: Wire; functionName: string },
): FunctionDefinition["asynchronous"] {
  if (!config) return {};
  const { MaximumRetryAttempts, DestinationConfig } = config.properties;
  const destination = (DestinationConfig as { OnFailure?: { Destination: string } } | undefined)?.OnFailure
    ?.Destination;
  return {
    ...(MaximumRetryAttempts === undefined ? {} : { retries: Number(MaximumRetryAttempts) }),
    onFailure(failure) {
      if (destination === undefined) return;
      const needs = [{ action: "sqs:SendMessage", resource: destination, context: {} }];
      wire.record({ functionName, service: "sqs", operation: "SendMessage", needs });
      const { event: requestPayload, error, attempts: approximateInvokeCount } = failure;
      const requestContext = { condition: "RetriesExhausted", approximateInvokeCount };
      const record = { version: "1.0", requestContext, requestPayload, responsePayload: error };
      sqs.queue(nameFromArn(destination)).send(JSON.stringify(record));
    },
  };
}

interface RawTarget extends TargetInput {
  Arn: string;
  RetryPolicy?: { MaximumRetryAttempts?: number; MaximumEventAgeInSeconds?: number };
  DeadLetterConfig?: { Arn: string };
}

export function rulesOf(template: Template, sqs: LocalSqs): { rule: Rule; isScheduled: boolean }[] {
  return template.resources("AWS::Events::Rule").map(({ id, properties }) => {
    const targets = ((properties.Targets ?? []) as RawTarget[]).map((target) => targetFrom(target, sqs));
    const pattern = properties.EventPattern as Rule["pattern"];
    const bus = nameFromArn(String(properties.EventBusName ?? "default"));
    return {
      rule: { name: id, bus, targets, ...(pattern === undefined ? {} : { pattern }) },
      isScheduled: properties.ScheduleExpression !== undefined,
    };
  });
}

function targetFrom({ Arn, RetryPolicy, DeadLetterConfig, ...input }: RawTarget, sqs: LocalSqs): RuleTarget {
  const { MaximumRetryAttempts: maxAttempts, MaximumEventAgeInSeconds: maxAgeSeconds } = RetryPolicy ?? {};
  return {
    ...input,
    arn: Arn,
    ...(maxAttempts === undefined ? {} : { maxAttempts: Number(maxAttempts) }),
    ...(maxAgeSeconds === undefined ? {} : { maxAgeMs: Number(maxAgeSeconds) * 1_000 }),
    ...(DeadLetterConfig && {
      onDead: (event: unknown) => void sqs.queue(nameFromArn(DeadLetterConfig.Arn)).send(JSON.stringify(event)),
    }),
  };
}
