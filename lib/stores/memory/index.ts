export { createMemoryApiKeys } from "./api-keys.js";
export { createMemoryFileStore } from "./file-store.js";
export { createMemorySessionStore, emptyContents, type MemoryContents, type StoredSession } from "./session-store.js";
