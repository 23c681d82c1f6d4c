import { Stack } from "aws-cdk-lib";
import { Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { AccountRootPrincipal, Role } from "aws-cdk-lib/aws-iam";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { describe, expect, it } from "vitest";
import { FUNCTION_NAMES, PERMISSIONS } from "../../cdk/index.js";
import {
  actionsOf,
  anApp,
  aStack,
  named,
  ofType,
  type Resources,
  referencesIn,
  resourcesOf,
  statementsOf,
  templateOf,
} from "./synthesis.js";

const functionOf = (name: string) =>
  named(templateOf("dev"), `ParkwayFunctions${name.charAt(0).toUpperCase()}${name.slice(1)}`, "AWS::Lambda::Function");

describe("functions", () => {
  it("are the five, each on its own role, none with a policy that AWS keeps", () => {
    const template = templateOf("dev");

    const roles = ofType(template, "AWS::Lambda::Function").map(([, { Properties }]) =>
      JSON.stringify(Properties.Role),
    );
    expect(new Set(roles).size).toBe(FUNCTION_NAMES.length);
    expect(roles).toHaveLength(FUNCTION_NAMES.length);
    for (const [, { Properties }] of ofType(template, "AWS::IAM::Role"))
      expect(Properties.ManagedPolicyArns).toBeUndefined();
  });

  it("run on Node 24 with what they need to know and nothing else", () => {
    const common = [
      "PARKWAY_BUCKET",
      "PARKWAY_ENVIRONMENT",
      "PARKWAY_FINISHED_DAYS",
      "PARKWAY_QUEUE_URL",
      "PARKWAY_TABLE",
      "POWERTOOLS_METRICS_NAMESPACE",
      "POWERTOOLS_SERVICE_NAME",
    ];

    const variables = Object.fromEntries(FUNCTION_NAMES.map((name) => [name, Object.keys(environmentOf(name)).sort()]));

    expect(variables).toEqual({
      webhook: common,
      api: [...common, "PARKWAY_API_KEYS_SECRET", "PARKWAY_CREDENTIALS"].sort(),
      trigger: common,
      turn: [...common, "ARCHMAX_API_BASE_URL", "ARCHMAX_API_KEY", "ARCHMAX_MODEL", "PARKWAY_BUS"].sort(),
      wake: common,
    });
    for (const name of FUNCTION_NAMES) {
      expect(functionOf(name).Properties).toMatchObject({ Runtime: "nodejs24.x", Handler: "index.handler" });
    }
  });

  it("turns are limited by the mapping, and a message stays hidden longer than a turn can take", () => {
    const template = templateOf("prod");

    template.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
      BatchSize: 1,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: 100 },
    });
    const turn = named(template, "ParkwayFunctionsTurn", "AWS::Lambda::Function");
    const hiddenSeconds = resourcesOf(template).ParkwayDoorbell?.Properties.VisibilityTimeout;
    expect(Number(hiddenSeconds)).toBeGreaterThan(Number(turn.Properties.Timeout));
    expect(turn.Properties).toMatchObject({ Timeout: 900, MemorySize: 1_769 });
  });
});

