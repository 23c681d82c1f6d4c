/**
 * A running environment made of a synthesized template: its table, bucket, queues, bus, functions, mappings, rules,
 * schedules and HTTP APIs, as the template says. What the template does not allow or connect does not work here either.
 */
import { randomUUID } from "node:crypto";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CreateTableCommand, type CreateTableCommandInput } from "@aws-sdk/client-dynamodb";
import { ACCOUNT, nameFromArn, REGION } from "../arns.js";
import { type BenchClock, benchClock } from "../bench-clock.js";
import { createRules, type Envelope, type Rule, type Rules } from "../events/rules.js";
import { type EventSource, startEventSource } from "../lambda/event-source.js";
import { type LambdaHost, startLambdaHost } from "../lambda/lambda-host.js";
import { startWire, type Wire } from "../wire/wire.js";
import { type Engines, endpointVariables, startEngines } from "./engines.js";
import { type Gateway, startGateway } from "./gateway.js";
import { type Schedule, schedulesOf } from "./schedules.js";
import { openTemplate, type Resource, type Template } from "./template.js";
import { defineFunctions, queuesOf, rulesOf } from "./wiring.js";

export interface DeployOptions {
  /** As synthesized. */
  template: object;
  /** Folder of a function's asset, from the properties of its code. */
  assetOf(code: Record<string, unknown>): string;
  dynamoDb: { endpoint: string; client(): DynamoDBClient };
  /** For functions, over what the template says: where effects of tools are put. */
  environment?: Record<string, string>;
}

