/** The environment `dev` deployed by `cdk deploy`, looked at, used as its functions would, and destroyed. */
import { DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  DeleteObjectCommand,
  GetBucketEncryptionCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketOwnershipControlsCommand,
  GetPublicAccessBlockCommand,
  ListObjectsV2Command,
  S3Client,
} from "@aws-sdk/client-s3";
import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FUNCTION_NAMES, type FunctionName, PERMISSIONS, type Place } from "../../cdk/permissions.js";
import { assumeRole, callJson, callTarget, enforcePolicies } from "./account.js";
import { callOf, type Deployed, isRefusal, makeApiKey, queues } from "./deployed.js";
import { cdkStack, type StackResource, type Template } from "./stack.js";

type Properties = Record<string, unknown>;

const stack = cdkStack("dev");
const dynamoDb = new DynamoDBClient({});
const s3 = new S3Client({ forcePathStyle: true });
const sqs = queues();
let template: Template;
let resources: StackResource[];

beforeAll(async () => {
  await stack.bootstrap();
  await stack.deploy();
  template = stack.template();
  resources = await stack.resources();
});
afterAll(() => stack.remove());

const properties = (logicalId: string) => (template.Resources[logicalId]?.Properties ?? {}) as Properties;
const ofType = (type: string) => resources.filter((resource) => resource.type === type);
/** The value at a path of names. */
const at = (of: unknown, ...path: string[]) =>
  path.reduce<unknown>((value, name) => (value as Properties | undefined)?.[name], of);
const only = (type: string) => {
  const [found, ...others] = ofType(type);
  if (!found || others.length > 0) throw new Error(`There are ${others.length + 1} resources ${type}, not one.`);
  return found;
};