describe("permissions", () => {
  it.each(FUNCTION_NAMES)(
    "%s may do what its table says, and nothing else but use the key and read its secrets",
    (name) => {
      const stated = PERMISSIONS[name].flatMap(({ actions }) => actions);

      const allowed = statementsOf(templateOf("dev"), name)
        .flatMap(actionsOf)
        .filter((action) => !action.startsWith("kms:") && !isSecretRead(action));

      expect(new Set(allowed)).toEqual(new Set(stated.filter((action) => !isSecretRead(action))));
    },
  );

  it.each(FUNCTION_NAMES)("%s has no action and no resource by wildcard but names of objects", (name) => {
    const statements = statementsOf(templateOf("dev"), name);

    expect(statements.flatMap(actionsOf).filter((action) => action.includes("*"))).toEqual([]);
    const wild = statements.filter(({ Resource }) => JSON.stringify(Resource).includes("*"));
    expect(wild.flatMap(actionsOf).filter((action) => !action.includes("Object"))).toEqual([]);
  });

  it.each(FUNCTION_NAMES)(
    "N-36 %s can write no API key: items of sessions, receipts and dead letters alone",
    (name) => {
      const writes = statementsOf(templateOf("dev"), name).filter((one) =>
        actionsOf(one).some((action) => /^dynamodb:(?!Query$|BatchGetItem$)/.test(action)),
      );

      for (const { Condition } of writes) {
        expect(Condition).toEqual({ "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["S#*", "R#*", "D#*"] } });
      }
    },
  );

  it.each(FUNCTION_NAMES)("%s uses the key only through the services it works with", (name) => {
    const forKey = statementsOf(templateOf("dev"), name).filter((one) =>
      actionsOf(one).some((action) => action.startsWith("kms:")),
    );

    expect(forKey.length).toBeGreaterThan(0);
    for (const { Condition } of forKey) expect(JSON.stringify(Condition)).toContain("kms:ViaService");
  });
});

describe("logs", () => {
  it.each(["dev", "prod"] as const)("F-84 every log group of %s is declared and kept for so many days", (name) => {
    const template = templateOf(name);
    const days = { dev: 7, prod: 90 }[name];

    for (const [, { Properties }] of ofType(template, "AWS::Lambda::Function")) {
      const { LogGroup } = Properties.LoggingConfig as { LogGroup: { Ref: string } };
      expect(resourcesOf(template)[LogGroup.Ref]?.Properties.RetentionInDays).toBe(days);
    }
    template.allResourcesProperties("AWS::Logs::LogGroup", { RetentionInDays: days });
    template.resourceCountIs("AWS::Logs::LogGroup", FUNCTION_NAMES.length + 1);
  });

  it("F-84 nobody makes one by writing to it, and no custom resource sets one", () => {
    const template = templateOf("prod");

    expect(FUNCTION_NAMES.flatMap((name) => statementsOf(template, name).flatMap(actionsOf))).not.toContain(
      "logs:CreateLogGroup",
    );
    const custom = Object.values(resourcesOf(template)).filter(({ Type }) => /^Custom::|CustomResource$/.test(Type));
    expect(custom).toEqual([]);
  });
});

describe("dependencies", () => {
  it("F-85 functions refer to nothing that calls them: permissions stand with rule, schedule and route", () => {
    const resources = resourcesOf(templateOf("prod"));
    const callers = /^AWS::(Events::Rule|Scheduler::|ApiGatewayV2::|Lambda::Permission|Lambda::EventSourceMapping)/;

    for (const [id] of ofType(templateOf("prod"), "AWS::Lambda::Function")) {
      const needed = [...neededBy(id, resources)].map((other) => resources[other]?.Type ?? "");
      expect(needed.filter((type) => callers.test(type))).toEqual([]);
    }
  });

  it("F-85 each permission to invoke stands with what invokes, and for that alone", () => {
    const template = templateOf("prod");

    for (const [id, { Properties }] of ofType(template, "AWS::Lambda::Permission")) {
      const [source = ""] = referencesIn(Properties.SourceArn).filter((other) => resourcesOf(template)[other]);
      expect(withoutHash(id)).toContain(withoutHash(source));
      expect(source).toMatch(/^Parkway(Events|EveryMinute|HttpApi)/);
    }
  });

  it("F-85 nothing needs itself", () => {
    const resources = resourcesOf(templateOf("prod"));

    const circular = Object.keys(resources).filter((id) => neededBy(id, resources).has(id));

    expect(circular).toEqual([]);
  });

  it("F-85 a stack that listens, sends and calls needs Parkway's, and is not needed by it", () => {
    const app = anApp();
    const { parkway, stackName } = aStack(app, "dev");
    const shop = new Stack(app, "Shop");
    const role = new Role(shop, "Role", { assumedBy: new AccountRootPrincipal() });
    const eventPattern = { source: ["parkway"], detailType: ["parked"] };
    new Rule(shop, "Parked", { eventBus: parkway.bus, eventPattern, targets: [new SqsQueue(new Queue(shop, "Seen"))] });
    parkway.bus.grantPutEventsTo(role);
    parkway.functions.api.grantInvoke(role);

    const assembly = app.synth();

    const needs = (name: string) => assembly.getStackByName(name).dependencies.map(({ id }) => id);
    expect(needs("Shop")).toContain("Parkway-dev");
    expect(needs(stackName)).not.toContain("Shop");
  });
});

function environmentOf(name: string): Record<string, unknown> {
  return (functionOf(name).Properties.Environment as { Variables: Record<string, unknown> }).Variables;
}

/** What a logical id says of the construct's place. */
function withoutHash(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, "");
}

function isSecretRead(action: string): boolean {
  return action === "ssm:GetParameter" || action === "secretsmanager:GetSecretValue";
}

function neededBy(id: string, resources: Resources, seen = new Set<string>()): Set<string> {
  const resource = resources[id];
  for (const other of [...referencesIn(resource?.Properties), ...[resource?.DependsOn ?? []].flat()]) {
    if (seen.has(other)) continue;
    seen.add(other);
    neededBy(other, resources, seen);
  }
  return seen;
}
