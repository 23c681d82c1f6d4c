/** Removing what nothing names any more (S-79): uploads of arrivals that are through, and values that no item came to hold. */
import type { FileStore, SessionStore } from "./ports.js";
import { DAY_MS } from "./protocol/index.js";
import { refusedLetterId, unsettledLetterId } from "./redrive.js";
import { arrivalOfUpload, UPLOADS } from "./uploads.js";

/** Where the next call goes on. It may be forgotten: tidying then begins anew. */
export interface TidyCursor {
  values: string | null;
  uploads: string | null;
}

export const FROM_THE_START: TidyCursor = { values: "", uploads: "" };

export interface TidyResult {
  removed: number;
  /** Null when everything has been looked at. */
  next: TidyCursor | null;
}

/**
 * Looks at up to `limit` objects of each kind and removes those older than 24 hours that nothing names. Younger ones stay:
 * what names them may be about to be written. Names are never used again, so what was not named in time never will be.
 */
export async function tidy(
  stores: {
    store: Pick<SessionStore, "receipt" | "deadLetter" | "removeOrphans">;
    files: Pick<FileStore, "listShared" | "removeShared">;
  },
  request: { now: number; limit: number; from?: TidyCursor },
): Promise<TidyResult> {
  const { now, limit, from = FROM_THE_START } = request;
  const page = { before: now - DAY_MS, limit };
  const values =
    from.values === null ? NOTHING : ((await stores.store.removeOrphans?.({ ...page, after: from.values })) ?? NOTHING);
  const uploads = from.uploads === null ? NOTHING : await tidyUploads(stores, { ...page, now, after: from.uploads });
  const next = { values: values.after, uploads: uploads.after };
  const isThrough = next.values === null && next.uploads === null;
  return { removed: values.removed + uploads.removed, next: isThrough ? null : next };
}

const NOTHING = { removed: 0, after: null };

async function tidyUploads(
  { store, files }: Parameters<typeof tidy>[0],
  { before, now, after, limit }: { before: number; now: number; after: string; limit: number },
): Promise<{ removed: number; after: string | null }> {
  const entries = await files.listShared(UPLOADS, { after, limit });
  const needed = new Map<string, boolean>();
  let removed = 0;
  for (const { path, modifiedAt } of entries) {
    const arrivalId = arrivalOfUpload(path);
    if (arrivalId === null || modifiedAt > before) continue;
    if (!needed.has(arrivalId)) needed.set(arrivalId, await isNeeded(store, arrivalId, now));
    if (needed.get(arrivalId)) continue;
    await files.removeShared(path);
    removed += 1;
  }
  return { removed, after: entries.length < limit ? null : (entries.at(-1)?.path ?? null) };
}

/** An arrival's files are needed until it has settled, and for a redrive as long as its dead letter is kept. */
async function isNeeded(
  store: Pick<SessionStore, "receipt" | "deadLetter">,
  arrivalId: string,
  now: number,
): Promise<boolean> {
  const receipt = await store.receipt(arrivalId, now);
  if (receipt?.status === "queued" || receipt?.status === "running") return true;
  for (const letterId of [unsettledLetterId(arrivalId), refusedLetterId(arrivalId)]) {
    if ((await store.deadLetter(letterId, now)) !== null) return true;
  }
  return false;
}
