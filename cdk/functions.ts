/** The five functions, each with a role of its own and a declared log group. */
import { join } from "node:path";
import { Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  CfnEventInvokeConfig,
  Code,
  EventSourceMapping,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { type Deployment, secretReferences } from "../lib/config/index.js";
import { grantBedrock } from "./bedrock.js";
import { acceptObjectNames, type Resources, statementsFor } from "./grants.js";
import { accept } from "./nag.js";
import { FUNCTION_NAMES, type FunctionName, PERMISSIONS } from "./permissions.js";
import type { ParkwayProps } from "./props.js";
import { isReference, referenceStatements } from "./references.js";

export type Functions = Readonly<Record<FunctionName, LambdaFunction>>;

/** Memory of the functions that do not run turns; a third of a processor, which loads them fast enough to answer in a second (F-80). */
const MEMORY_MB = 512;

const TIMEOUTS: Readonly<Record<Exclude<FunctionName, "turn">, Duration>> = {
  webhook: Duration.seconds(10),
  /** A caller waits up to 25 s for an outcome (S-101); API Gateway gives up after 30. */
  api: Duration.seconds(29),
  trigger: Duration.minutes(1),
  /** Sweeps overlap without harm, so one with much to do may outlast the minute. */
  wake: Duration.minutes(5),
};

const DESCRIPTIONS: Readonly<Record<FunctionName, string>> = {
  webhook: "Parkway: accepts signed webhooks",
  api: "Parkway: the HTTP API",
  trigger: "Parkway: fires triggers for events and schedules",
  turn: "Parkway: runs turns",
  wake: "Parkway: rings what falls due, tidies up",
};

/**
 * F-72: how often the platform repeats an asynchronous invocation that threw. A sweep is not repeated; the next one, a minute
 * later, finds all of it again. Turns are not asynchronous: their queue repeats them.
 */
const ASYNC_RETRIES = { trigger: { attempts: 2, maxAgeSeconds: 21_600 }, wake: { attempts: 0, maxAgeSeconds: 60 } };

export function createFunctions(
  scope: Construct,
  options: {
    props: ParkwayProps;
    deployment: Deployment;
    assets: string;
    turnTimeout: Duration;
    resources: Resources;
  },
): Functions {
  const { props, deployment, assets, turnTimeout, resources } = options;
  const removalPolicy = props.retention.removal === "retain" ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
  const references = referencesOf(props, deployment);
  const group = new Construct(scope, "Functions");
  const create = (name: FunctionName): LambdaFunction => {
    const place = new Construct(group, capitalized(name));
    const logs = new LogGroup(place, "Logs", { retention: props.retention.logDays, removalPolicy });
    const role = new Role(place, "Role", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    for (const statement of statementsFor(PERMISSIONS[name], { ...resources, logs })) role.addToPolicy(statement);
    acceptObjectNames(role, PERMISSIONS[name], resources.bucket);
    if (props.tracing === "on") accept(role, "IAM5[Resource::*]", "Traces of X-Ray are no resource that can be named.");
    for (const statement of referenceStatements(Stack.of(scope), references[name])) role.addToPolicy(statement);
    if (name === "turn" && props.modelEnv?.ARCHMAX_PROVIDER === "bedrock") grantBedrock(role);
    return new LambdaFunction(place, "Function", {
      description: DESCRIPTIONS[name],
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: "index.handler",
      code: Code.fromAsset(join(assets, name)),
      role,
      logGroup: logs,
      memorySize: name === "turn" ? (props.turns?.memoryMb ?? 1_024) : MEMORY_MB,
      timeout: name === "turn" ? turnTimeout : TIMEOUTS[name],
      tracing: props.tracing === "on" ? Tracing.ACTIVE : Tracing.DISABLED,
      environment: environmentOf(name, props, resources),
    });
  };
  const functions = Object.fromEntries(FUNCTION_NAMES.map((name) => [name, create(name)])) as Record<
    FunctionName,
    LambdaFunction
  >;

  setAsyncRetries(functions, resources);
  answerDoorbell(functions.turn, resources, props.turns?.maxConcurrency ?? 50);
  return functions;
}

/** No value here is a secret: what looks like one is a reference (H-126). */
function environmentOf(name: FunctionName, props: ParkwayProps, resources: Resources): Record<string, string> {
  const { environment, retention } = props;
  const { finishedDays, openDays } = retention;
  const own: Partial<Record<FunctionName, Record<string, string>>> = {
    api: {
      PARKWAY_CREDENTIALS: props.credentials.join(","),
      PARKWAY_API_KEYS_SECRET: `secret:${resources.apiKeysSecret.secretArn}`,
      ...(props.credentials.includes("iam") ? { PARKWAY_IAM_SCOPES: JSON.stringify(props.iamScopes) } : {}),
      ...(props.models?.length ? { PARKWAY_MODELS: props.models.join(",") } : {}),
    },
    turn: { PARKWAY_BUS: resources.bus.eventBusName, ...props.modelEnv },
  };
  return {
    PARKWAY_ENVIRONMENT: environment,
    PARKWAY_TABLE: resources.table.tableName,
    PARKWAY_BUCKET: resources.bucket.bucketName,
    PARKWAY_QUEUE_URL: resources.queues.doorbell.queueUrl,
    ...(finishedDays === undefined ? {} : { PARKWAY_FINISHED_DAYS: String(finishedDays) }),
    ...(openDays === undefined ? {} : { PARKWAY_OPEN_DAYS: String(openDays) }),
    POWERTOOLS_SERVICE_NAME: name,
    POWERTOOLS_METRICS_NAMESPACE: metricNamespace(environment),
    ...(props.tracing === "on" ? { POWERTOOLS_TRACE_ENABLED: "true" } : {}),
    ...own[name],
  };
}

/** Metrics of two environments in one account do not meet. */
export function metricNamespace(environment: string): string {
  return `Parkway/${environment}`;
}

function referencesOf(props: ParkwayProps, deployment: Deployment): Record<FunctionName, string[]> {
  const model = Object.values(props.modelEnv ?? {}).filter(isReference);
  return {
    webhook: secretReferences(deployment).map(({ reference }) => reference),
    turn: model,
    api: [],
    trigger: [],
    wake: [],
  };
}

function setAsyncRetries(functions: Functions, { queues }: Resources): void {
  for (const name of ["trigger", "wake"] as const) {
    const { attempts, maxAgeSeconds } = ASYNC_RETRIES[name];
    const config = new CfnEventInvokeConfig(functions[name], "AsyncRetries", {
      functionName: functions[name].functionName,
      qualifier: "$LATEST",
      maximumRetryAttempts: attempts,
      maximumEventAgeInSeconds: maxAgeSeconds,
      destinationConfig: { onFailure: { destination: queues.undelivered.queueArn } },
    });
    // Lambda checks that the role may send there.
    if (functions[name].role) config.node.addDependency(functions[name].role);
  }
}

/**
 * One bell an invocation: each turn has the whole time limit. The mapping limits how many run, so that bells above it wait in
 * the queue; by reserved concurrency they would be thrown back and count as failed.
 */
function answerDoorbell(turn: LambdaFunction, { queues }: Resources, maxConcurrency: number): void {
  new EventSourceMapping(turn, "Doorbell", {
    target: turn,
    eventSourceArn: queues.doorbell.queueArn,
    batchSize: 1,
    maxConcurrency,
    reportBatchItemFailures: true,
  });
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
