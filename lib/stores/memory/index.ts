export { createMemoryApiKeys } from "./api-keys.js";
export { createMemoryFileStore } from "./file-store.js";
export { createMemorySessionStore } from "./session-store.js";
