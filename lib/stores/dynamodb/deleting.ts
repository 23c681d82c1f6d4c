/** Removing a session that is marked as being deleted: its receipts stripped, its items and large values gone, its record last. */
import { strippedReceipt } from "../../session/protocol/index.js";
import { jsonText } from "./attributes.js";
import type { Context } from "./carrying.js";
import { type Changes, type Entry, isInDeletion, isThere } from "./expressions.js";
import { receiptFrom } from "./items.js";
import { type Item, isRecord, keyFrom, RANGES, receiptKey, recordKey, sessionPartition } from "./keys.js";
import { collect, loadView } from "./reading.js";

/** Stays clear of the service's 100 items. */
const PIECE_ITEMS = 90;

/**
 * S-84, S-87. Every removal stands under the condition that this very deletion still goes on, so one that was stopped
 * for long cannot touch a new session of the same id, and one that was taken over leaves it to the other. Events that are
 * published meanwhile stop nothing. Stopped anywhere, a repetition goes on.
 */
export async function removeSession(context: Context, sessionId: string): Promise<void> {
  const { record } = await loadView(context, sessionId);
  if (!record?.deleting) return;
  const condition = isInDeletion(record);
  const partition = sessionPartition(sessionId);

  const names = await collect(context.table.query({ partition, range: RANGES.receipts }));
  await stripReceipts(context, sessionId, names);

  let piece: Entry[] = [];
  const removed = async () => {
    const check: Entry = { check: recordKey(sessionId), condition };
    const refusal = piece.length > 0 ? await context.table.transact([check, ...piece]) : null;
    piece = [];
    return refusal === null;
  };
  for await (const item of context.table.query({ partition })) {
    if (isRecord(item)) continue;
    piece.push({ remove: keyFrom(item) });
    if (piece.length === PIECE_ITEMS && !(await removed())) return;
  }
  if (!(await removed())) return;
  await context.large?.removeAll(partition);
  await context.table.transact([{ remove: recordKey(sessionId), condition }]);
}

async function stripReceipts(context: Context, sessionId: string, names: readonly Item[]): Promise<void> {
  const { table, texts } = context;
  const items = await table.get(names.map((name) => receiptKey(String(name.arrivalId?.S))));
  // An expired receipt's place may have been taken by another session's.
  const own = items.filter((item) => item.sessionId?.S === sessionId);
  for (const item of own) {
    const set: Changes = { error: null, outcome: null };
    if (item.outcome !== undefined) {
      const { outcome } = strippedReceipt(await receiptFrom(texts, item));
      set.outcome = outcome === undefined ? null : { S: jsonText(outcome, "outcome") };
    }
    await table.update({ key: keyFrom(item) as ReturnType<typeof receiptKey>, set }, isThere);
  }
}
