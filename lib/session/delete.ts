/** Deleting a session (S-84…S-88, F-47). */
import type { FileStore, SessionStore } from "./ports.js";

/** What carries a deletion through. */
export interface DeletionStores {
  store: Pick<SessionStore, "beginDelete" | "finishDelete" | "children">;
  files: Pick<FileStore, "removeAll">;
}

/** Children that are removed at a time. */
const AT_ONCE = 4;

/**
 * Marks the session, removes its files, then its items, and its record last. Stopped anywhere, a repetition goes on; so
 * does whoever finds the due mark of what was marked.
 *
 * @param options.children - takes its children along, and theirs (S-88); they go before its own record. Otherwise they stay
 * @returns false when there was nothing
 * @throws {SessionBusyError} while a turn runs, and for a child that its root presents; nothing is removed (S-85, S-88)
 */
export async function deleteSession(
  stores: DeletionStores & { files: Pick<FileStore, "list"> },
  sessionId: string,
  now: number,
  options: { children?: boolean } = {},
): Promise<boolean> {
  const { store, files } = stores;
  if (await store.beginDelete(sessionId, now, options.children ? { children: true } : {})) {
    await carryDeletionThrough(stores, sessionId, now);
    return true;
  }
  // A session that was given files and nothing else yet has no record; nor has one that left its children behind.
  const hasFiles = (await files.list(sessionId)).length > 0;
  if (hasFiles) await files.removeAll(sessionId);
  const left = options.children ? (await store.children(sessionId)).sessionIds : [];
  let found = hasFiles;
  for (const child of left) found = (await deleteSession(stores, child, now, options)) || found;
  return found;
}

/** Removes a session that is marked, and what goes with it. Safe to repeat, and beside another who does the same. */
export async function carryDeletionThrough(stores: DeletionStores, sessionId: string, now: number): Promise<void> {
  const { store, files } = stores;
  const { sessionIds, goAlong } = await store.children(sessionId);
  for (let at = 0; goAlong && at < sessionIds.length; at += AT_ONCE) {
    const some = sessionIds.slice(at, at + AT_ONCE);
    await Promise.all(
      some.map(async (child) => {
        const isMarked = await store.beginDelete(child, now, { children: true, withParent: true });
        if (isMarked) await carryDeletionThrough(stores, child, now);
      }),
    );
  }
  await files.removeAll(sessionId);
  await store.finishDelete(sessionId);
}
