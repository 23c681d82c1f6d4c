/** Claiming a child session: one transaction under its caller's lease (S-28). */

import { LeaseLostError } from "../../session/errors.js";
import type { ChildRequest, Children, ClaimedChild, Lease } from "../../session/ports.js";
import { decideClaimChild, goesWithChildren, recordAfter, type Writes } from "../../session/protocol/index.js";
import type { SessionRecord } from "../../session/record.js";
import { numberFrom, scalar } from "./attributes.js";
import { type Context, forOperation } from "./carrying.js";
import { allOf, type Entry, hasNothingPending, hasRevision, isAbsent, isHeldUnder } from "./expressions.js";
import { childFrom, childNameKey, RANGES, recordKey, sessionPartition } from "./keys.js";
import { persistently } from "./persistently.js";
import { collect, loadThread, loadView } from "./reading.js";
import { recordChanges, recordFrom, type View } from "./record-item.js";
import { type Held, takeWith } from "./taking.js";

/** The first try makes the child; one that is there already comes with the refusal. */
export async function claimChild(
  given: Context,
  held: Held,
  caller: Lease,
  child: ChildRequest,
): Promise<ClaimedChild> {
  if (held.untaken.get(caller)) {
    const { after } = await takeWith(given, held.untaken, caller, () => ({ result: undefined, writes: {} }));
    held.views.keep(caller, after);
  }
  const context = forOperation(given);
  const { sessionId } = child;
  const callerRecord = held.views.peek(caller)?.record ?? (await readRecord(context, caller.sessionId));
  let known: View = { record: null, rev: 0, inbox: [] };
  return persistently("claim", context.sleep, async () => {
    const { result, writes } = decideClaimChild(callerRecord, known.record, caller, child);
    // Begun after the record was read, and right only if the record is unchanged when the child is taken.
    const [after, thread] = await Promise.all([
      written(context, caller, known, writes, result.lease),
      known.record === null ? [] : loadThread(context, sessionId, { emptyWhereCorrupt: true }),
    ]);
    if ("found" in after) {
      known = after.found;
      return null;
    }
    held.views.keep(result.lease, after.view);
    return structuredClone({ ...result, thread });
  });
}

/** The child as it is now, or as it was found to be. */
async function written(
  context: Context,
  caller: Lease,
  view: View,
  writes: Writes,
  { sessionId }: Lease,
): Promise<{ view: View } | { found: View }> {
  if (!writes.record) return { view };
  const key = recordKey(sessionId);
  const changes = await recordChanges(context.texts, view.record, sessionId, writes.record);
  const set = Object.fromEntries(Object.entries(changes).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  const entries: Entry[] =
    view.record === null
      ? [
          { put: { ...key, ...set, rev: scalar(view.rev + 1) }, condition: isAbsent },
          { check: recordKey(caller.sessionId), condition: isHeldUnder(caller) },
          { put: childNameKey(caller.sessionId, sessionId) },
        ]
      : [
          {
            update: { key, set: changes, raisesRevision: true },
            condition: allOf(hasRevision(view.rev), hasNothingPending),
          },
          { check: recordKey(caller.sessionId), condition: isHeldUnder(caller) },
        ];
  const refusal = await context.table.transact(entries);
  if (refusal === null) {
    return { view: { record: recordAfter(view.record, writes), rev: view.rev + 1, inbox: view.inbox } };
  }
  if (refusal.has(1)) throw new LeaseLostError(caller.sessionId, caller.fence);
  const item = refusal.get(0);
  if (item === undefined || item.pending !== undefined) return { found: await loadView(context, sessionId) };
  const record = await recordFrom(context.texts, item, () => undefined);
  return { found: { record, rev: numberFrom(item.rev), inbox: [] } };
}

/** S-88: the names stand in the session's partition, made and removed with the records of the children. */
export async function findChildren(context: Context, sessionId: string): Promise<Children> {
  const names = context.table.query({ partition: sessionPartition(sessionId), range: RANGES.children });
  const [record, items] = await Promise.all([readRecord(context, sessionId), collect(names)]);
  return { sessionIds: items.map(childFrom), goAlong: goesWithChildren(record) };
}

/** A record without the content of what is under way. */
async function readRecord(context: Context, sessionId: string): Promise<SessionRecord | null> {
  const [item] = await context.table.get([recordKey(sessionId)]);
  return item ? recordFrom(context.texts, item, () => undefined) : null;
}
