/** The table over the wire: what is asked again, what a refusal means, and pages; nothing of sessions. */
import { randomUUID } from "node:crypto";
import type {
  DynamoDBClient,
  TransactionCanceledException,
  TransactWriteItemsCommandInput,
} from "@aws-sdk/client-dynamodb";
import type { Sleep } from "../backoff.js";
import { type Condition, type Entry, transactItem, type Update, updateExpression } from "./expressions.js";
import type { Item, Key } from "./keys.js";
import { persistently } from "./persistently.js";

/** What the service takes in one transaction, and in one batch read. */
export const MAX_TRANSACTION_ITEMS = 100;
const MAX_BATCH_READ = 100;

/** A write that was refused by a condition: by entry, the item as it is (undefined: there is none). */
export type Refusal = Map<number, Item | undefined>;

export interface QueryRequest {
  partition: string;
  /** First and last sort key, both included. */
  range?: readonly [first: string, last: string];
  index?: { name: string; partition: string; sort: string };
  newestFirst?: boolean;
  /** Only items whose attributes have these texts; the others are read all the same. */
  where?: Readonly<Record<string, string>>;
  /** Entries a page reads; more are fetched as the caller goes on. */
  pageSize?: number;
}

export interface Table {
  /** A consistent read of some items, in no order; those that are not there are left out. */
  get(keys: readonly Key[]): Promise<Item[]>;
  /** Items in the order of their sort keys, page after page; consistent where it is not an index. */
  query(request: QueryRequest): AsyncGenerator<Item>;
  /** All entries or none. Null: done. Conflicts and throttling are tried again (F-52). */
  transact(entries: readonly Entry[]): Promise<Refusal | null>;
  /** One update; its new item, or the item that refused the condition. */
  update(update: Update, condition: Condition): Promise<{ changed: Item } | { refused: Item | undefined }>;
  close(): void;
}

