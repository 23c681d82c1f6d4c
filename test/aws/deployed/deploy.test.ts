import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { describeDynamoDb } from "../../harness/dynamodb.js";
import type { TemporaryFolder } from "../../harness/temporary.js";
import { probeAsset } from "../lambda/probe.js";
import { type Deployed, deploy } from "./deploy.js";

const arn = (id: string) => ({ "Fn::GetAtt": [id, "Arn"] });
const may = (principal: string, source?: unknown) => ({
  Type: "AWS::Lambda::Permission",
  Properties: { Action: "lambda:InvokeFunction", FunctionName: arn("Probe"), Principal: principal, SourceArn: source },
});

/** The smallest environment with one of each. */
const TEMPLATE = {
  Resources: {
    Probe: {
      Type: "AWS::Lambda::Function",
      Properties: {
        Code: {},
        Handler: "index.handler",
        Role: arn("Role"),
        Timeout: 10,
        Environment: {
          Variables: {
            POWERTOOLS_SERVICE_NAME: "probe",
            TABLE: { Ref: "Table" },
            QUEUE: { Ref: "Work" },
            SECRET: { "Fn::Join": ["", ["secret:", { Ref: "Secret" }]] },
          },
        },
      },
    },
    Role: { Type: "AWS::IAM::Role", Properties: {} },
    Table: {
      Type: "AWS::DynamoDB::Table",
      Properties: {
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: ["pk", "sk"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
        KeySchema: [
          { AttributeName: "pk", KeyType: "HASH" },
          { AttributeName: "sk", KeyType: "RANGE" },
        ],
      },
    },
    Files: { Type: "AWS::S3::Bucket", Properties: {} },
    Secret: { Type: "AWS::SecretsManager::Secret", Properties: {} },
    Dead: { Type: "AWS::SQS::Queue", Properties: {} },
    Work: {
      Type: "AWS::SQS::Queue",
      Properties: { VisibilityTimeout: 60, RedrivePolicy: { deadLetterTargetArn: arn("Dead"), maxReceiveCount: 1 } },
    },
    Mapping: {
      Type: "AWS::Lambda::EventSourceMapping",
      Properties: {
        FunctionName: { Ref: "Probe" },
        EventSourceArn: arn("Work"),
        BatchSize: 1,
        FunctionResponseTypes: ["ReportBatchItemFailures"],
      },
    },
    Retries: {
      Type: "AWS::Lambda::EventInvokeConfig",
      Properties: {
        FunctionName: { Ref: "Probe" },
        MaximumRetryAttempts: 0,
        DestinationConfig: { OnFailure: { Destination: arn("Dead") } },
      },
    },
    Orders: {
      Type: "AWS::Events::Rule",
      Properties: {
        EventPattern: { source: ["shop"] },
        Targets: [
          {
            Id: "T",
            Arn: arn("Probe"),
            InputTransformer: { InputTemplate: '{"do":"fail","event":<aws.events.event.json>}' },
          },
        ],
      },
    },
    OrdersMay: may("events.amazonaws.com", arn("Orders")),
    Forbidden: {
      Type: "AWS::Events::Rule",
      Properties: {
        EventPattern: { source: ["bank"] },
        Targets: [
          {
            Id: "T",
            Arn: arn("Probe"),
            RetryPolicy: { MaximumRetryAttempts: 0 },
            DeadLetterConfig: { Arn: arn("Dead") },
          },
        ],
      },
    },
    Api: { Type: "AWS::ApiGatewayV2::Api", Properties: { ProtocolType: "HTTP" } },
    ApiMay: may("apigateway.amazonaws.com", {
      "Fn::Join": ["", ["arn:aws:execute-api:", { Ref: "AWS::Region" }, ":1:", { Ref: "Api" }, "/*/*/echo"]],
    }),
    Integration: {
      Type: "AWS::ApiGatewayV2::Integration",
      Properties: { ApiId: { Ref: "Api" }, IntegrationUri: arn("Probe"), PayloadFormatVersion: "2.0" },
    },
    Route: {
      Type: "AWS::ApiGatewayV2::Route",
      Properties: {
        ApiId: { Ref: "Api" },
        RouteKey: "ANY /echo/{proxy+}",
        Target: { "Fn::Join": ["", ["integrations/", { Ref: "Integration" }]] },
      },
    },
    SignedRoute: {
      Type: "AWS::ApiGatewayV2::Route",
      Properties: {
        ApiId: { Ref: "Api" },
        RouteKey: "GET /signed",
        AuthorizationType: "AWS_IAM",
        Target: { "Fn::Join": ["", ["integrations/", { Ref: "Integration" }]] },
      },
    },
  },
};

describeDynamoDb("an environment made of a template", (db) => {
  let asset: TemporaryFolder;
  let bench: Deployed;

  beforeAll(async () => {
    asset = await probeAsset();
  });
  afterAll(() => asset.remove());
  beforeEach(async () => {
    bench = await deploy({ template: TEMPLATE, assetOf: () => asset.dir, dynamoDb: db });
  });
  afterEach(() => bench.stop());

  const dead = () => bench.engines.sqs.queue("Dead").messages.map(({ body }) => JSON.parse(body));

  it("names resources to functions as the template does, and makes them", async () => {
    const { payload } = await bench.host.invoke("Probe", {
      do: "put",
      table: bench.variable("probe", "TABLE"),
      id: "a",
    });

    expect(payload).toBe("put");
    expect(bench.variable("probe", "SECRET")).toMatch(/^secret:arn:aws:secretsmanager:.*:secret:Secret-\w{6}$/);
    expect(bench.wire.calls.map(({ functionName, operation }) => [functionName, operation])).toEqual([
      ["Probe", "PutItem"],
    ]);
  });

  it("maps its queue to the function, and its dead-letter queue to what fails", async () => {
    const file = join(asset.dir, `queued-${Math.random()}`);
    const queueUrl = bench.variable("probe", "QUEUE");
    await bench.host.invoke("Probe", { do: "send", queueUrl, body: JSON.stringify({ file }) });
    await bench.host.invoke("Probe", { do: "send", queueUrl, body: JSON.stringify({ fail: true }) });
    await bench.settled();
    bench.clock.advance(61_000);
    await bench.settled();

    expect(existsSync(file) && readFileSync(file, "utf8")).toBe("1\n");
    expect(dead()).toEqual([{ fail: true }]);
    const used = bench.wire.calls.map(({ service, operation }) => `${service}:${operation}`);
    expect(used).toContain("sqs:ReceiveMessage");
    expect(used).toContain("sqs:DeleteMessage");
  });

  it("gives events to functions that may take them, and what fails to their destination", async () => {
    expect(bench.putEvent({ source: "shop", "detail-type": "Order Placed", detail: { id: 7 } })).toEqual(["Orders"]);
    await bench.settled();

    expect(dead()).toMatchObject([
      {
        requestContext: { condition: "RetriesExhausted", approximateInvokeCount: 1 },
        requestPayload: { do: "fail", event: { source: "shop", detail: { id: 7 } } },
        responsePayload: { errorType: "TypeError" },
      },
    ]);
  });

  it("keeps an event for a function that the rule may not invoke", async () => {
    bench.putEvent({ source: "bank", "detail-type": "Paid", detail: {} });
    await bench.settled();
    bench.clock.advance(2_000);

    expect(dead()).toMatchObject([{ source: "bank" }]);
  });

  it("serves its routes in payload format 2.0", async () => {
    const url = bench.gateways[0]?.url;
    const headers = { "content-type": "application/json", Cookie: "a=1; b=2", "X-Thing": "y" };
    const response = await fetch(`${url}/echo/a%2Fb?x=1&x=2`, { method: "POST", headers, body: '{"do":"echo"}' });

    expect([response.status, response.headers.get("x-probe")]).toEqual([201, "yes"]);
    expect(await response.json()).toMatchObject({
      version: "2.0",
      routeKey: "ANY /echo/{proxy+}",
      rawPath: "/echo/a/b",
      rawQueryString: "x=1&x=2",
      queryStringParameters: { x: "1,2" },
      pathParameters: { proxy: "a/b" },
      cookies: ["a=1", "b=2"],
      headers: { "x-thing": "y", "content-type": "application/json" },
      requestContext: { http: { method: "POST", path: "/echo/a/b" }, stage: "$default" },
      body: '{"do":"echo"}',
      isBase64Encoded: false,
    });
    expect(bench.gateways[0]?.answers).toMatchObject([{ functionName: "Probe", status: 201, isCold: true }]);
  });

  it("hands a body that is no text over in base64, and serves nothing else", async () => {
    const url = bench.gateways[0]?.url;
    const headers = { "content-type": "application/octet-stream" };
    const response = await fetch(`${url}/echo/x`, { method: "POST", headers, body: Buffer.from([255, 0]) });
    const others = await Promise.all(["/other", "/signed"].map(async (path) => (await fetch(`${url}${path}`)).status));

    expect(await response.json()).toMatchObject({ body: "/wA=", isBase64Encoded: true });
    expect(others).toEqual([404, 403]);
  });
});
