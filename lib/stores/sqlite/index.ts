export { createSqliteSessionStore } from "./session-store.js";
