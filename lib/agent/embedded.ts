/** The embedded store of a workspace: SQLite and files under `<rootDir>/sessions` (H-88). */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createFilesystemSessionStore, portsOf, type SessionStore } from "../stores/bundles/index.js";
import { systemClock } from "../stores/clock/index.js";
import type { AgentStores } from "./options.js";

export function embeddedStore(rootDir: string): SessionStore {
  return createFilesystemSessionStore({ dir: resolve(rootDir, "sessions") });
}

/** Its ports. */
export async function embeddedStores(rootDir: string): Promise<AgentStores> {
  return portsOf(embeddedStore(rootDir));
}

/** The workflow that a stored session follows; null for a session that does not exist. Makes no store where there is none. */
export async function workflowOfSession(rootDir: string, sessionId: string): Promise<string | null> {
  if (!existsSync(databaseOf(rootDir))) return null;
  const { sessions } = await embeddedStores(rootDir);
  try {
    return (await sessions.read(sessionId, systemClock.now()))?.record.workflow ?? null;
  } finally {
    await sessions.close();
  }
}

function databaseOf(rootDir: string): string {
  return resolve(rootDir, "sessions", ".parkway", "parkway.db");
}
