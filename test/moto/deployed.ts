/** The clients of one caller in moto's account, and what the calls of permissions are. */
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SendMessageCommand, SQSClient, type SQSClientConfig } from "@aws-sdk/client-sqs";
import type { Place } from "../../cdk/permissions.js";
import { DUE_INDEX, LISTING_INDEX } from "../../lib/stores/dynamodb/index.js";
import type { RoleCredentials } from "./account.js";

/** Names and addresses of what was deployed. */
export interface Deployed {
  table: string;
  bucket: string;
  doorbell: string;
  bus: string;
  apiKeysSecret: string;
}

type Call = (deployed: Deployed, credentials: RoleCredentials) => Promise<unknown>;

const Key = { pk: { S: "S#moto" }, sk: { S: "META" } };
const OBJECT_NAMES: Partial<Record<Place, string>> = {
  objects: "session/file",
  values: ".parkway/values/session/hash",
  uploads: ".parkway/uploads/arrival/file",
};

/** The request that an action stands for at a place; undefined where moto offers none. */
export function callOf(place: Place, action: string): Call | undefined {
  if (place === "table" || place === "session-items") return tableCalls[action];
  if (place === "due-index" && action === "dynamodb:Query") return queryIndex(DUE_INDEX);
  if (place === "listing-index" && action === "dynamodb:Query") return queryIndex(LISTING_INDEX);
  const name = OBJECT_NAMES[place];
  if (name !== undefined) return objectCalls[action]?.(name);
  return otherCalls[`${place} ${action}`];
}

/** moto's addresses of queues are the service's own; the client's endpoint counts. */
export const queues = (config: SQSClientConfig = {}) => new SQSClient({ ...config, useQueueUrlAsEndpoint: false });
const dynamoDb = (credentials: RoleCredentials) => new DynamoDBClient({ credentials });
const s3 = (credentials: RoleCredentials) => new S3Client({ credentials, forcePathStyle: true });

const tableCalls: Record<string, Call> = {
  "dynamodb:BatchGetItem": ({ table }, as) =>
    dynamoDb(as).send(new BatchGetItemCommand({ RequestItems: { [table]: { Keys: [Key] } } })),
  "dynamodb:Query": ({ table }, as) =>
    dynamoDb(as).send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": Key.pk },
      }),
    ),
  "dynamodb:PutItem": ({ table }, as) => dynamoDb(as).send(new PutItemCommand({ TableName: table, Item: Key })),
  "dynamodb:UpdateItem": ({ table }, as) =>
    dynamoDb(as).send(
      new UpdateItemCommand({
        TableName: table,
        Key,
        UpdateExpression: "SET seen = :seen",
        ExpressionAttributeValues: { ":seen": { BOOL: true } },
      }),
    ),
  "dynamodb:DeleteItem": ({ table }, as) => dynamoDb(as).send(new DeleteItemCommand({ TableName: table, Key })),
  // A check is made in a transaction only.
  "dynamodb:ConditionCheckItem": ({ table }, as) =>
    dynamoDb(as).send(
      new TransactWriteItemsCommand({
        TransactItems: [
          { ConditionCheck: { TableName: table, Key, ConditionExpression: "attribute_not_exists(other)" } },
        ],
      }),
    ),
};

/** An item where API keys lie, which only the command of a person writes. */
export const makeApiKey: Call = ({ table }, as) =>
  dynamoDb(as).send(new PutItemCommand({ TableName: table, Item: { ...Key, pk: { S: "K#moto" } } }));

function queryIndex(index: typeof DUE_INDEX | typeof LISTING_INDEX): Call {
  return ({ table }, as) =>
    dynamoDb(as).send(
      new QueryCommand({
        TableName: table,
        IndexName: index.name,
        KeyConditionExpression: "#shard = :shard",
        ExpressionAttributeNames: { "#shard": index.partition },
        ExpressionAttributeValues: { ":shard": { S: "0" } },
      }),
    );
}

const objectCalls: Record<string, (key: string) => Call> = {
  "s3:GetObject":
    (Key) =>
    ({ bucket }, as) =>
      s3(as).send(new GetObjectCommand({ Bucket: bucket, Key })),
  "s3:PutObject":
    (Key) =>
    ({ bucket }, as) =>
      s3(as).send(new PutObjectCommand({ Bucket: bucket, Key, Body: "x" })),
  "s3:DeleteObject":
    (Key) =>
    ({ bucket }, as) =>
      s3(as).send(new DeleteObjectCommand({ Bucket: bucket, Key })),
  "s3:DeleteObjectVersion":
    (Key) =>
    ({ bucket }, as) =>
      s3(as).send(new DeleteObjectCommand({ Bucket: bucket, Key, VersionId: "null" })),
};

const otherCalls: Record<string, Call> = {
  "bucket s3:ListBucket": ({ bucket }, as) => s3(as).send(new ListObjectsV2Command({ Bucket: bucket })),
  "bucket s3:ListBucketVersions": ({ bucket }, as) => s3(as).send(new ListObjectVersionsCommand({ Bucket: bucket })),
  "doorbell sqs:SendMessage": ({ doorbell }, credentials) =>
    queues({ credentials }).send(new SendMessageCommand({ QueueUrl: doorbell, MessageBody: "{}" })),
  "bus events:PutEvents": ({ bus }, credentials) =>
    new EventBridgeClient({ credentials }).send(
      new PutEventsCommand({ Entries: [{ EventBusName: bus, Source: "moto", DetailType: "test", Detail: "{}" }] }),
    ),
  "api-keys-secret secretsmanager:GetSecretValue": ({ apiKeysSecret }, credentials) =>
    new SecretsManagerClient({ credentials }).send(new GetSecretValueCommand({ SecretId: apiKeysSecret })),
};

/** Whether a call failed because the caller may not make it; moto says so to JSON services in XML, which no client reads. */
export function isRefusal(error: unknown): boolean {
  const { $metadata, $response } = error as {
    $metadata?: { httpStatusCode?: number };
    $response?: { statusCode?: number };
  };
  return ($metadata?.httpStatusCode ?? $response?.statusCode) === 403;
}
