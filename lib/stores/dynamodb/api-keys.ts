/**
 * API keys in the environment's table:
 *
 *     K#<id>   META   the key; in the listing index under the partition `KEYS`, by age
 */
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { ApiKey, ApiKeys } from "../../session/api-keys.js";
import { type ClientPlace, clientSettings } from "../aws-client.js";
import { type Sleep, sleepFor } from "../backoff.js";
import { numberFrom, scalar } from "./attributes.js";
import { isAbsent, isThere } from "./expressions.js";
import { type Item, type Key, keyFrom, LISTING_INDEX, timeKey } from "./keys.js";
import { collect } from "./reading.js";
import { createTable, sdk } from "./table.js";

export interface DynamoApiKeysOptions extends ClientPlace {
  table: string;
  /** One that the caller made, and closes. Without it one is made from the environment at the first request. */
  client?: DynamoDBClient;
  sleep?: Sleep;
}

const KEYS_PARTITION = "KEYS";

/** @throws {StoreUnavailableError} from every method, when the service stays busy */
export function createDynamoApiKeys(options: DynamoApiKeysOptions): ApiKeys & { close(): void } {
  const { sleep = sleepFor } = options;
  const table = createTable({ name: options.table, open: () => openClient(options), sleep });
  return {
    async find(id) {
      const [item] = await table.get([apiKeyKey(id)]);
      return item ? apiKeyFrom(item) : null;
    },

    async put(key) {
      const item: Item = {
        ...apiKeyKey(key.id),
        key: scalar(JSON.stringify(key)),
        listShard: scalar(KEYS_PARTITION),
        listKey: scalar(timeKey(key.createdAt, key.id)),
      };
      const refused = await table.transact([{ put: item, condition: isAbsent }]);
      if (refused) throw new Error(`There is an API key ${key.id} already.`);
    },

    async list() {
      const entries = await collect(table.query({ partition: KEYS_PARTITION, index: LISTING_INDEX }));
      const items = await table.get(entries.map(keyFrom));
      return items.map(apiKeyFrom).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
    },

    async revoke(id, now) {
      const key = apiKeyKey(id);
      // The first revocation's time stays.
      const notYet = {
        text: `${isThere.text} AND attribute_not_exists(#revokedAt)`,
        names: { ...isThere.names, "#revokedAt": "revokedAt" },
        values: {},
      };
      const result = await table.update({ key, set: { revokedAt: scalar(now) } }, notYet);
      return "changed" in result || result.refused !== undefined;
    },

    close() {
      if (!options.client) table.close();
    },
  };
}

function apiKeyKey(id: string): Key {
  return { pk: { S: `K#${id}` }, sk: { S: "META" } };
}

function apiKeyFrom(item: Item): ApiKey {
  const key = JSON.parse(String(item.key?.S)) as ApiKey;
  return item.revokedAt === undefined ? key : { ...key, revokedAt: numberFrom(item.revokedAt) };
}

async function openClient({ client, ...place }: DynamoApiKeysOptions): Promise<DynamoDBClient> {
  if (client) return client;
  const { DynamoDBClient: Client } = await sdk();
  return new Client(clientSettings(place));
}
