/** Alarms: what needs a person, and nothing that mends itself. */
import { Duration, Stack } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { type ITopic, Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import type { Queues } from "./doorbell.js";
import { allowAlarms } from "./encryption.js";
import { type Functions, metricNamespace } from "./functions.js";
import type { Entrances } from "./http.js";
import { FUNCTION_NAMES, type FunctionName } from "./permissions.js";
import type { AlarmSettings } from "./props.js";

export interface Watched {
  environment: string;
  queues: Queues;
  functions: Functions;
  entrances: Entrances;
  table: Table;
  turnTimeout: Duration;
}

/** What the functions count themselves (S-102), under their service alone. */
export const COUNTED = { dead: "dead", wakeDelay: "wakeDelay", wakeLateness: "wakeLateness" } as const;

const FIVE_MINUTES = Duration.minutes(5);
/** S-61: a wake-up is applied at the latest so long after its time. */
const LATEST_WAKE_MS = 90_000;

export function createAlarms(
  scope: Construct,
  options: { watched: Watched; settings?: AlarmSettings; key: IKey },
): Alarm[] {
  const place = new Construct(scope, "Alarms");
  const topics = topicsOf(place, options.settings ?? {}, options.key);
  return alarmsOf(options.watched).map(({ id, above, below, ...rest }) => {
    const alarm = new Alarm(place, id, {
      evaluationPeriods: 1,
      threshold: above ?? below ?? 0,
      comparisonOperator:
        below === undefined ? ComparisonOperator.GREATER_THAN_THRESHOLD : ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: below === undefined ? TreatMissingData.NOT_BREACHING : TreatMissingData.BREACHING,
      ...rest,
    });
    for (const topic of topics) {
      alarm.addAlarmAction(new SnsAction(topic));
      alarm.addOkAction(new SnsAction(topic));
    }
    return alarm;
  });
}

interface AlarmOf {
  id: string;
  metric: IMetric;
  alarmDescription: string;
  /** Exactly one of the two. */
  above?: number;
  /** No data counts as below. */
  below?: number;
  /** One unless given. */
  evaluationPeriods?: number;
}

function alarmsOf({ environment, queues, functions, entrances, table, turnTimeout }: Watched): AlarmOf[] {
  const stuckSeconds = turnTimeout.toSeconds() + 300;
  return [
    {
      id: "DoorbellDeadLetters",
      metric: queues.doorbellDeadLetters.metricApproximateNumberOfMessagesVisible({
        period: FIVE_MINUTES,
        statistic: "max",
      }),
      above: 0,
      alarmDescription:
        "A doorbell failed again and again (S-95). Its session waits; the logs of the turn function say why.",
    },
    {
      id: "Undelivered",
      metric: queues.undelivered.metricApproximateNumberOfMessagesVisible({ period: FIVE_MINUTES, statistic: "max" }),
      above: 0,
      alarmDescription: "An event or a firing of a schedule reached no function. The message holds it and the reason.",
    },
    {
      id: "DeadLetters",
      metric: deadLetterMetric(environment),
      above: 0,
      alarmDescription:
        "An arrival was given up (S-91, S-93). GET /v1/hooks/failures lists it with the reason; POST …/{id}/redrive tries again.",
    },
    {
      id: "DoorbellAge",
      metric: queues.doorbell.metricApproximateAgeOfOldestMessage({ period: FIVE_MINUTES, statistic: "max" }),
      above: stuckSeconds,
      alarmDescription: "A doorbell is older than the longest turn: turns fail, or more are needed at a time.",
    },
    {
      id: "WakeDelay",
      metric: countedMetric(environment, { by: "turn", name: COUNTED.wakeDelay, statistic: Stats.p(99) }),
      above: LATEST_WAKE_MS,
      alarmDescription: "Parked sessions wake later than 90 s after their time (S-61).",
    },
    {
      id: "SweepLateness",
      metric: countedMetric(environment, { by: "wake", name: COUNTED.wakeLateness, statistic: Stats.MAXIMUM }),
      above: LATEST_WAKE_MS,
      alarmDescription: "The sweep finds what fell due more than 90 s ago: doorbells are lost, or turns do not come.",
    },
    {
      id: "WakeStopped",
      metric: functions.wake.metricInvocations({ period: FIVE_MINUTES }),
      below: 1,
      alarmDescription: "The sweep has not run for five minutes: nothing parked wakes.",
    },
    ...FUNCTION_NAMES.map((name) => ({
      id: `Errors-${name}`,
      metric: functions[name].metricErrors({ period: FIVE_MINUTES }),
      above: 0,
      alarmDescription: `Invocations of the ${name} function fail.`,
    })),
    {
      id: "ServerErrors",
      metric: sumOf(
        [entrances.api, entrances.iamApi]
          .filter((api) => api !== undefined)
          .map((api) => api.metricServerError({ period: FIVE_MINUTES, statistic: Stats.SUM })),
      ),
      above: 0,
      // One that passes is answered with 503, and the sender comes again.
      evaluationPeriods: 2,
      alarmDescription:
        "Webhooks or calls of the API are answered with 5xx for ten minutes: a secret that is not there, a workflow that does not load. The functions' logs say which.",
    },
    {
      id: "Throttles",
      metric: sumOf(FUNCTION_NAMES.map((name) => functions[name].metricThrottles({ period: FIVE_MINUTES }))),
      above: 0,
      alarmDescription: "Lambda turns invocations away: the account's concurrency is used up.",
    },
    {
      id: "TableThrottles",
      metric: sumOf([tableMetric(table, "ReadThrottleEvents"), tableMetric(table, "WriteThrottleEvents")]),
      above: 0,
      alarmDescription: "DynamoDB turns requests away. Turns are late by it, and none is lost (S-94).",
    },
  ];
}

export function deadLetterMetric(environment: string): IMetric {
  const counters = ["turn", "trigger"] as const;
  return sumOf(counters.map((by) => countedMetric(environment, { by, name: COUNTED.dead, statistic: Stats.SUM })));
}

export function countedMetric(
  environment: string,
  { by, name, statistic }: { by: FunctionName; name: string; statistic: string },
): Metric {
  const namespace = metricNamespace(environment);
  return new Metric({
    namespace,
    metricName: name,
    dimensionsMap: { service: by },
    statistic,
    period: FIVE_MINUTES,
  });
}

function tableMetric(table: Table, metricName: string): Metric {
  return table.metric(metricName, { statistic: Stats.SUM, period: FIVE_MINUTES });
}

/** A function that has not run has no data; it counts as none. */
function sumOf(metrics: readonly IMetric[]): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  const expression = Object.keys(usingMetrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(" + ");
  return new MathExpression({ expression, usingMetrics, period: FIVE_MINUTES });
}

/** Mail goes through a topic of the stack. Only alarms of the account may write to it. */
function topicsOf(place: Construct, { topicArn, emails = [] }: AlarmSettings, key: IKey): ITopic[] {
  const topics: ITopic[] = topicArn === undefined ? [] : [Topic.fromTopicArn(place, "Given", topicArn)];
  if (emails.length === 0) return topics;
  const topic = new Topic(place, "Topic", { masterKey: key, enforceSSL: true });
  allowAlarms(key);
  for (const email of emails) topic.addSubscription(new EmailSubscription(email));
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
      actions: ["sns:Publish"],
      resources: [topic.topicArn],
      conditions: { StringEquals: { "aws:SourceAccount": Stack.of(place).account } },
    }),
  );
  return [...topics, topic];
}
