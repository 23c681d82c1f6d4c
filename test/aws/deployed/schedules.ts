/** Schedules of a template, fired by hand: EventBridge Scheduler reckons with real days, tests do not. */
import { nameFromArn } from "../arns.js";
import type { LambdaHost } from "../lambda/lambda-host.js";
import { allows, statementsOfRole } from "./policies.js";
import type { Template } from "./template.js";

export interface Schedule {
  id: string;
  expression: string;
  timeZone: string;
  /** @param at - the time it was meant for, ISO 8601 in UTC */
  fire(at: string): void;
}

export function schedulesOf(template: Template, host: LambdaHost): Schedule[] {
  return template.resources("AWS::Scheduler::Schedule").map(({ id, properties }) => {
    const { Arn, RoleArn, Input = "{}" } = properties.Target as { Arn: string; RoleArn: string; Input?: string };
    return {
      id,
      expression: String(properties.ScheduleExpression),
      timeZone: String(properties.ScheduleExpressionTimezone ?? "UTC"),
      fire(at) {
        const need = { action: "lambda:InvokeFunction", resource: Arn, context: {} };
        if (!allows(statementsOfRole(template, RoleArn), need)) throw new Error(`${RoleArn} may not invoke ${Arn}.`);
        // User guide, "Adding context attributes in EventBridge Scheduler".
        host.send(nameFromArn(Arn), JSON.parse(Input.replaceAll("<aws.scheduler.scheduled-time>", at)));
      },
    };
  });
}
