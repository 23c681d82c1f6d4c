import { Match, type Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { CONFIG, named, type Overrides, ofType, referencesIn, resourcesOf, templateOf } from "./synthesis.js";

const SCOPES = { "arn:aws:sts::111122223333:assumed-role/desk-*": ["sessions:start"] };

describe("the HTTP entrances", () => {
  it("N-36 with keys, only webhooks, the API by its keys and a sign of life answer", () => {
    expect(routesOf(templateOf("dev"))).toEqual([
      "ANY /hooks/{proxy+} → Webhook, open",
      "ANY /v1/{proxy+} → Api, open",
      "GET /healthz → Api, open",
    ]);
    expect(credentialsOf(templateOf("dev"))).toBe("api-key");
  });

  it("N-36 with SigV4 alone no call of the API is open", () => {
    const template = templateOf("dev", { credentials: ["iam"], iamScopes: SCOPES });

    expect(routesOf(template)).toEqual([
      "ANY /hooks/{proxy+} → Webhook, open",
      "ANY /v1/{proxy+} → Api, AWS_IAM",
      "GET /healthz → Api, open",
    ]);
    expect(credentialsOf(template)).toBe("iam");
  });

  it("N-36, N-37 refuses a scope that there is not, with which the API's function would not start", () => {
    const iamScopes = { "arn:aws:sts::111122223333:assumed-role/desk-*": ["sessions:start", "sessions:raed"] };

    expect(() => templateOf("dev", { credentials: ["iam"], iamScopes })).toThrow(/"sessions:raed".*sessions:read/);
  });

  it("N-36 refuses the ARN of a role, as which no caller ever appears", () => {
    const iamScopes = { "arn:aws:iam::111122223333:role/desk": ["sessions:start"] };

    expect(() => templateOf("dev", { credentials: ["iam"], iamScopes })).toThrow(
      /arn:aws:sts::<account>:assumed-role\/<role>\/\*/,
    );
  });

  it("N-36 with both, what the gateway has verified comes through an API of its own", () => {
    const template = templateOf("dev", { credentials: ["api-key", "iam"], iamScopes: SCOPES });

    const apis = ofType(template, "AWS::ApiGatewayV2::Route").map(([, { Properties }]) => ({
      api: referencesIn(Properties.ApiId)[0]?.replace(/[0-9A-F]{8}$/, ""),
      route: Properties.RouteKey,
      type: Properties.AuthorizationType,
    }));
    expect(apis.filter(({ api }) => api === "ParkwayIamApi")).toEqual([
      { api: "ParkwayIamApi", route: "ANY /v1/{proxy+}", type: "AWS_IAM" },
    ]);
    expect(apis.filter(({ type }) => type === "AWS_IAM").every(({ api }) => api === "ParkwayIamApi")).toBe(true);
    expect(credentialsOf(template)).toBe("api-key,iam");
    const { Properties } = named(template, "ParkwayFunctionsApiFunction", "AWS::Lambda::Function");
    expect(Properties.Environment).toMatchObject({ Variables: { PARKWAY_IAM_SCOPES: JSON.stringify(SCOPES) } });
  });

  it("A-33 tells the API, and no other function, which models a caller may choose", () => {
    const template = templateOf("dev", { models: ["vendor/a", "b"] });

    const told = ofType(template, "AWS::Lambda::Function").flatMap(([name, { Properties }]) => {
      const { PARKWAY_MODELS: models } =
        (Properties.Environment as { Variables?: Record<string, string> })?.Variables ?? {};
      return models === undefined ? [] : [[name.replace(/[0-9A-F]{8}$/, ""), models]];
    });
    expect(told).toEqual([["ParkwayFunctionsApiFunction", "vendor/a,b"]]);
    expect(() => templateOf("dev", { models: ["a,b"] })).toThrow(/models has "a,b"/);
  });

  it.each<[string, Overrides, RegExp]>([
    ["no credentials", { credentials: [] }, /credentials is empty.*"api-key" and "iam"/],
    ["SigV4 without scopes", { credentials: ["iam"] }, /iamScopes is empty/],
  ])("N-36 refuses %s", (_what, overrides, says) => {
    expect(() => templateOf("dev", overrides)).toThrow(says);
  });

  it("N-41 access logs hold the route, not the path, and no header", () => {
    const template = templateOf("dev");

    const { AccessLogSettings } = named(template, "ParkwayHttpApiStage", "AWS::ApiGatewayV2::Stage").Properties;
    const { Format } = AccessLogSettings as { Format: string };
    expect(Object.values(JSON.parse(Format) as Record<string, string>).sort()).toEqual([
      "$context.httpMethod",
      "$context.identity.userArn",
      "$context.integrationErrorMessage",
      "$context.requestId",
      "$context.requestTimeEpoch",
      "$context.responseLatency",
      "$context.routeKey",
      "$context.status",
    ]);
  });

  it("throttles every stage", () => {
    templateOf("dev", { throttle: { ratePerSecond: 7, burst: 9 } }).allResourcesProperties("AWS::ApiGatewayV2::Stage", {
      DefaultRouteSettings: { ThrottlingRateLimit: 7, ThrottlingBurstLimit: 9 },
    });
  });

  it("a domain of one's own is the only way in", () => {
    const certificateArn = "arn:aws:acm:eu-west-1:111122223333:certificate/1";
    const domain = { name: "desk.example.com", certificateArn, hostedZone: { id: "Z1", name: "example.com" } };

    const template = templateOf("prod", { domain });

    template.hasResourceProperties("AWS::ApiGatewayV2::Api", { DisableExecuteApiEndpoint: true });
    template.hasResourceProperties("AWS::Route53::RecordSet", { Name: "desk.example.com.", Type: "A" });
    template.hasOutput("WebhooksUrl", { Value: "https://desk.example.com/hooks" });
  });
});

describe("secrets", () => {
  it("H-126 the environment holds references, and the roles read exactly what they name", () => {
    const arn = "arn:aws:secretsmanager:eu-west-1:111122223333:secret:model-XyZabc";
    const template = templateOf("dev", {
      modelEnv: { ARCHMAX_API_KEY: `secret:${arn}#key`, ARCHMAX_MODEL: "large", ARCHMAX_API_BASE_URL: "ssm:model-url" },
    });

    template.hasResourceProperties("AWS::Lambda::Function", {
      Environment: { Variables: Match.objectLike({ ARCHMAX_API_KEY: `secret:${arn}#key`, ARCHMAX_MODEL: "large" }) },
    });
    expect(secretReads(template, "Turn")).toEqual([arn, `${arn}-??????`, "parameter/model-url"]);
    expect(secretReads(template, "Webhook")).toEqual([
      "arn:aws:secretsmanager:eu-west-1:111122223333:secret:pay-AbCdEf",
      "arn:aws:secretsmanager:eu-west-1:111122223333:secret:pay-AbCdEf-??????",
      "parameter/shop/hook",
      "parameter/shop/hook-before",
    ]);
    expect(secretReads(template, "Api")).toEqual(["ParkwayApiKeysSecret"]);
    expect(secretReads(template, "Trigger")).toEqual([]);
    expect(secretReads(template, "Wake")).toEqual([]);
  });

  it("H-126 the template resolves no secret", () => {
    expect(JSON.stringify(templateOf("prod").toJSON())).not.toContain("{{resolve:");
    const variables = named(templateOf("prod"), "ParkwayFunctionsApiFunction", "AWS::Lambda::Function").Properties
      .Environment;
    expect(variables).toMatchObject({
      Variables: { PARKWAY_API_KEYS_SECRET: { "Fn::Join": ["", ["secret:", { Ref: "ParkwayApiKeysSecret" }]] } },
    });
  });

  it.each<[string, Overrides, RegExp]>([
    [
      "a model's key as text",
      { modelEnv: { ARCHMAX_API_KEY: "sk-1" } },
      /modelEnv\.ARCHMAX_API_KEY must be a reference/,
    ],
    ["a variable that is not the model's", { modelEnv: { LD_PRELOAD: "x" } }, /"LD_PRELOAD".*ARCHMAX_/],
    [
      "a webhook's secret as text",
      { config: { webhooks: { "orders/created": { verify: { scheme: "github", secrets: ["s3cr3t"] } } } } },
      /webhooks\[orders\/created\]\.verify\.secrets\[0\]: must be a reference/,
    ],
  ])("H-126 refuses %s, without repeating it", (_what, overrides, says) => {
    const making = () => templateOf("dev", overrides);

    expect(making).toThrow(says);
    expect(making).not.toThrow(/sk-1|s3cr3t/);
  });

  it("H-126 takes a count of tokens as it is, and a secret by its name", () => {
    const template = templateOf("dev", { modelEnv: { ARCHMAX_MAX_TOKENS: "900", ARCHMAX_API_KEY: "secret:model" } });

    expect(secretReads(template, "Turn")).toEqual(["secret:model-??????"]);
  });
});

describe("Bedrock", () => {
  const statements = (template: Template, name: string) =>
    JSON.stringify(named(template, `ParkwayFunctions${name}Role`, "AWS::IAM::Policy").Properties.PolicyDocument);

  it("H-125 the function that runs turns, and no other, may call models where ARCHMAX_PROVIDER says so", () => {
    const modelEnv = { ARCHMAX_PROVIDER: "bedrock", ARCHMAX_MODEL: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0" };
    const template = templateOf("dev", { modelEnv });

    expect(statements(template, "Turn")).toContain("bedrock:InvokeModelWithResponseStream");
    expect(statements(template, "Api")).not.toContain("bedrock:");
    expect(statements(templateOf("dev"), "Turn")).not.toContain("bedrock:");
  });
});

describe("events and schedules", () => {
  it("F-75 every rule names source and type, and hands on its name and the whole event", () => {
    const rules = ofType(templateOf("dev"), "AWS::Events::Rule").filter(
      ([, { Properties }]) => Properties.EventPattern,
    );

    expect(rules.map(([, { Properties }]) => Properties.EventPattern)).toEqual([
      CONFIG.events["bucket-written"]?.pattern,
      CONFIG.events["order-placed"]?.pattern,
    ]);
    expect(rules.map(([, { Properties }]) => Properties.EventBusName)).toEqual([undefined, { Ref: "ParkwayBus" }]);
    expect(targetOf(rules[1]?.[1].Properties)).toMatchObject({
      InputTransformer: { InputTemplate: '{"rule":"order-placed","event":<aws.events.event.json>}' },
    });
  });

  it.each(["source", "detail-type"])("F-75 refuses a rule without %s", (field) => {
    const pattern = { source: ["shop"], "detail-type": ["OrderPlaced"], [field]: undefined };
    const events = { placed: { workflow: "orders", trigger: "placed", pattern } };

    expect(() => templateOf("dev", { config: { events } })).toThrow(`events.placed.pattern: must name "${field}"`);
  });

  it("refuses a trigger that no workflow has, and a secret of one's own machine, both at once", () => {
    const config = {
      webhooks: { "orders/created": { verify: { scheme: "github", secrets: ["env:HOOK"] } } },
      schedules: { nightly: { workflow: "orders", trigger: "tidy", schedule: "rate(1 day)" } },
    } as const;

    const making = () => templateOf("dev", { config });

    expect(making).toThrow("webhooks[orders/created].verify.secrets[0]: must be a reference");
    expect(making).toThrow('schedules.nightly: The workflow "orders" has no trigger "tidy"');
  });

  it("schedules keep their time zone, and say when they were meant to fire", () => {
    const template = templateOf("dev");

    template.hasResourceProperties("AWS::Scheduler::Schedule", {
      ScheduleExpression: "cron(0 8 * * ? *)",
      ScheduleExpressionTimezone: "Europe/Vienna",
      Target: { Input: '{"schedule":"morning","at":"<aws.scheduler.scheduled-time>"}' },
    });
    template.hasResourceProperties("AWS::Scheduler::Schedule", {
      ScheduleExpression: "rate(5 minutes)",
      ScheduleExpressionTimezone: "UTC",
    });
  });

  it("F-72 rules and schedules are repeated so often and then kept, and so are the invocations they make", () => {
    const template = templateOf("prod");
    const undelivered = { "Fn::GetAtt": ["ParkwayUndelivered", "Arn"] };

    const targets = [
      ...ofType(template, "AWS::Events::Rule").map(([, { Properties }]) => targetOf(Properties)),
      ...ofType(template, "AWS::Scheduler::Schedule").map(([, { Properties }]) => Properties.Target),
    ];

    expect(targets).toHaveLength(5);
    for (const target of targets) {
      expect(target).toMatchObject({
        DeadLetterConfig: { Arn: undelivered },
        RetryPolicy: { MaximumRetryAttempts: expect.any(Number), MaximumEventAgeInSeconds: expect.any(Number) },
      });
    }
    const invoked = new Set(targets.flatMap((target) => referencesIn((target as { Arn: unknown }).Arn)));
    const configs = ofType(template, "AWS::Lambda::EventInvokeConfig").map(([, { Properties }]) => Properties);
    expect(new Set(configs.flatMap(({ FunctionName }) => referencesIn(FunctionName)))).toEqual(invoked);
    for (const config of configs) {
      expect(config).toMatchObject({
        MaximumRetryAttempts: expect.any(Number),
        MaximumEventAgeInSeconds: expect.any(Number),
        DestinationConfig: { OnFailure: { Destination: undelivered } },
      });
    }
  });

  it("F-72 whoever sends to the dead letters may: the rules, the schedules' role, the functions", () => {
    const template = templateOf("dev");

    template.hasResourceProperties("AWS::SQS::QueuePolicy", {
      Queues: [{ Ref: "ParkwayUndelivered" }],
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Action: "sqs:SendMessage", Principal: { Service: "events.amazonaws.com" } }),
        ]),
      },
    });
    for (const role of ["ParkwaySchedulesRole", "ParkwayFunctionsTriggerRole", "ParkwayFunctionsWakeRole"]) {
      const policy = JSON.stringify(named(template, role, "AWS::IAM::Policy").Properties);
      expect(policy).toContain(
        '"Action":"sqs:SendMessage","Effect":"Allow","Resource":{"Fn::GetAtt":["ParkwayUndelivered"',
      );
    }
  });

  it("S-61 the sweep runs every minute", () => {
    templateOf("dev").hasResourceProperties("AWS::Events::Rule", {
      ScheduleExpression: "rate(1 minute)",
      Targets: [Match.objectLike({ Id: "Wake" })],
    });
  });
});

