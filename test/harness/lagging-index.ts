/** Indexes that are behind their table by a number of writes: they answer as they were then, entries and all. */
import { type DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { tap } from "./dynamodb-wire.js";

type Entry = Record<string, { S?: string }>;
const INDEXES = ["due", "listing"];
const WRITES = new Set(["TransactWriteItems", "UpdateItem", "PutItem", "DeleteItem"]);

export interface Lag {
  /** How many writes the indexes have not seen yet. */
  writes: number;
}

/**
 * Puts the lag into a client. All writes of the test go through it, one after another.
 *
 * @param peek - another client of the same table, which sees the indexes as they are
 */
export function lagIndexes(client: DynamoDBClient, peek: DynamoDBClient, table: string, lag: Lag): DynamoDBClient {
  const history: Map<string, Entry[]>[] = [new Map()];

  async function remember(): Promise<void> {
    const scans = INDEXES.map(async (IndexName) => {
      const { Items = [] } = await peek.send(new ScanCommand({ TableName: table, IndexName }));
      return [IndexName, Items as Entry[]] as const;
    });
    history.push(new Map(await Promise.all(scans)));
  }

  return tap(client, "command", async ({ name, input }, send) => {
    if (WRITES.has(name)) {
      const answer = await send();
      await remember();
      return answer;
    }
    if (name !== "Query" || input.IndexName === undefined) return send();
    const then = history[Math.max(0, history.length - 1 - lag.writes)];
    return { Items: answerOf(then?.get(String(input.IndexName)) ?? [], input) };
  });
}

/** The query of an index as this repository makes them, over remembered entries; one page. */
function answerOf(entries: readonly Entry[], input: Record<string, unknown>): Entry[] {
  const names = input.ExpressionAttributeNames as Record<string, string>;
  const values = input.ExpressionAttributeValues as Record<string, { S: string }>;
  const sort = input.IndexName === "due" ? "dueKey" : "listKey";
  const text = (entry: Entry, name: string | undefined) => entry[name ?? ""]?.S ?? "";
  const [first, last] = [values[":first"]?.S, values[":last"]?.S];
  const wanted = Object.keys(values).filter((name) => ![":pk", ":first", ":last"].includes(name));
  const found = entries
    .filter((entry) => text(entry, names["#pk"]) === values[":pk"]?.S)
    .filter((entry) => first === undefined || (text(entry, sort) >= first && text(entry, sort) <= (last ?? "")))
    .filter((entry) => wanted.every((name) => text(entry, name.slice(1)) === values[name]?.S))
    .sort((a, b) => (text(a, sort) < text(b, sort) ? -1 : 1));
  return input.ScanIndexForward === false ? found.reverse() : found;
}
