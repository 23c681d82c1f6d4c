/** The table's definition, for tests and local use; in the cloud the stack makes it. */
import type { CreateTableCommandInput, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { type Sleep, sleepFor } from "../backoff.js";
import { DUE_INDEX, LISTING_INDEX } from "./keys.js";
import { persistently } from "./persistently.js";
import { sdk } from "./table.js";

/** The attribute by which the service removes what has expired, in epoch seconds. Readers never rely on it (F-55). */
export const TTL_ATTRIBUTE = "ttl";

/** Keys, the two indexes and on-demand capacity, under any name. The indexes only find: who lists reads the records. */
export function tableDefinition(table: string): CreateTableCommandInput {
  const attributes = ["pk", "sk", DUE_INDEX.partition, DUE_INDEX.sort, LISTING_INDEX.partition, LISTING_INDEX.sort];
  return {
    TableName: table,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: attributes.map((name) => ({ AttributeName: name, AttributeType: "S" as const })),
    KeySchema: keySchema("pk", "sk"),
    GlobalSecondaryIndexes: [
      {
        IndexName: DUE_INDEX.name,
        KeySchema: keySchema(DUE_INDEX.partition, DUE_INDEX.sort),
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
      {
        IndexName: LISTING_INDEX.name,
        KeySchema: keySchema(LISTING_INDEX.partition, LISTING_INDEX.sort),
        Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["status", "workflow"] },
      },
    ],
  };
}

/** Makes the table where it is not there, and returns when it can be used. */
export async function ensureTable(client: DynamoDBClient, table: string, sleep: Sleep = sleepFor): Promise<void> {
  const { CreateTableCommand, DescribeTableCommand, UpdateTimeToLiveCommand } = await sdk();
  let isNew = true;
  try {
    await client.send(new CreateTableCommand(tableDefinition(table)));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "ResourceInUseException") throw error;
    isNew = false;
  }
  await persistently("make the table", sleep, async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
    return Table?.TableStatus === "ACTIVE" ? true : null;
  });
  if (!isNew) return;
  const ttl = { AttributeName: TTL_ATTRIBUTE, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: table, TimeToLiveSpecification: ttl }));
}

function keySchema(partition: string, sort: string) {
  return [
    { AttributeName: partition, KeyType: "HASH" as const },
    { AttributeName: sort, KeyType: "RANGE" as const },
  ];
}
