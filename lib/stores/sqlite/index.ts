export { createSqliteApiKeys } from "./api-keys.js";
export { createSqliteSessionStore } from "./session-store.js";
