/** An owner's writes that need no read: a step, and a renewal. They stand under its fence alone (S-23). */
import { LeaseLostError } from "../../session/errors.js";
import type { Commit, Lease } from "../../session/ports.js";
import { decideCommit, decideRenew, isChild } from "../../session/protocol/index.js";
import type { SessionRecord } from "../../session/record.js";
import { numberFrom } from "./attributes.js";
import { type Context, forOperation } from "./carrying.js";
import { allOf, hasNothingPending, isHeldUnder, isNotCancelled, ownerAttribute } from "./expressions.js";
import { type Item, recordKey } from "./keys.js";
import { carryOutPending } from "./pending.js";
import { persistently } from "./persistently.js";
import { recordChanges, type View } from "./record-item.js";
import { type Held, takeWith } from "./taking.js";
import { write } from "./writing.js";

type Time = { now: number; leaseMs: number };

/** One step in one request; in two when a cancellation is seen for the first time (S-20). */
export async function commitStep(
  given: Context,
  { views, untaken }: Held,
  lease: Lease,
  commit: Commit,
  time: Time,
): Promise<{ cancelled: boolean }> {
  if (untaken.get(lease)) {
    const { result, after } = await takeWith(given, untaken, lease, ({ record }) =>
      decideCommit(record, lease, commit, time),
    );
    views.keep(lease, after);
    return result;
  }
  const context = forOperation(given);
  const { sessionId } = lease;
  const { view: known, ticket } = views.take(lease);
  const view = known ?? assumedView(lease);
  const { writes } = decideCommit(view.record, lease, commit, time);
  let cancelled = known?.record?.cancelRequested ?? false;
  const written = await persistently("commit", context.sleep, async () => {
    const condition = cancelled ? isHeldUnder(lease) : allOf(isHeldUnder(lease), isNotCancelled);
    const result = await write(context, { sessionId, view, writes, condition });
    if (!(result instanceof Map)) return result;
    const refusing = result.get(0);
    if (!cancelled && isMine(lease, refusing) && isCancelled(refusing)) cancelled = true;
    else await clearOrLose(context, lease, refusing);
    return null;
  });
  if (known) views.keep(lease, written, ticket);
  return { cancelled };
}

export async function renewLease(
  context: Context,
  { views, untaken }: Held,
  lease: Lease,
  time: Time,
): Promise<{ cancelled: boolean }> {
  // Nothing is there to be renewed; a cancellation is seen by the write that takes the lease.
  if (untaken.get(lease)) return { cancelled: false };
  if (isChild(lease.sessionId)) return { cancelled: await isTurnCancelled(context, { views, untaken }, lease) };
  const { sessionId } = lease;
  const { view: known, ticket } = views.take(lease);
  const before = (known ?? assumedView(lease)).record;
  const { writes } = decideRenew(before, lease, time);
  const changes = await recordChanges(context.texts, before, sessionId, writes.record ?? {});
  const condition = allOf(isHeldUnder(lease), hasNothingPending);
  const item = await persistently("renew", context.sleep, async () => {
    const update = { key: recordKey(sessionId), set: changes, raisesRevision: true };
    const answer = await context.table.update(update, condition);
    if ("changed" in answer) return answer.changed;
    await clearOrLose(context, lease, answer.refused);
    return null;
  });
  const cancelled = isCancelled(item);
  if (known?.record && numberFrom(item.rev) === known.rev + 1) {
    views.keep(lease, { ...known, record: { ...known.record, ...writes.record }, rev: known.rev + 1 }, ticket);
  }
  return { cancelled };
}

/** One read of the record, which moves nothing. */
export async function isTurnCancelled(context: Context, { untaken }: Held, lease: Lease): Promise<boolean> {
  if (untaken.get(lease)) return false;
  const [item] = await context.table.get([recordKey(lease.sessionId)]);
  if (!isMine(lease, item)) throw new LeaseLostError(lease.sessionId, lease.fence);
  return isCancelled(item);
}

/** The fence refused, or only a large commit that is not carried out to its end yet. */
async function clearOrLose(context: Context, lease: Lease, item: Item | undefined): Promise<void> {
  if (!isMine(lease, item) || item?.pending === undefined) throw new LeaseLostError(lease.sessionId, lease.fence);
  await carryOutPending(context, lease.sessionId, item.pending);
}

function isMine(lease: Lease, item: Item | undefined): boolean {
  return item?.[ownerAttribute(lease)]?.S === lease.owner && numberFrom(item.fence) === lease.fence;
}

function isCancelled(item: Item | undefined): boolean {
  return item?.cancelRequested?.BOOL === true;
}

/** What the fence alone says of a record: it is held under the lease, and, but for a child, some arrival is under way. */
function assumedView({ sessionId, owner, fence }: Lease): View {
  if (isChild(sessionId)) {
    const record = { sessionId, fence, claimedBy: owner, lease: null, active: null, updatedAt: 0 };
    return { record: record as unknown as SessionRecord, rev: 0, inbox: [] };
  }
  const active = { arrival: { id: "", seq: 0 }, attempts: 1 };
  const record = { sessionId, fence, lease: { owner, expiresAt: 0 }, active } as unknown as SessionRecord;
  return { record, rev: 0, inbox: [] };
}
