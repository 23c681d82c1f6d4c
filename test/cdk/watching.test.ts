import { Stack } from "aws-cdk-lib";
import { Match, type Template } from "aws-cdk-lib/assertions";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { describe, expect, it } from "vitest";
import { addChecks } from "../../cdk/checks.js";
import { ENVIRONMENTS, environmentNamed } from "../../cdk/environments/index.js";
import { anApp, aStack, named, type Overrides, ofType, templateOf } from "./synthesis.js";

describe("alarms", () => {
  it("tell of what needs a person", () => {
    const ids = ofType(templateOf("prod"), "AWS::CloudWatch::Alarm").map(([id]) =>
      id.replace(/^ParkwayAlarms|.{8}$/g, ""),
    );

    expect(ids).toEqual([
      "DoorbellDeadLetters",
      "Undelivered",
      "DeadLetters",
      "DoorbellAge",
      "WakeDelay",
      "SweepLateness",
      "WakeStopped",
      "Errorswebhook",
      "Errorsapi",
      "Errorstrigger",
      "Errorsturn",
      "Errorswake",
      "ServerErrors",
      "Throttles",
      "TableThrottles",
    ]);
  });

  it("N-5, N-30 answers with 5xx that do not pass raise one: no function fails by them", () => {
    const iam = { credentials: ["iam"] as const, iamScopes: { "*": ["sessions:read"] } };

    for (const [overrides, apis] of [
      [{}, 1],
      [iam, 2],
    ] as const) {
      const alarm = named(templateOf("prod", overrides), "ParkwayAlarmsServerErrors", "AWS::CloudWatch::Alarm");
      const { Metrics, EvaluationPeriods } = alarm.Properties as { Metrics: object[]; EvaluationPeriods: number };
      const read = Metrics.filter((metric) => "MetricStat" in metric);
      expect(read).toHaveLength(apis);
      expect(JSON.stringify(read)).toContain('"MetricName":"5xx"');
      expect(EvaluationPeriods).toBe(2);
    }
  });

  it("S-95 a doorbell that failed again and again goes to a queue of its own, and the first one there raises an alarm", () => {
    const template = templateOf("prod");

    template.hasResource("AWS::SQS::Queue", {
      Properties: {
        RedrivePolicy: {
          deadLetterTargetArn: { "Fn::GetAtt": ["ParkwayDoorbellDeadLetters", "Arn"] },
          maxReceiveCount: 5,
        },
      },
    });
    template.hasResourceProperties("AWS::CloudWatch::Alarm", {
      Dimensions: [{ Name: "QueueName", Value: { "Fn::GetAtt": ["ParkwayDoorbellDeadLetters", "QueueName"] } }],
      MetricName: "ApproximateNumberOfMessagesVisible",
      Statistic: "Maximum",
      Threshold: 0,
      ComparisonOperator: "GreaterThanThreshold",
    });
  });

  it("F-72 the bus may use the key for what it cannot deliver, under no condition: it tells none of them", () => {
    expect(keyUsers(templateOf("dev"))).toEqual([["events.amazonaws.com", undefined]]);
  });

  it("S-61 a wake-up that is 90 seconds late raises one, and a sweep that does not run at all", () => {
    const template = templateOf("prod");

    template.hasResourceProperties("AWS::CloudWatch::Alarm", {
      Namespace: "Parkway/prod",
      MetricName: "wakeDelay",
      Dimensions: [{ Name: "service", Value: "turn" }],
      ExtendedStatistic: "p99",
      Threshold: 90_000,
      ComparisonOperator: "GreaterThanThreshold",
    });
    template.hasResourceProperties("AWS::CloudWatch::Alarm", {
      MetricName: "Invocations",
      ComparisonOperator: "LessThanThreshold",
      Threshold: 1,
      TreatMissingData: "breaching",
    });
  });

  it("go to a given topic, and by mail through one that is the stack's", () => {
    const topicArn = "arn:aws:sns:eu-west-1:111122223333:on-call";

    const template = templateOf("prod", { alarms: { topicArn, emails: ["desk@example.com"] } });

    template.hasResourceProperties("AWS::SNS::Subscription", { Protocol: "email", Endpoint: "desk@example.com" });
    template.hasResourceProperties("AWS::SNS::Topic", { KmsMasterKeyId: Match.anyValue() });
    expect(keyUsers(template)).toEqual([
      ["events.amazonaws.com", undefined],
      ["cloudwatch.amazonaws.com", { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } }],
    ]);
    for (const [, { Properties }] of ofType(template, "AWS::CloudWatch::Alarm")) {
      expect(Properties.AlarmActions).toEqual([topicArn, { Ref: expect.stringContaining("ParkwayAlarmsTopic") }]);
    }
  });
});

