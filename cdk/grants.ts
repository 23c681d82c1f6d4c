/** Permissions as statements of a role: exact actions on exact resources. */
import { Stack } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import type { IEventBus } from "aws-cdk-lib/aws-events";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { CfnBucket, IBucket } from "aws-cdk-lib/aws-s3";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import { DUE_INDEX, LISTING_INDEX } from "../lib/stores/dynamodb/index.js";
import type { Queues } from "./doorbell.js";
import { accept } from "./nag.js";
import type { Permission, Place } from "./permissions.js";

/** What functions work on. */
export interface Resources {
  key: IKey;
  table: ITable;
  bucket: IBucket;
  queues: Queues;
  bus: IEventBus;
  apiKeysSecret: ISecret;
}

const OBJECT_NAMES = { objects: "*", values: ".parkway/values/*", uploads: ".parkway/uploads/*" } as const;
const OBJECT_PLACES = ["objects", "values", "uploads"] as const;

/** Names of objects are made of names of sessions, so a role can only name what they begin with. */
export function acceptObjectNames(role: IRole, permissions: readonly Permission[], bucket: IBucket): void {
  const logicalId = Stack.of(bucket).resolve((bucket.node.defaultChild as CfnBucket).logicalId) as string;
  for (const place of OBJECT_PLACES) {
    const reasons = permissions.filter((permission) => permission.place === place).map(({ why }) => why);
    if (reasons.length === 0) continue;
    const finding = `IAM5[Resource::<${logicalId}.Arn>/${OBJECT_NAMES[place]}]`;
    accept(role, finding, `Objects are named after sessions: ${[...new Set(reasons)].join("; ")}.`);
  }
}

/** The statements of one function's permissions, one for each place, and what they need of the key. */
export function statementsFor(
  permissions: readonly Permission[],
  resources: Resources & { logs: ILogGroup },
): PolicyStatement[] {
  const actions = new Map<Place, Set<string>>();
  for (const permission of permissions) {
    const known = actions.get(permission.place) ?? new Set<string>();
    actions.set(permission.place, new Set([...known, ...permission.actions]));
  }
  const arns = arnsOf(resources);
  const statements = [...actions].map(
    ([place, allowed]) =>
      new PolicyStatement({ actions: [...allowed].sort(), resources: [arns[place]], conditions: CONDITIONS[place] }),
  );
  return [...statements, ...keyStatements(new Set(actions.keys()), resources.key)];
}

function arnsOf({ table, bucket, queues, bus, apiKeysSecret, logs }: Resources & { logs: ILogGroup }) {
  return {
    table: table.tableArn,
    "session-items": table.tableArn,
    "due-index": `${table.tableArn}/index/${DUE_INDEX.name}`,
    "listing-index": `${table.tableArn}/index/${LISTING_INDEX.name}`,
    objects: bucket.arnForObjects(OBJECT_NAMES.objects),
    values: bucket.arnForObjects(OBJECT_NAMES.values),
    uploads: bucket.arnForObjects(OBJECT_NAMES.uploads),
    bucket: bucket.bucketArn,
    doorbell: queues.doorbell.queueArn,
    undelivered: queues.undelivered.queueArn,
    bus: bus.eventBusArn,
    "api-keys-secret": apiKeysSecret.secretArn,
    logs: logs.logGroupArn,
  } satisfies Record<Place, string>;
}

/** Of an item that is written the service knows the partition: of a session, a receipt or a dead letter. */
const CONDITIONS: Partial<Record<Place, Record<string, unknown>>> = {
  "session-items": {
    "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["S#*", "R#*", "D#*"] },
  },
};

/**
 * What services ask of the key in the function's name. A table's key asks for all of these, as the developer guide lists
 * them for whoever reads and writes one (DynamoDB, "Using customer managed keys"); the others want data keys alone.
 */
const TABLE_KEY_ACTIONS = [
  "kms:Decrypt",
  "kms:DescribeKey",
  "kms:Encrypt",
  "kms:GenerateDataKey",
  "kms:GenerateDataKeyWithoutPlaintext",
  "kms:ReEncryptFrom",
  "kms:ReEncryptTo",
];
const DATA_KEY_ACTIONS = ["kms:Decrypt", "kms:GenerateDataKey"];

const SERVICES: Partial<Record<Place, string>> = {
  table: "dynamodb",
  "session-items": "dynamodb",
  "due-index": "dynamodb",
  "listing-index": "dynamodb",
  objects: "s3",
  values: "s3",
  uploads: "s3",
  doorbell: "sqs",
  undelivered: "sqs",
  "api-keys-secret": "secretsmanager",
};

/** The key is of use only through the services that the function has something in. */
function keyStatements(places: ReadonlySet<Place>, key: IKey): PolicyStatement[] {
  const services = new Set([...places].flatMap((place) => SERVICES[place] ?? []));
  const through = (names: readonly string[], actions: string[]) =>
    new PolicyStatement({
      actions,
      resources: [key.keyArn],
      conditions: {
        StringEquals: { "kms:ViaService": names.map((name) => `${name}.${Stack.of(key).region}.amazonaws.com`) },
      },
    });
  const others = [...services].filter((name) => name !== "dynamodb").sort();
  return [
    ...(services.has("dynamodb") ? [through(["dynamodb"], TABLE_KEY_ACTIONS)] : []),
    ...(others.length > 0 ? [through(others, DATA_KEY_ACTIONS)] : []),
  ];
}
