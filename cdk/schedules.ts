/** One schedule of EventBridge Scheduler, which knows time zones, for each entry of `schedules` in the configuration. */
import { Stack } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { CfnSchedule, CfnScheduleGroup } from "aws-cdk-lib/aws-scheduler";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { ScheduleConfig } from "../lib/config/index.js";
import { constructId } from "./names.js";

/** F-72: as long as a late firing is of use to most; what cannot be delivered by then is kept. */
const RETRIES = { maximumRetryAttempts: 20, maximumEventAgeInSeconds: 21_600 };

export function createSchedules(
  scope: Construct,
  options: {
    schedules: Readonly<Record<string, ScheduleConfig>>;
    target: IFunction;
    undelivered: IQueue;
    key: IKey;
  },
): void {
  const entries = Object.entries(options.schedules);
  if (entries.length === 0) return;
  const { target, undelivered } = options;
  const place = new Construct(scope, "Schedules");
  const group = new CfnScheduleGroup(place, "Group", {});
  const role = createRole(place, { ...options, group });
  for (const [name, { schedule, timeZone, workflow, trigger }] of entries) {
    const scheduled = new CfnSchedule(place, constructId(name), {
      description: `Fires trigger "${trigger}" of workflow "${workflow}"`,
      groupName: group.ref,
      scheduleExpression: schedule,
      scheduleExpressionTimezone: timeZone ?? "UTC",
      flexibleTimeWindow: { mode: "OFF" },
      state: "ENABLED",
      target: {
        arn: target.functionArn,
        roleArn: role.roleArn,
        // The time it was meant for, also when it comes late or twice: the firing's key is made of it.
        input: JSON.stringify({ schedule: name, at: "<aws.scheduler.scheduled-time>" }),
        retryPolicy: RETRIES,
        deadLetterConfig: { arn: undelivered.queueArn },
      },
    });
    // Scheduler checks at once that the role may invoke.
    scheduled.node.addDependency(role);
  }
}

function createRole(
  place: Construct,
  options: { target: IFunction; undelivered: IQueue; key: IKey; group: CfnScheduleGroup },
): Role {
  const { account, region } = Stack.of(place);
  const role = new Role(place, "Role", {
    assumedBy: new ServicePrincipal("scheduler.amazonaws.com", {
      conditions: { StringEquals: { "aws:SourceAccount": account, "aws:SourceArn": options.group.attrArn } },
    }),
  });
  role.addToPolicy(
    new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [options.target.functionArn] }),
  );
  role.addToPolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [options.undelivered.queueArn] }));
  role.addToPolicy(
    new PolicyStatement({
      actions: ["kms:Decrypt", "kms:GenerateDataKey"],
      resources: [options.key.keyArn],
      conditions: { StringEquals: { "kms:ViaService": `sqs.${region}.amazonaws.com` } },
    }),
  );
  return role;
}
