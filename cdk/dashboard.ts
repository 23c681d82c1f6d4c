/** One page that answers: does work come in, is it done, is it late, what is stuck. */
import { Duration } from "aws-cdk-lib";
import { type Alarm, AlarmStatusWidget, Dashboard, GraphWidget, type IMetric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { COUNTED, countedMetric, deadLetterMetric, type Watched } from "./alarms.js";
import { FUNCTION_NAMES, type FunctionName } from "./permissions.js";

const PERIOD = { period: Duration.minutes(5) };

export function createDashboard(
  scope: Construct,
  { watched, alarms }: { watched: Watched; alarms: Alarm[] },
): Dashboard {
  const { environment, functions, queues, table } = watched;
  const of = (metric: "metricInvocations" | "metricErrors" | "metricDuration") =>
    FUNCTION_NAMES.map((name) => functions[name][metric]({ ...PERIOD, label: name, ...statisticOf(metric) }));
  const told = (by: FunctionName, name: string, statistic: string) =>
    countedMetric(environment, { by, name, statistic });

  const dashboard = new Dashboard(scope, "Dashboard", { defaultInterval: Duration.hours(12) });
  dashboard.addWidgets(new AlarmStatusWidget({ title: "Alarms", alarms, width: 24, height: 3 }));
  dashboard.addWidgets(
    graph("Invocations", of("metricInvocations")),
    graph("Errors", of("metricErrors")),
    graph("Duration, p95 (ms)", of("metricDuration")),
  );
  dashboard.addWidgets(
    graph("Doorbell: waiting and at work", [
      queues.doorbell.metricApproximateNumberOfMessagesVisible(PERIOD),
      queues.doorbell.metricApproximateNumberOfMessagesNotVisible(PERIOD),
    ]),
    graph("Late (ms): wake-ups p50 and p99, sweep", [
      told("turn", COUNTED.wakeDelay, Stats.p(50)),
      told("turn", COUNTED.wakeDelay, Stats.p(99)),
      told("wake", COUNTED.wakeLateness, Stats.MAXIMUM),
    ]),
    graph("Stuck: dead letters, doorbells, undelivered", [
      deadLetterMetric(environment),
      queues.doorbellDeadLetters.metricApproximateNumberOfMessagesVisible(PERIOD),
      queues.undelivered.metricApproximateNumberOfMessagesVisible(PERIOD),
    ]),
  );
  dashboard.addWidgets(
    graph("Table: units used", [
      table.metricConsumedReadCapacityUnits(PERIOD),
      table.metricConsumedWriteCapacityUnits(PERIOD),
    ]),
    graph("Turns at a time", [functions.turn.metric("ConcurrentExecutions", { ...PERIOD, statistic: Stats.MAXIMUM })]),
  );
  return dashboard;
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8, height: 6 });
}

function statisticOf(metric: string): { statistic?: string } {
  return metric === "metricDuration" ? { statistic: Stats.p(95) } : {};
}