describe("checks", () => {
  it.each(["dev", "prod"])("cdk-nag has no finding in %s that is not accepted with a reason", (name) => {
    const app = anApp();
    addChecks(app);
    aStack(app, name);

    expect(() => app.synth()).not.toThrow();
  });

  it("cdk-nag has none either where all that can be chosen is", () => {
    const app = anApp();
    addChecks(app);
    aStack(app, "prod", {
      alarms: { emails: ["desk@example.com"] },
      credentials: ["api-key", "iam"],
      iamScopes: { "arn:aws:sts::111122223333:assumed-role/desk/*": ["sessions:start"] },
      domain: { name: "desk.example.com", certificateArn: "arn:aws:acm:eu-west-1:111122223333:certificate/1" },
      tracing: "on",
    });

    expect(() => app.synth()).not.toThrow();
  });

  it("a finding fails the synthesis", () => {
    const app = anApp();
    addChecks(app);
    new Queue(new Stack(app, "Careless"), "Queue");

    expect(() => app.synth()).toThrow("AwsSolutions-SQS4");
  });
});

describe("settings that would deploy and not work", () => {
  it.each<[Overrides, RegExp]>([
    [{ retention: { removal: "destroy", logDays: 8 } }, /logDays is 8; CloudWatch Logs takes one of 1, 3, 5, 7/],
    [{ retention: { removal: "destroy", logDays: 7, finishedDays: 0.5 } }, /finishedDays is 0.5; give whole days/],
    [{ turns: { maxConcurrency: 1 } }, /maxConcurrency is 1; SQS takes 2 to 1000/],
  ])("are refused: %j", (overrides, says) => {
    expect(() => templateOf("dev", overrides)).toThrow(says);
  });
});

describe("the choice of an environment", () => {
  it("says which there are", () => {
    expect(() => environmentNamed(undefined, ENVIRONMENTS)).toThrow(
      "Which environment? Give -c env=dev or -c env=prod.",
    );
    expect(() => environmentNamed("stage", ENVIRONMENTS)).toThrow(
      'There is no environment "stage"; give -c env=dev or -c env=prod.',
    );
    expect(() => environmentNamed("constructor", ENVIRONMENTS)).toThrow('no environment "constructor"');
    expect(environmentNamed("dev", ENVIRONMENTS)).toMatchObject({
      environment: "dev",
      retention: { removal: "destroy" },
    });
  });

  it.each(["Dev", "a_b", "", "x".repeat(21)])(
    'refuses the name "%s", which an API key could not hold',
    (environment) => {
      expect(() => templateOf("dev", { environment })).toThrow("environment is");
    },
  );
});

/** Services in the key's policy, with their conditions. */
function keyUsers(template: Template): [service: string, condition: unknown][] {
  const { KeyPolicy } = named(template, "ParkwayKey", "AWS::KMS::Key").Properties;
  const { Statement } = KeyPolicy as { Statement: { Principal: { Service?: string }; Condition?: unknown }[] };
  return Statement.flatMap(({ Principal: { Service }, Condition }) =>
    Service ? [[Service, Condition] as [string, unknown]] : [],
  );
}
