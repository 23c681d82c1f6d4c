/** Consistent reads of a session (F-56). No page and no item order is trusted: what was read is checked to belong together. */
import { CheckpointCorruptError } from "../../session/errors.js";
import type { ThreadItem } from "../../session/ports.js";
import { isExpired } from "../../session/protocol/index.js";
import { compareText } from "../selection.js";
import { numberFrom } from "./attributes.js";
import type { Context } from "./carrying.js";
import { arrivalFrom, threadItemFrom } from "./items.js";
import { type Item, isEvent, isInboxItem, isRecord, RANGES, recordKey, sessionPartition } from "./keys.js";
import { carryOutPending } from "./pending.js";
import { persistently } from "./persistently.js";
import { inboxText, recordFrom, type View } from "./record-item.js";

/** The record and the inbox of one revision. A large commit that waits to be carried out is, first. */
export async function loadView(context: Context, sessionId: string): Promise<View> {
  return (await loadHead(context, sessionId, RANGES.head)).view;
}

/** The same, with the items of the unpublished events; those may be older than the record. */
export function loadWithEvents(context: Context, sessionId: string): Promise<{ view: View; events: Item[] }> {
  return loadHead(context, sessionId, RANGES.headAndEvents);
}

/** A session that is moved on between one read and the next is read again until both belong together. */
export async function loadAll(
  context: Context,
  sessionId: string,
  now?: number,
): Promise<{ view: View; thread: ThreadItem[] } | null> {
  return persistently("read", context.sleep, async () => {
    const view = await loadView(context, sessionId);
    if (view.record === null || (now !== undefined && isExpired(view.record, now))) return { found: null };
    // A value that has just been replaced may be gone already; only what still belongs together is told as corrupt.
    const thread = await loadThread(context, sessionId).catch((error: unknown) => ({ error }));
    const [item] = await context.table.get([recordKey(sessionId)]);
    if (numberFrom(item?.rev) !== view.rev) return null;
    if ("error" in thread) throw thread.error;
    return { found: { view, thread } };
  }).then(({ found }) => found);
}

/**
 * The session's thread, in the order of its keys. Exact for an owner: nobody else changes it.
 *
 * @param options.emptyWhereCorrupt - an item whose large value is missing gets an empty value instead of ending the read:
 * whoever takes the session up refuses it by key and has the work that is to be given up (S-75, S-91)
 */
export async function loadThread(
  { table, texts }: Context,
  sessionId: string,
  options: { emptyWhereCorrupt?: true } = {},
): Promise<ThreadItem[]> {
  const items = await collect(table.query({ partition: sessionPartition(sessionId), range: RANGES.thread }));
  const thread = await Promise.all(
    items.map(async (item) => {
      try {
        return await threadItemFrom(texts, item);
      } catch (error) {
        if (!options.emptyWhereCorrupt || !(error instanceof CheckpointCorruptError)) throw error;
        return { key: error.key.slice("T#".length), value: "" };
      }
    }),
  );
  return thread.sort((a, b) => compareText(a.key, b.key));
}

export async function collect(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function loadHead(
  context: Context,
  sessionId: string,
  range: readonly [string, string],
): Promise<{ view: View; events: Item[] }> {
  const { table, texts, sleep } = context;
  return persistently("read", sleep, async () => {
    const items = await collect(table.query({ partition: sessionPartition(sessionId), range }));
    const events = items.filter(isEvent);
    const item = items.find(isRecord);
    if (item === undefined) return { view: { record: null, rev: 0, inbox: [] }, events: [] };
    if (item.pending !== undefined) {
      await carryOutPending(context, sessionId, item.pending);
      return null;
    }
    const inbox = await Promise.all(items.filter(isInboxItem).map((waiting) => arrivalFrom(texts, waiting)));
    // The inbox may have been read a moment before the record; what the record says of it shows that.
    if (inboxText(inbox) !== (item.inbox?.S ?? "[]")) return null;
    const record = await recordFrom(texts, item, (seq) => inbox.find((arrival) => arrival.seq === seq));
    return { view: { record, rev: numberFrom(item.rev), inbox }, events };
  });
}