/** `<route> → <function>, <authorization>`, sorted. */
function routesOf(template: Template): string[] {
  const resources = resourcesOf(template);
  return ofType(template, "AWS::ApiGatewayV2::Route")
    .map(([, { Properties }]) => {
      const [integration = ""] = referencesIn(Properties.Target);
      const [target = ""] = referencesIn(resources[integration]?.Properties.IntegrationUri);
      const name = /^ParkwayFunctions(\w+?)Function/.exec(target)?.[1];
      const { AuthorizationType: type = "NONE" } = Properties;
      return `${Properties.RouteKey} → ${name}, ${type === "NONE" ? "open" : type}`;
    })
    .sort();
}

function credentialsOf(template: Template): unknown {
  const { Environment } = named(template, "ParkwayFunctionsApiFunction", "AWS::Lambda::Function").Properties;
  return (Environment as { Variables: Record<string, unknown> }).Variables.PARKWAY_CREDENTIALS;
}

/** What a function may read: ARNs, or their ends where region and account are not known yet. */
function secretReads(template: Template, functionName: string): string[] {
  const policy = named(template, `ParkwayFunctions${functionName}Role`, "AWS::IAM::Policy").Properties.PolicyDocument;
  const { Statement } = policy as { Statement: { Action: string; Resource: unknown }[] };
  return Statement.filter(({ Action }) => ["ssm:GetParameter", "secretsmanager:GetSecretValue"].includes(Action))
    .flatMap(({ Resource }) => [Resource].flat())
    .map((arn) => (typeof arn === "string" ? arn : endOf(arn as Record<string, unknown>)))
    .sort();
}

function endOf({ Ref: ref, "Fn::Join": join }: Record<string, unknown>): string {
  if (typeof ref === "string") return ref;
  const [, parts] = join as [string, unknown[]];
  return String(parts.at(-1)).replace(/^:/, "");
}

function targetOf(properties: Record<string, unknown> | undefined): unknown {
  return (properties?.Targets as unknown[] | undefined)?.[0];
}
