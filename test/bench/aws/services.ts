/** The services that a deployment uses, on the loopback, each in a process of its own. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { S3Client } from "@aws-sdk/client-s3";
import { SQSClient } from "@aws-sdk/client-sqs";
import { localClientOptions } from "../../aws/client-options.js";
import { type DynamoDb, startDynamoDb } from "../../harness/dynamodb-engine.js";

export interface Services {
  dynamoDb: DynamoDb;
  queueUrl: string;
  s3(): S3Client;
  sqs(): SQSClient;
  events(): EventBridgeClient;
  stop(): void;
}

interface Addresses {
  s3: string;
  sqs: string;
  events: string;
  queueUrl: string;
}

/** @param found - as `findDynamoDb` returns it */
export async function startServices(found: string): Promise<Services> {
  const child = fork(join(import.meta.dirname, "services.worker.ts"), {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    execArgv: ["--import", "tsx"],
  });
  const [line] = (await once(createInterface({ input: child.stdout! }), "line")) as [string];
  const at = JSON.parse(line) as Addresses;
  const dynamoDb = await startDynamoDb(found);
  return {
    dynamoDb,
    queueUrl: at.queueUrl,
    s3: () => new S3Client({ ...localClientOptions(at.s3), forcePathStyle: true }),
    sqs: () => new SQSClient(localClientOptions(at.sqs)),
    events: () => new EventBridgeClient(localClientOptions(at.events)),
    stop() {
      dynamoDb.stop();
      child.kill();
    },
  };
}
