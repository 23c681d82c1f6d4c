/** Items of the table as they lie there. */
import {
  type AttributeValue,
  BatchWriteItemCommand,
  type DynamoDBClient,
  paginateQuery,
  type WriteRequest,
} from "@aws-sdk/client-dynamodb";
import { dueAddress, listingAddress, sessionPartition } from "../../../lib/stores/dynamodb/keys.js";

export type StoredItem = Record<string, AttributeValue>;

export async function itemsOf(client: DynamoDBClient, table: string, sessionId: string): Promise<StoredItem[]> {
  const items: StoredItem[] = [];
  const input = {
    TableName: table,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": { S: sessionPartition(sessionId) } },
  };
  for await (const page of paginateQuery({ client }, input)) items.push(...(page.Items ?? []));
  return items;
}

/** By the developer guide, "DynamoDB item sizes and formats": names and values; a number about half its digits. */
export function itemBytes(item: StoredItem): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}

function valueBytes({ S, N, B, M, L }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return Math.ceil(N.length / 2) + 1;
  if (B !== undefined) return B.byteLength;
  if (M !== undefined) return 3 + itemBytes(M) + Object.keys(M).length;
  if (L !== undefined) return 3 + L.reduce((sum, value) => sum + 1 + valueBytes(value), 0);
  return 1;
}

/** The items of a session as another one's: all that names it names the other, and the indexes find the other. */
export function copyOf(items: readonly StoredItem[], from: string, to: string): StoredItem[] {
  return items.map((item) => {
    const copy = JSON.parse(JSON.stringify(item).replaceAll(from, to)) as StoredItem;
    const due = copy.dueAt?.N;
    if (copy.dueShard && due !== undefined) Object.assign(copy, strings(dueAddress(to, Number(due))));
    const updated = copy.updatedAt?.N;
    if (copy.listShard && updated !== undefined) Object.assign(copy, strings(listingAddress(to, Number(updated))));
    return copy;
  });
}

/** Requests at a time, each with as many items as one may hold. */
const WRITERS = 4;
const BATCH = 25;

export async function putAll(client: DynamoDBClient, table: string, items: readonly StoredItem[]): Promise<void> {
  let at = 0;
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      while (at < items.length) {
        let requests: WriteRequest[] = items.slice(at, at + BATCH).map((Item) => ({ PutRequest: { Item } }));
        at += BATCH;
        while (requests.length > 0) {
          const { UnprocessedItems } = await client.send(
            new BatchWriteItemCommand({ RequestItems: { [table]: requests } }),
          );
          requests = UnprocessedItems?.[table] ?? [];
        }
      }
    }),
  );
}

function strings(values: Record<string, string>): StoredItem {
  return Object.fromEntries(Object.entries(values).map(([name, S]) => [name, { S }]));
}
