import { Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import { Parkway } from "../../cdk/index.js";
import { TTL_ATTRIBUTE, tableDefinition } from "../../lib/stores/dynamodb/index.js";
import { anApp, named, ofType, resourcesOf, settings, templateOf } from "./synthesis.js";

const PINNED = {
  ParkwayKey: "AWS::KMS::Key",
  ParkwayTable: "AWS::DynamoDB::Table",
  ParkwayBucket: "AWS::S3::Bucket",
  ParkwayDoorbell: "AWS::SQS::Queue",
  ParkwayDoorbellDeadLetters: "AWS::SQS::Queue",
  ParkwayUndelivered: "AWS::SQS::Queue",
  ParkwayBus: "AWS::Events::EventBus",
  ParkwayApiKeysSecret: "AWS::SecretsManager::Secret",
};

describe("what holds data", () => {
  it.each(["dev", "prod"] as const)("F-82 no logical id of %s changes unnoticed", async (name) => {
    const ids = Object.entries(resourcesOf(templateOf(name))).map(([id, { Type }]) => `${Type} ${id}`);

    await expect(`${ids.sort().join("\n")}\n`).toMatchFileSnapshot(`./logical-ids/${name}.txt`);
  });

  it("F-82 keeps its logical id wherever the construct stands", () => {
    const stack = new Stack(anApp(), "Elsewhere");

    new Parkway(new Construct(new Construct(stack, "Team"), "Desk"), "Parkway", settings("prod"));

    const resources = resourcesOf(Template.fromStack(stack));
    const types = Object.fromEntries(Object.keys(PINNED).map((id) => [id, resources[id]?.Type]));
    expect(types).toEqual(PINNED);
  });

  it("F-82 production outlives its stack, in deletion and in replacement", () => {
    const resources = resourcesOf(templateOf("prod"));

    const kept = ["ParkwayKey", "ParkwayTable", "ParkwayBucket", "ParkwayApiKeysSecret"];
    for (const id of kept) {
      expect([id, resources[id]?.DeletionPolicy]).toEqual([id, "Retain"]);
      expect([id, resources[id]?.UpdateReplacePolicy]).toEqual([id, "Retain"]);
    }
    templateOf("prod").hasResourceProperties("AWS::DynamoDB::Table", {
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });

  it("F-82 an environment to throw away goes with its stack", () => {
    const kept = Object.entries(resourcesOf(templateOf("dev"))).filter(
      ([, { DeletionPolicy: policy }]) => policy === "Retain",
    );

    expect(kept).toEqual([]);
    templateOf("dev").hasResourceProperties("AWS::DynamoDB::Table", { DeletionProtectionEnabled: false });
  });

  it("is the table that the stores make: keys, indexes, capacity, expiry", () => {
    const { TableName: _, ...definition } = tableDefinition("any");

    const { Properties: table } = named(templateOf("dev"), "ParkwayTable", "AWS::DynamoDB::Table");

    const made = Object.fromEntries(Object.keys(definition).map((key) => [key, table[key]]));
    expect(made).toEqual(definition);
    expect(table.TimeToLiveSpecification).toEqual({ AttributeName: TTL_ATTRIBUTE, Enabled: true });
  });

  it("is encrypted with the environment's key and reached by TLS alone", () => {
    const template = templateOf("dev");
    const key = { "Fn::GetAtt": ["ParkwayKey", "Arn"] };

    template.hasResourceProperties("AWS::DynamoDB::Table", { SSESpecification: { KMSMasterKeyId: key } });
    template.hasResourceProperties("AWS::S3::Bucket", {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          { ServerSideEncryptionByDefault: { KMSMasterKeyID: key, SSEAlgorithm: "aws:kms" } },
        ],
      },
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, BlockPublicPolicy: true, RestrictPublicBuckets: true },
    });
    template.hasResourceProperties("AWS::SecretsManager::Secret", { KmsKeyId: key });
    template.allResourcesProperties("AWS::SQS::Queue", { KmsMasterKeyId: key });
    template.allResourcesProperties("AWS::SQS::QueuePolicy", {
      PolicyDocument: { Statement: Match.arrayWith([tlsOnly()]) },
    });
    template.allResourcesProperties("AWS::S3::BucketPolicy", {
      PolicyDocument: { Statement: Match.arrayWith([tlsOnly()]) },
    });
    expect(ofType(template, "AWS::SQS::QueuePolicy")).toHaveLength(3);
  });
});

describe("names", () => {
  /** Labels that need not be unique, and names within another resource. */
  const LABELS = ["AWS::ApiGatewayV2::Api Name", "AWS::ApiGatewayV2::Stage StageName", "AWS::IAM::Policy PolicyName"];

  it.each(["dev", "prod"] as const)("F-83 nothing of %s has a physical name", (name) => {
    const fixed = Object.entries(resourcesOf(templateOf(name))).flatMap(([id, { Type, Properties }]) =>
      Object.entries(Properties ?? {})
        .filter(([key, value]) => /Name$/.test(key) && typeof value === "string")
        .filter(([key]) => !LABELS.includes(`${Type} ${key}`) && key !== "MetricName")
        .map(([key]) => `${id}.${key}`),
    );

    expect(fixed).toEqual([]);
  });

  it("F-83 a bus must have one; the stack's name makes it its own", () => {
    const { Properties } = named(templateOf("dev"), "ParkwayBus", "AWS::Events::EventBus");

    expect(Properties.Name).toEqual({ "Fn::Join": ["-", [{ Ref: "AWS::StackName" }, "Parkway"]] });
  });

  it("F-83 two environments stand side by side in one account, and two constructs in one stack", () => {
    const stack = new Stack(anApp(), "Both");

    new Parkway(stack, "Sales", settings("dev"));
    new Parkway(stack, "Support", settings("prod"));

    const buses = ofType(Template.fromStack(stack), "AWS::Events::EventBus").map(
      ([, { Properties }]) => Properties.Name,
    );
    expect(new Set(buses.map((bus) => JSON.stringify(bus))).size).toBe(2);
  });
});

function tlsOnly() {
  return Match.objectLike({ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } });
}