/** @param open - gives the client at the first request */
export function createTable(options: { name: string; open: () => Promise<DynamoDBClient>; sleep: Sleep }): Table {
  const { name, sleep } = options;
  let opened: Promise<DynamoDBClient> | undefined;
  const client = () => {
    opened ??= options.open();
    return opened;
  };

  return {
    async get(keys) {
      const { BatchGetItemCommand } = await sdk();
      const items: Item[] = [];
      // A lagging index may name an item twice; the service refuses a batch that does.
      const unique = [...new Map(keys.map((key) => [`${key.pk.S} ${key.sk.S}`, key])).values()];
      for (let at = 0; at < unique.length; at += MAX_BATCH_READ) {
        let left: Item[] = unique.slice(at, at + MAX_BATCH_READ);
        await persistently("read", sleep, async () => {
          const request = { RequestItems: { [name]: { Keys: left, ConsistentRead: true } } };
          const answer = await calm(async () => (await client()).send(new BatchGetItemCommand(request)));
          if (answer === null) return null;
          items.push(...(answer.Responses?.[name] ?? []));
          left = answer.UnprocessedKeys?.[name]?.Keys ?? [];
          return left.length === 0 ? true : null;
        });
      }
      return items;
    },

    async *query({ partition, range, index, newestFirst = false, where = {}, pageSize }) {
      const { QueryCommand } = await sdk();
      const wanted = Object.entries(where);
      const names = {
        "#pk": index?.partition ?? "pk",
        ...(range ? { "#sk": index?.sort ?? "sk" } : {}),
        ...Object.fromEntries(wanted.map(([attribute]) => [`#${attribute}`, attribute])),
      };
      const values = {
        ":pk": { S: partition },
        ...(range ? { ":first": { S: range[0] }, ":last": { S: range[1] } } : {}),
        ...Object.fromEntries(wanted.map(([attribute, text]) => [`:${attribute}`, { S: text }])),
      };
      const filter = wanted.map(([attribute]) => `#${attribute} = :${attribute}`).join(" AND ");
      let from: Item | undefined;
      do {
        const command = new QueryCommand({
          TableName: name,
          IndexName: index?.name,
          KeyConditionExpression: `#pk = :pk${range ? " AND #sk BETWEEN :first AND :last" : ""}`,
          ExpressionAttributeNames: names,
          ExpressionAttributeValues: values,
          FilterExpression: filter === "" ? undefined : filter,
          ConsistentRead: index === undefined,
          ScanIndexForward: !newestFirst,
          Limit: pageSize,
          ExclusiveStartKey: from,
        });
        const page = await persistently("read", sleep, () => calm(async () => (await client()).send(command)));
        yield* page.Items ?? [];
        from = page.LastEvaluatedKey;
      } while (from !== undefined);
    },

    async transact(entries) {
      const { TransactWriteItemsCommand } = await sdk();
      const input: TransactWriteItemsCommandInput = {
        TransactItems: entries.map((entry) => transactItem(name, entry)),
      };
      // What is sent again under one token is written once, though its answer was lost. A cancelled one is another.
      let token = randomUUID();
      const { refusal } = await persistently("write", sleep, async () => {
        try {
          await (await client()).send(new TransactWriteItemsCommand({ ...input, ClientRequestToken: token }));
          return { refusal: null };
        } catch (error) {
          if (isBusy(error)) return null;
          if (nameOf(error) !== "TransactionCanceledException") throw error;
          const judged = judge(error as TransactionCanceledException);
          token = randomUUID();
          return judged === "again" ? null : { refusal: judged };
        }
      });
      return refusal;
    },

    async update(update, condition) {
      const { UpdateItemCommand } = await sdk();
      const command = new UpdateItemCommand({
        TableName: name,
        Key: update.key,
        ConditionExpression: condition.text,
        ...updateExpression(update, condition),
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      return persistently("write", sleep, async () => {
        try {
          const answer = await calm(async () => (await client()).send(command));
          return answer && { changed: answer.Attributes ?? {} };
        } catch (error) {
          if (nameOf(error) === "ConditionalCheckFailedException") return { refused: (error as { Item?: Item }).Item };
          throw error;
        }
      });
    },

    close() {
      const closing = opened;
      opened = undefined;
      closing?.then((open) => open.destroy()).catch(() => {});
    },
  };
}

/** F-52: each reason of a cancelled transaction counts. A failed condition is an answer; the rest passes. */
function judge(error: TransactionCanceledException): Refusal | "again" {
  const reasons = error.CancellationReasons ?? [];
  const refusal: Refusal = new Map();
  for (const [entry, { Code, Item }] of reasons.entries()) {
    if (Code === "ConditionalCheckFailed") refusal.set(entry, Item);
  }
  if (refusal.size > 0) return refusal;
  const isPassing = reasons.some(({ Code }) => PASSING_REASONS.has(Code ?? ""));
  const isAllPassing = reasons.every(({ Code = "None" }) => Code === "None" || PASSING_REASONS.has(Code));
  if (isPassing && isAllPassing) return "again";
  throw error;
}

const PASSING_REASONS = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);

/** Errors that say that nothing was done and that it may be asked again. */
const BUSY = new Set([
  "ThrottlingException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "TransactionConflictException",
  "TransactionInProgressException",
]);

function isBusy(error: unknown): boolean {
  return BUSY.has(nameOf(error));
}

/** The answer, or null where the service was too busy for one. */
async function calm<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await ask();
  } catch (error) {
    if (isBusy(error)) return null;
    throw error;
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

/** Loaded when the first request is made, so that a process without DynamoDB never pays for it. */
export function sdk() {
  loaded ??= import("@aws-sdk/client-dynamodb");
  return loaded;
}

/** Asking for a module that is there takes a tenth of a millisecond, and every request does. */
let loaded: Promise<typeof import("@aws-sdk/client-dynamodb")> | undefined;
