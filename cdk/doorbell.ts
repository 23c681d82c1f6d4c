/** The queues: the doorbell, what rang in vain (S-95), and what the platform could not hand to a function (F-72). */
import { Duration, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { accept } from "./nag.js";

export interface Queues {
  doorbell: Queue;
  /** Doorbells that failed again and again. They hold no data: the due mark still finds their sessions. */
  doorbellDeadLetters: Queue;
  /** Events and firings of schedules that no function took, and sweeps that failed. They do hold data: look, then redrive. */
  undelivered: Queue;
}

/** A bell is tried so often; AWS advises 5 at least for queues that functions read. */
const RINGS = 5;

/**
 * @param turnTimeout - the queue hides a message a little longer: a turn that was killed is found by its due mark, so
 * there is nothing to be gained from a longer time
 */
export function createQueues(scope: Construct, { key, turnTimeout }: { key: IKey; turnTimeout: Duration }): Queues {
  const shared = {
    encryption: QueueEncryption.KMS,
    encryptionMasterKey: key,
    dataKeyReuse: Duration.hours(1),
    enforceSSL: true,
  };
  const doorbellDeadLetters = new Queue(scope, "DoorbellDeadLetters", {
    ...shared,
    retentionPeriod: Duration.days(14),
  });
  const doorbell = new Queue(scope, "Doorbell", {
    ...shared,
    visibilityTimeout: turnTimeout.plus(Duration.minutes(1)),
    retentionPeriod: Duration.days(4),
    deadLetterQueue: { queue: doorbellDeadLetters, maxReceiveCount: RINGS },
  });
  const undelivered = new Queue(scope, "Undelivered", { ...shared, retentionPeriod: Duration.days(14) });
  accept(
    undelivered,
    "SQS3",
    "It is a dead-letter queue: of rules, schedules and asynchronous invocations, not of a queue.",
  );
  allowRules(undelivered);
  return { doorbell, doorbellDeadLetters, undelivered };
}

/** One statement for all rules of the account: a queue's policy takes 20 at most. */
function allowRules(queue: Queue): void {
  const { partition, region, account } = Stack.of(queue);
  queue.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal("events.amazonaws.com")],
      actions: ["sqs:SendMessage"],
      resources: [queue.queueArn],
      conditions: { ArnLike: { "aws:SourceArn": `arn:${partition}:events:${region}:${account}:rule/*` } },
    }),
  );
}
