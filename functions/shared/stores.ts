/** A deployment's stores. None speaks to its service before the first use. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { SQSClient } from "@aws-sdk/client-sqs";
import type { Doorbell, FileStore, SessionStore } from "../../lib/session/ports.js";
import { clientSettings } from "../../lib/stores/aws-client.js";
import { createDynamoSessionStore } from "../../lib/stores/dynamodb/index.js";
import { createS3FileStore, createS3LargeValues } from "../../lib/stores/s3/index.js";
import { createSqsDoorbell } from "../../lib/stores/sqs/index.js";
import { type Environment, readVariables } from "./environment.js";

export interface DeployedStores {
  sessions: SessionStore;
  files: FileStore;
  doorbell: Doorbell;
  /** Of the table, for whatever else lies in it. */
  client: DynamoDBClient;
}

/**
 * Values over 240 KB and session files lie in the bucket (F-74, S-74).
 *
 * The table's client is loaded while the function starts, when it has a whole processor: every invocation needs it. The
 * others are loaded at their first use, unless a function that always needs one hands it over.
 *
 * @throws {MissingVariablesError}
 */
export function openStores(env: Environment, clients: { sqs?: SQSClient } = {}): DeployedStores {
  const variables = readVariables(["PARKWAY_TABLE", "PARKWAY_BUCKET", "PARKWAY_QUEUE_URL"], env);
  const client = new DynamoDBClient(clientSettings({}));
  // A local engine knows buckets by path only, which the store chooses where it is given an address.
  const endpoint = env.AWS_ENDPOINT_URL_S3;
  const place = { bucket: variables.PARKWAY_BUCKET, ...(endpoint ? { endpoint } : {}) };
  return {
    client,
    sessions: createDynamoSessionStore({
      client,
      table: variables.PARKWAY_TABLE,
      largeValues: createS3LargeValues(place),
    }),
    files: createS3FileStore(place),
    doorbell: createSqsDoorbell({
      queueUrl: variables.PARKWAY_QUEUE_URL,
      ...(clients.sqs ? { client: clients.sqs } : {}),
    }),
  };
}
