/** The embedded stores in a folder of a test's own. */
import { join } from "node:path";
import type { AgentStores } from "../../lib/agent/options.js";
import { createFilesystemFileStore } from "../../lib/stores/filesystem/index.js";
import { createSqliteSessionStore } from "../../lib/stores/sqlite/index.js";

export function openEmbedded(dir: string): AgentStores {
  const sessions = join(dir, "sessions");
  return {
    sessions: createSqliteSessionStore({ file: join(sessions, ".parkway", "parkway.db") }),
    files: createFilesystemFileStore({ dir: sessions }),
  };
}
