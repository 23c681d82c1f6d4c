/** The services of a deployment on this machine, and the environment of its functions. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import { type LocalEventBridge, startEventBridge } from "../aws/eventbridge.js";
import { type LocalS3, startS3 } from "../aws/s3.js";
import { type LocalParameters, type LocalSecrets, startParameters, startSecrets } from "../aws/secret-services.js";
import { type LocalSqs, startSqs } from "../aws/sqs.js";
import { type DynamoDb, describeDynamoDb } from "../harness/dynamodb.js";

export interface Deployed {
  /** What a function finds in its environment. The SDK reads its part from the process's. */
  env: Record<string, string>;
  s3: LocalS3;
  sqs: LocalSqs;
  bus: LocalEventBridge;
  parameters: LocalParameters;
  secrets: LocalSecrets;
}

export const BUS = "parkway-bus";

/** A suite over one deployment's services; every test has a table, a bucket and a queue of its own. */
export function describeDeployment(name: string, suite: (deployed: Deployed) => void): void {
  describeDynamoDb(name, (db) => {
    const deployed = {} as Deployed;

    beforeAll(async () => {
      const [s3, sqs, bus, parameters, secrets] = await Promise.all([
        startS3(),
        startSqs(),
        startEventBridge(),
        startParameters(),
        startSecrets(),
      ]);
      Object.assign(deployed, { s3, sqs, bus, parameters, secrets });
    });
    afterAll(async () => {
      const { s3, sqs, bus, parameters, secrets } = deployed;
      await Promise.all([s3, sqs, bus, parameters, secrets].map((service) => service.stop()));
      vi.unstubAllEnvs();
    });
    beforeEach(async () => {
      const bucket = `bucket-${randomUUID()}`;
      deployed.s3.createBucket(bucket);
      deployed.bus.createBus(BUS);
      deployed.env = {
        ...sdkVariables(db, deployed),
        PARKWAY_ENVIRONMENT: "test",
        PARKWAY_TABLE: await db.table(),
        PARKWAY_BUCKET: bucket,
        PARKWAY_QUEUE_URL: deployed.sqs.createQueue(`doorbell-${randomUUID()}`),
        PARKWAY_BUS: BUS,
        POWERTOOLS_METRICS_NAMESPACE: "parkway/test",
      };
      for (const [variable, value] of Object.entries(deployed.env)) vi.stubEnv(variable, value);
    });

    suite(deployed);
  });
}

function sdkVariables(db: DynamoDb, { s3, sqs, bus, parameters, secrets }: Deployed): Record<string, string> {
  return {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL_DYNAMODB: db.endpoint,
    AWS_ENDPOINT_URL_S3: s3.endpoint,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint,
    AWS_ENDPOINT_URL_SSM: parameters.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
  };
}
