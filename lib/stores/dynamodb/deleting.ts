/** Removing a session that is marked as being deleted: its receipts stripped, its items and large values gone, its record last. */
import type { DeletionRequest } from "../../session/ports.js";
import { decideBeginDelete, deletionGuard, strippedReceipt } from "../../session/protocol/index.js";
import { parentSessionIdOf } from "../../spec/index.js";
import { jsonText } from "./attributes.js";
import { type Context, forOperation } from "./carrying.js";
import { decided } from "./deciding.js";
import { type Changes, type Entry, hasRevision, isAbsent, isInDeletion, isThere } from "./expressions.js";
import { receiptFrom } from "./items.js";
import {
  childNameKey,
  type Item,
  isChildName,
  isRecord,
  keyFrom,
  RANGES,
  receiptKey,
  recordKey,
  sessionPartition,
} from "./keys.js";
import { persistently } from "./persistently.js";
import { collect, loadView } from "./reading.js";
import { write } from "./writing.js";

/** S-84, S-88: a child is marked on the condition that the record which allows it has not changed either. */
export async function beginDelete(
  given: Context,
  sessionId: string,
  now: number,
  how: DeletionRequest = {},
): Promise<boolean> {
  const judge = deletionGuard(sessionId, how);
  if (judge === null) {
    return decided(given, sessionId, ({ record, inbox }) => decideBeginDelete(record, inbox, now, { how }));
  }
  const context = forOperation(given);
  const { result } = await persistently("delete", context.sleep, async () => {
    const [view, guard] = await Promise.all([loadView(context, sessionId), loadView(context, judge)]);
    const decision = decideBeginDelete(view.record, view.inbox, now, { how, guard: guard.record });
    if (!decision.writes.record) return decision;
    const condition = guard.record === null ? isAbsent : hasRevision(guard.rev);
    const check: Entry = { check: recordKey(judge), condition };
    const request = { sessionId, view, writes: decision.writes, condition: hasRevision(view.rev), check };
    return (await write(context, request)) instanceof Map ? null : decision;
  });
  return result;
}

/** Stays clear of the service's 100 items. */
const PIECE_ITEMS = 90;

/**
 * S-84, S-87. Every removal stands under the condition that this very deletion still goes on, so one that was stopped
 * for long cannot touch a new session of the same id, and one that was taken over leaves it to the other. Events that are
 * published meanwhile stop nothing. Stopped anywhere, a repetition goes on. The names of its children stay with them; its
 * own, in its parent's partition, goes with the record.
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
    if (isRecord(item) || isChildName(item)) continue;
    piece.push({ remove: keyFrom(item) });
    if (piece.length === PIECE_ITEMS && !(await removed())) return;
  }
  if (!(await removed())) return;
  await context.large?.removeAll(partition);
  const parent = parentSessionIdOf(sessionId);
  const name: Entry[] = parent === null ? [] : [{ remove: childNameKey(parent, sessionId) }];
  await context.table.transact([{ remove: recordKey(sessionId), condition }, ...name]);
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