export interface Deployed {
  clock: BenchClock;
  host: LambdaHost;
  wire: Wire;
  engines: Engines;
  rules: Rules;
  template: Template;
  /** HTTP APIs, the first of the template first. */
  gateways: Gateway[];
  /** Mappings of queues to functions. */
  sources: EventSource[];
  schedules: Schedule[];
  /** A function's name, by the service name it is given (`turn`). */
  functionName(service: string): string;
  /** The value of a function's variable. */
  variable(service: string, name: string): string;
  /** Fires every scheduled rule once: a minute has passed. */
  tick(): void;
  /** Puts an event of another party on the default bus or a named one. @returns the rules it matched */
  putEvent(event: Partial<Envelope> & Pick<Envelope, "source" | "detail-type" | "detail">, bus?: string): string[];
  /** Once nothing runs and nothing is left to run at this time. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

export async function deploy(options: DeployOptions): Promise<Deployed> {
  const clock = benchClock();
  let rules: Rules | undefined;
  const engines = await startEngines({
    clock,
    dynamoDbEndpoint: options.dynamoDb.endpoint,
    onEvent: (bus, event) => void rules?.take(bus, event),
  });
  let host: LambdaHost | undefined;
  const wire = await startWire({ engines: engines.endpoints, kill: (id) => host?.kill(id), now: clock.now });
  const template = openTemplate(options.template, {
    queueEndpoint: wire.endpoint,
    mark: randomUUID().slice(0, 8),
  });
  host = await startLambdaHost({
    clock,
    environment: { ...endpointVariables(wire.endpoint), ...options.environment },
  });
  const running = host;

  await createTables(template, options.dynamoDb.client());
  for (const { properties, id } of template.resources("AWS::S3::Bucket")) {
    const { Status } = (properties.VersioningConfiguration ?? {}) as { Status?: string };
    engines.s3.createBucket(
      String(template.resolve({ Ref: id })),
      Status === "Enabled" ? { isVersioned: true } : undefined,
    );
  }
  queuesOf(template, engines.sqs);
  for (const name of [
    "default",
    ...template.resources("AWS::Events::EventBus").map(({ properties }) => String(properties.Name)),
  ]) {
    engines.events.createBus(name);
  }
  for (const { id } of template.resources("AWS::SecretsManager::Secret")) {
    engines.secrets.set(id, randomUUID() + randomUUID());
  }
  defineFunctions(template, { host, sqs: engines.sqs, wire, assetOf: options.assetOf });
  const made = createRules({
    clock,
    arnOfRule: ({ name }) => `arn:aws:events:${REGION}:${ACCOUNT}:rule/${name}`,
    invoke(arn, input, rule) {
      requirePermission(template, { principal: "events.amazonaws.com", arn, source: rule });
      running.send(nameFromArn(arn), input);
    },
  });
  rules = made;
  const scheduled: string[] = [];
  for (const { rule, isScheduled } of rulesOf(template, engines.sqs)) {
    made.put(rule);
    if (isScheduled) scheduled.push(rule.name);
  }
  const schedules = schedulesOf(template, running);
  const sources = template.resources("AWS::Lambda::EventSourceMapping").map(({ properties }) =>
    startEventSource({
      host: running,
      clock,
      mapping: {
        functionName: nameFromArn(String(properties.FunctionName)),
        queue: engines.sqs.queue(nameFromArn(String(properties.EventSourceArn))),
        batchSize: Number(properties.BatchSize ?? 10),
        maximumConcurrency: (properties.ScalingConfig as { MaximumConcurrency?: number } | undefined)
          ?.MaximumConcurrency,
        reportsItemFailures: ((properties.FunctionResponseTypes ?? []) as string[]).includes("ReportBatchItemFailures"),
      },
      onCall: (action, resource) =>
        wire.record({
          functionName: nameFromArn(String(properties.FunctionName)),
          service: "sqs",
          operation: action.slice("sqs:".length),
          needs: [{ action, resource, context: {} }],
        }),
    }),
  );
  const gateways = await Promise.all(
    template.resources("AWS::ApiGatewayV2::Api").map((api) => openGateway(template, api, { clock, host: running })),
  );

  function functionOf(service: string): Resource {
    const found = template
      .resources("AWS::Lambda::Function")
      .find(({ properties }) => variablesOf(properties).POWERTOOLS_SERVICE_NAME === service);
    if (!found) throw new Error(`The template has no function ${service}.`);
    return found;
  }

  return {
    ...{ clock, host, wire, engines, rules: made, template, gateways, sources, schedules },
    functionName: (service) => functionOf(service).id,
    variable: (service, name) => variablesOf(functionOf(service).properties)[name] ?? "",
    tick() {
      for (const name of scheduled) {
        const event = { "detail-type": "Scheduled Event", source: "aws.events", detail: {} };
        made.fire(name, envelope(event, clock));
      }
    },
    putEvent: (event, bus = "default") => made.take(bus, envelope(event, clock)),
    async settled() {
      // Each wait may let another begin: a wake-up rings, a bell runs a turn, a turn rings.
      for (let quiet = 0; quiet < 2; quiet += 1) {
        const before = wire.calls.length;
        await running.settled();
        for (const source of sources) await source.drained();
        if (wire.calls.length !== before) quiet = -1;
      }
    },
    async stop() {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await running.stop();
      await wire.stop();
      await engines.stop();
    },
  };
}

function envelope(
  event: Partial<Envelope> & Pick<Envelope, "source" | "detail-type" | "detail">,
  clock: BenchClock,
): Envelope {
  const time = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  return { version: "0", id: randomUUID(), account: ACCOUNT, region: REGION, time, resources: [], ...event };
}

export function variablesOf(properties: Record<string, unknown>): Record<string, string> {
  return ((properties.Environment ?? {}) as { Variables?: Record<string, string> }).Variables ?? {};
}

/** A service may call a function where the template says so, and from where it says so. */
export function requirePermission(template: Template, call: { principal: string; arn: string; source: string }): void {
  const isAllowed = template.resources("AWS::Lambda::Permission").some(({ properties }) => {
    const { Principal, FunctionName, SourceArn } = properties as Record<string, string>;
    const isMeant = Principal === call.principal && nameFromArn(String(FunctionName)) === nameFromArn(call.arn);
    return isMeant && (SourceArn === undefined || SourceArn.includes(call.source));
  });
  if (!isAllowed) throw new Error(`${call.principal} may not invoke ${call.arn} from ${call.source}.`);
}

async function createTables(template: Template, client: DynamoDBClient): Promise<void> {
  for (const { id, properties } of template.resources("AWS::DynamoDB::Table")) {
    const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, BillingMode } = properties;
    const TableName = String(template.resolve({ Ref: id }));
    const input = { TableName, KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, BillingMode };
    await client.send(new CreateTableCommand(input as CreateTableCommandInput));
  }
}

function openGateway(template: Template, api: Resource, { clock, host }: { clock: BenchClock; host: LambdaHost }) {
  const routes = template
    .resources("AWS::ApiGatewayV2::Route")
    .filter(({ properties }) => properties.ApiId === api.id)
    .map(({ properties }) => {
      const integration = template.resource(nameFromArn(String(properties.Target)));
      const arn = String(integration.properties.IntegrationUri);
      return {
        key: String(properties.RouteKey),
        functionName: nameFromArn(arn.replace(/\/invocations$/, "")),
        authorization: (properties.AuthorizationType ?? "NONE") as "NONE" | "AWS_IAM",
        payload: integration.properties.PayloadFormatVersion,
      };
    });
  const other = routes.find(({ payload }) => payload !== "2.0");
  if (other) throw new Error(`The bench's gateway speaks format 2.0; ${other.key} wants ${other.payload}.`);
  return startGateway({
    apiId: api.id,
    routes,
    clock,
    invoke(functionName, event) {
      requirePermission(template, { principal: "apigateway.amazonaws.com", arn: functionName, source: api.id });
      return host.invoke(functionName, event);
    },
  });
}

export type { Rule };