describe("what cdk deploy makes", () => {
  it("F-84 is every resource of the template", () => {
    const made = resources.map(({ logicalId, type }) => `${logicalId} ${type}`);
    const asked = Object.entries(template.Resources).map(([logicalId, { Type }]) => `${logicalId} ${Type}`);

    expect(made.sort()).toEqual(asked.sort());
  });

  describe("the table", () => {
    const table = async () => {
      const { logicalId, physicalId } = only("AWS::DynamoDB::Table");
      const { Table } = await dynamoDb.send(new DescribeTableCommand({ TableName: physicalId }));
      return { asked: properties(logicalId), made: Table ?? {} };
    };

    it("has the keys, indexes and capacity of the template", async () => {
      const { asked, made } = await table();

      expect(made.KeySchema).toEqual(asked.KeySchema);
      expect(made.BillingModeSummary?.BillingMode).toBe(asked.BillingMode);
      expect(made.DeletionProtectionEnabled).toBe(asked.DeletionProtectionEnabled);
      expect(made.GlobalSecondaryIndexes).toMatchObject(asked.GlobalSecondaryIndexes as object[]);
    });

    it("is encrypted with the stack's key", async () => {
      const { made } = await table();

      expect(String(made.SSEDescription?.KMSMasterKeyArn)).toContain(only("AWS::KMS::Key").physicalId);
    });

    it("forgets what has expired", async () => {
      const { logicalId, physicalId } = only("AWS::DynamoDB::Table");
      const { TimeToLiveDescription } = await dynamoDb.send(new DescribeTimeToLiveCommand({ TableName: physicalId }));

      expect(TimeToLiveDescription?.AttributeName).toBe(
        at(properties(logicalId), "TimeToLiveSpecification", "AttributeName"),
      );
      expect(TimeToLiveDescription?.TimeToLiveStatus).toBe("ENABLED");
    });
  });

  describe("the bucket", () => {
    const bucket = () => ({ Bucket: only("AWS::S3::Bucket").physicalId });

    it("is encrypted with the stack's key", async () => {
      const { ServerSideEncryptionConfiguration } = await s3.send(new GetBucketEncryptionCommand(bucket()));
      const [rule] = ServerSideEncryptionConfiguration?.Rules ?? [];

      expect(rule?.ApplyServerSideEncryptionByDefault?.SSEAlgorithm).toBe("aws:kms");
      expect(rule?.ApplyServerSideEncryptionByDefault?.KMSMasterKeyID).toContain(only("AWS::KMS::Key").physicalId);
    });

    it("lets nobody make anything public", async () => {
      const asked = properties(only("AWS::S3::Bucket").logicalId).PublicAccessBlockConfiguration;
      const { PublicAccessBlockConfiguration } = await s3.send(new GetPublicAccessBlockCommand(bucket()));

      expect(PublicAccessBlockConfiguration).toEqual(asked);
    });

    it("has one owner of all objects", async () => {
      const { OwnershipControls } = await s3.send(new GetBucketOwnershipControlsCommand(bucket()));

      expect(OwnershipControls?.Rules).toEqual([{ ObjectOwnership: "BucketOwnerEnforced" }]);
    });

    it("gives up uploads that were not completed", async () => {
      const { Rules } = await s3.send(new GetBucketLifecycleConfigurationCommand(bucket()));

      expect(Rules?.map(({ AbortIncompleteMultipartUpload }) => AbortIncompleteMultipartUpload)).toEqual([
        { DaysAfterInitiation: 1 },
      ]);
    });
  });

  it("S-95 F-72 has the queues with the settings of the template", async () => {
    const queues = ofType("AWS::SQS::Queue");
    expect(queues).toHaveLength(3);
    for (const { logicalId, physicalId } of queues) {
      const asked = properties(logicalId);
      const AttributeNames = ["All" as const];
      const { Attributes = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: physicalId, AttributeNames }),
      );

      expect(Attributes.MessageRetentionPeriod).toBe(String(asked.MessageRetentionPeriod));
      expect(Attributes.KmsMasterKeyId).toContain(only("AWS::KMS::Key").physicalId);
      if (!asked.RedrivePolicy) continue;
      const letters = queues.find((queue) => queue.logicalId.endsWith("DeadLetters"));
      const redrive = JSON.parse(Attributes.RedrivePolicy ?? "{}") as Properties;
      expect(redrive.deadLetterTargetArn).toContain(letters?.physicalId.split("/").at(-1));
      expect(redrive.maxReceiveCount).toBe(at(asked, "RedrivePolicy", "maxReceiveCount"));
      expect(Attributes.VisibilityTimeout).toBe(String(asked.VisibilityTimeout));
    }
  });

  it("S-97 has a bus of its own", async () => {
    const { EventBuses } = (await callTarget("events", "AWSEvents.ListEventBuses", {})) as {
      EventBuses: { Name: string }[];
    };

    expect(EventBuses.map(({ Name }) => Name).sort()).toEqual(["Parkway-dev-Parkway", "default"]);
  });

  it("S-58 F-72 has rules with targets, retries and dead letters as in the template", async () => {
    for (const { logicalId, physicalId } of ofType("AWS::Events::Rule")) {
      const asked = properties(logicalId) as unknown as { Targets: Properties[]; ScheduleExpression?: string };
      const name = physicalId.split("|").at(-1);
      const rule = (await callTarget("events", "AWSEvents.DescribeRule", { Name: name })) as Properties;
      const { Targets } = (await callTarget("events", "AWSEvents.ListTargetsByRule", { Rule: name })) as {
        Targets: Properties[];
      };

      expect(rule.ScheduleExpression).toBe(asked.ScheduleExpression);
      expect(Targets.map(({ Id, RetryPolicy }) => ({ Id, RetryPolicy }))).toEqual(
        asked.Targets.map(({ Id, RetryPolicy }) => ({ Id, RetryPolicy })),
      );
      for (const { DeadLetterConfig } of Targets) {
        expect(at(DeadLetterConfig, "Arn")).toMatch(/^arn:aws:sqs:.*Undelivered/);
      }
    }
  });

  describe("functions", () => {
    const functions = async () =>
      Promise.all(
        ofType("AWS::Lambda::Function").map(async ({ logicalId, physicalId }) => {
          const { Configuration } = (await callJson("lambda", `/2015-03-31/functions/${physicalId}`)) as {
            Configuration: Properties;
          };
          return { asked: properties(logicalId), made: Configuration };
        }),
      );

    it("are five with the settings, the role and the code of the template", async () => {
      const found = await functions();
      expect(found).toHaveLength(FUNCTION_NAMES.length);
      for (const { asked, made } of found) {
        for (const setting of ["Runtime", "Handler", "MemorySize", "Timeout", "Description"]) {
          expect([setting, made[setting]]).toEqual([setting, asked[setting]]);
        }
        const variables = (of: Properties) => Object.keys(at(of, "Environment", "Variables") as object).sort();
        expect(variables(made)).toEqual(variables(asked));
        const [role] = at(asked, "Role", "Fn::GetAtt") as string[];
        expect(made.Role).toContain(resources.find(({ logicalId }) => logicalId === role)?.physicalId);
        expect(made.CodeSize).toBeGreaterThan(10_000);
      }
    });

    it("are of the processor of the template", async () => {
      for (const { asked, made } of await functions()) expect(made.Architectures).toEqual(asked.Architectures);
    });

    it("S-13 are rung one bell at a time, and answer for each", async () => {
      const asked = properties(only("AWS::Lambda::EventSourceMapping").logicalId);
      const { EventSourceMappings } = (await callJson("lambda", "/2015-03-31/event-source-mappings/")) as {
        EventSourceMappings: Properties[];
      };
      const { BatchSize, FunctionResponseTypes, ScalingConfig } = asked;

      expect(EventSourceMappings).toMatchObject([{ BatchSize, FunctionResponseTypes, ScalingConfig }]);
    });

    it("F-84 have log groups of the stack, which do not grow forever", async () => {
      const { logGroups } = (await callTarget("logs", "Logs_20140328.DescribeLogGroups", {})) as {
        logGroups: { logGroupName: string; retentionInDays?: number }[];
      };
      const days = (name: string) => logGroups.find((group) => group.logGroupName === name)?.retentionInDays;

      for (const { logicalId, physicalId } of ofType("AWS::Logs::LogGroup")) {
        expect(days(physicalId)).toBe(properties(logicalId).RetentionInDays);
      }
    });
  });

  it("turns the key every year", async () => {
    const KeyId = only("AWS::KMS::Key").physicalId;

    expect(await callTarget("kms", "TrentService.GetKeyRotationStatus", { KeyId })).toMatchObject({
      KeyRotationEnabled: true,
    });
  });
});

