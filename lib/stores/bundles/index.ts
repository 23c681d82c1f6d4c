export { portsOf, requireSessionStore } from "./create.js";
export {
  createAwsSessionStore,
  createBackendSessionStore,
  createFilesystemSessionStore,
  createMemorySessionStore,
} from "./factories.js";
export type { SessionStore, SessionStoreKind, StorePorts } from "./types.js";
