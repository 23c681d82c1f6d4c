/** Rules: one for each entry of `events` in the configuration, and the one that wakes every minute. */
import { Aws, Fn } from "aws-cdk-lib";
import { CfnRule, EventBus } from "aws-cdk-lib/aws-events";
import { CfnPermission, type IFunction } from "aws-cdk-lib/aws-lambda";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { EventRuleConfig } from "../lib/config/index.js";
import { constructId } from "./names.js";

/** F-72: how the bus repeats what a function could not be handed at all. Six hours, unless the next minute does it again. */
const EVENT_RETRIES = { maximumRetryAttempts: 20, maximumEventAgeInSeconds: 21_600 };
const WAKE_RETRIES = { maximumRetryAttempts: 1, maximumEventAgeInSeconds: 60 };

/** Lifecycle events go here, and events of others may. A bus must have a name; the stack's is in it, so no two meet (F-83). */
export function createBus(scope: Construct): EventBus {
  return new EventBus(scope, "Bus", { eventBusName: Fn.join("-", [Aws.STACK_NAME, scope.node.id]) });
}

export function createEventRules(
  scope: Construct,
  options: {
    events: Readonly<Record<string, EventRuleConfig>>;
    bus: EventBus;
    target: IFunction;
    undelivered: IQueue;
  },
): void {
  const { bus, target, undelivered } = options;
  const place = new Construct(scope, "Events");
  for (const [name, config] of Object.entries(options.events)) {
    const rule = new CfnRule(place, constructId(name), {
      description: `Fires trigger "${config.trigger}" of workflow "${config.workflow}"`,
      ...(config.bus === "default" ? {} : { eventBusName: bus.eventBusName }),
      eventPattern: config.pattern,
      targets: [
        {
          id: "Trigger",
          arn: target.functionArn,
          // A variable of EventBridge's own: the whole event as it came, detail included.
          inputTransformer: { inputTemplate: `{"rule":${JSON.stringify(name)},"event":<aws.events.event.json>}` },
          retryPolicy: EVENT_RETRIES,
          deadLetterConfig: { arn: undelivered.queueArn },
        },
      ],
    });
    allowRule(rule, target);
  }
}

/** S-61: every minute; each sweep looks a minute ahead and rings with the exact delay. */
export function createWakeRule(scope: Construct, options: { target: IFunction; undelivered: IQueue }): void {
  const { target, undelivered } = options;
  const rule = new CfnRule(scope, "EveryMinute", {
    description: "Parkway: rings what falls due",
    scheduleExpression: "rate(1 minute)",
    targets: [
      {
        id: "Wake",
        arn: target.functionArn,
        retryPolicy: WAKE_RETRIES,
        deadLetterConfig: { arn: undelivered.queueArn },
      },
    ],
  });
  allowRule(rule, target);
}

/** F-85: stands with the rule, so a function never refers to what refers to it. */
function allowRule(rule: CfnRule, target: IFunction): void {
  new CfnPermission(rule, "Permission", {
    action: "lambda:InvokeFunction",
    functionName: target.functionArn,
    principal: "events.amazonaws.com",
    sourceArn: rule.attrArn,
  });
}
