/** The one table. Keys, indexes and expiry come from the store that uses it, so that the two cannot differ. */
import { RemovalPolicy } from "aws-cdk-lib";
import {
  AttributeType,
  BillingMode,
  type GlobalSecondaryIndexProps,
  type ProjectionType,
  Table,
  TableEncryption,
} from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { TTL_ATTRIBUTE, tableDefinition } from "../lib/stores/dynamodb/index.js";
import { accept } from "./nag.js";

/** F-82: with `retain` it outlives its stack, is protected from deletion and has its last 35 days recoverable. */
export function createTable(scope: Construct, { key, removal }: { key: IKey; removal: "retain" | "destroy" }): Table {
  const isKept = removal === "retain";
  const definition = tableDefinition("");
  const table = new Table(scope, "Table", {
    ...keysOf(definition.KeySchema),
    billingMode: BillingMode.PAY_PER_REQUEST,
    timeToLiveAttribute: TTL_ATTRIBUTE,
    encryption: TableEncryption.CUSTOMER_MANAGED,
    encryptionKey: key,
    deletionProtection: isKept,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: isKept },
    removalPolicy: isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  for (const index of definition.GlobalSecondaryIndexes ?? []) {
    table.addGlobalSecondaryIndex({
      indexName: index.IndexName ?? "",
      ...keysOf(index.KeySchema),
      ...projectionOf(index.Projection),
    });
  }
  if (!isKept) accept(table, "DDB3", "An environment that is thrown away has nothing to recover.");
  return table;
}

/** Every key of the table is a text. */
function keysOf(schema: readonly { AttributeName: string | undefined; KeyType: string | undefined }[] = []) {
  const named = (type: string) => ({
    name: schema.find(({ KeyType }) => KeyType === type)?.AttributeName ?? "",
    type: AttributeType.STRING,
  });
  return { partitionKey: named("HASH"), sortKey: named("RANGE") };
}

function projectionOf(
  projection: { ProjectionType?: string; NonKeyAttributes?: string[] } = {},
): Pick<GlobalSecondaryIndexProps, "projectionType" | "nonKeyAttributes"> {
  const { ProjectionType: type, NonKeyAttributes: nonKeyAttributes } = projection;
  return { projectionType: type as ProjectionType, ...(nonKeyAttributes ? { nonKeyAttributes } : {}) };
}
