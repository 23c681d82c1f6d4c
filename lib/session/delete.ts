/** Deleting a session (S-84…S-88, F-47). */
import type { FileStore, SessionStore } from "./ports.js";

/**
 * Marks the session, removes its files, then its items, and its record last. Stopped anywhere, a repetition goes on.
 * Children go by their own ids.
 *
 * @returns false when there was nothing
 * @throws {SessionBusyError} while a turn runs; nothing is removed (S-85)
 */
export async function deleteSession(
  stores: { store: Pick<SessionStore, "beginDelete" | "finishDelete">; files: Pick<FileStore, "list" | "removeAll"> },
  sessionId: string,
  now: number,
): Promise<boolean> {
  const { store, files } = stores;
  const isMarked = await store.beginDelete(sessionId, now);
  // A session that was given files and nothing else yet has no record.
  const isThere = isMarked || (await files.list(sessionId)).length > 0;
  if (!isThere) return false;
  await files.removeAll(sessionId);
  if (isMarked) await store.finishDelete(sessionId);
  return true;
}
