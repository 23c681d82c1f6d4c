export { createDynamoApiKeys, type DynamoApiKeysOptions } from "./api-keys.js";
export { ensureTable, TTL_ATTRIBUTE, tableDefinition } from "./create-table.js";
export { DUE_INDEX, LISTING_INDEX } from "./keys.js";
export { createFileLargeValues, createMemoryLargeValues, type LargeValues, type ValueEntry } from "./large-values.js";
export { createDynamoSessionStore, type DynamoSessionStoreOptions } from "./session-store.js";