describe("what the roles allow", () => {
  /** Calls that no permission of a function covers; each must be refused. */
  const FORBIDDEN: Record<FunctionName, [Place, string]> = {
    webhook: ["listing-index", "dynamodb:Query"],
    api: ["bus", "events:PutEvents"],
    trigger: ["api-keys-secret", "secretsmanager:GetSecretValue"],
    turn: ["api-keys-secret", "secretsmanager:GetSecretValue"],
    wake: ["table", "dynamodb:PutItem"],
  };
  let deployed: Deployed;

  beforeAll(() => {
    deployed = {
      table: only("AWS::DynamoDB::Table").physicalId,
      bucket: only("AWS::S3::Bucket").physicalId,
      doorbell: ofType("AWS::SQS::Queue").find(({ logicalId }) => logicalId.endsWith("Doorbell"))?.physicalId ?? "",
      bus: "Parkway-dev-Parkway",
      apiKeysSecret: only("AWS::SecretsManager::Secret").physicalId,
    };
  });

  /** Runs a call as the function would, under its policies. */
  async function as(name: FunctionName, what: string, call: ReturnType<typeof callOf>) {
    const word = `${name[0]?.toUpperCase()}${name.slice(1)}Role`;
    const role = ofType("AWS::IAM::Role").find(({ logicalId }) => logicalId.includes(word));
    if (!role || !call) throw new Error(`There is no role or no call for ${name}, ${what}.`);
    const credentials = await assumeRole(`arn:aws:iam::123456789012:role/${role.physicalId}`);
    await enforcePolicies(true);
    try {
      return await call(deployed, credentials);
    } finally {
      await enforcePolicies(false);
    }
  }

  for (const name of FUNCTION_NAMES) {
    const own = PERMISSIONS[name].filter(({ byPlatform }) => !byPlatform);
    const calls = own.flatMap(({ place, actions }) => actions.map((action) => `${place} ${action}`));
    it.each([...new Set(calls)])(`${name} may use %s`, async (what) => {
      const [place, action] = what.split(" ") as [Place, string];

      const failure: unknown = await as(name, what, callOf(place, action)).catch((error: unknown) => error);

      if (isRefusal(failure)) throw new Error(`${action} was refused.`, { cause: failure });
      // What is not there was allowed to be looked for.
      if (failure instanceof Error) expect(failure.name).toMatch(/^NoSuch(Key|Version)$/);
    });

    it(`${name} may not use what it has no need of`, async () => {
      const [place, action] = FORBIDDEN[name];

      const failure: unknown = await as(name, action, callOf(place, action)).catch((error: unknown) => error);

      expect(isRefusal(failure)).toBe(true);
    });

    it(`${name} can make no API key`, async () => {
      const failure: unknown = await as(name, "an API key", makeApiKey).catch((error: unknown) => error);

      expect(isRefusal(failure)).toBe(true);
    });
  }
});

describe("what cdk destroy leaves", () => {
  it("is nothing of dev", async () => {
    const before = resources;
    const Bucket = before.find(({ type }) => type === "AWS::S3::Bucket")?.physicalId;
    // A bucket with objects is not deleted; its owner empties it first.
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
    for (const { Key } of Contents) await s3.send(new DeleteObjectCommand({ Bucket, Key }));

    await stack.destroy();

    expect(await stack.resources()).toEqual([]);
    const TableName = before.find(({ type }) => type === "AWS::DynamoDB::Table")?.physicalId;
    await expect(dynamoDb.send(new DescribeTableCommand({ TableName }))).rejects.toMatchObject({
      name: "ResourceNotFoundException",
    });
    await expect(s3.send(new ListObjectsV2Command({ Bucket }))).rejects.toMatchObject({ name: "NoSuchBucket" });
    for (const { physicalId } of before.filter(({ type }) => type === "AWS::SQS::Queue")) {
      await expect(
        sqs.send(new GetQueueAttributesCommand({ QueueUrl: physicalId, AttributeNames: ["All"] })),
      ).rejects.toThrow();
    }
    for (const { physicalId } of before.filter(({ type }) => type === "AWS::Lambda::Function")) {
      await expect(callJson("lambda", `/2015-03-31/functions/${physicalId}`)).rejects.toThrow("404");
    }
    expect(await callTarget("events", "AWSEvents.ListRules", {})).toMatchObject({ Rules: [] });
  });
});
