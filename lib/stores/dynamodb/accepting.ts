/** Accepting an arrival: one read of the record and the receipt, one transaction (S-1). */
import type { AcceptRequest, AcceptResult } from "../../session/ports.js";
import { decideAccept } from "../../session/protocol/index.js";
import { numberFrom } from "./attributes.js";
import { type Context, forOperation } from "./carrying.js";
import { hasRevision } from "./expressions.js";
import { receiptFrom } from "./items.js";
import { type Item, receiptKey, recordKey, sessionPartition } from "./keys.js";
import { carryOutPending } from "./pending.js";
import { persistently } from "./persistently.js";
import { inboxCountFrom, inboxTextWith, recordFrom, type View } from "./record-item.js";
import { SHARED_INLINE_BYTES } from "./texts.js";
import { write } from "./writing.js";

/** The two items that the decision is made on. */
interface Found {
  record: Item | undefined;
  receipt: Item | undefined;
}

/** Sessions that this process has made, as they were then: whoever claims one next here need not read it first. */
export interface FreshSessions {
  /** One with a long input is not kept: an entrance never claims what it accepts. */
  keep(sessionId: string, view: View): void;
  /** Given out once. It may be out of date: what is decided on it counts only if it is written on its revision. */
  take(sessionId: string): View | undefined;
}

const MAX_FRESH = 100;

export function createFreshSessions(): FreshSessions {
  const kept = new Map<string, string>();
  return {
    keep(sessionId, view) {
      const text = JSON.stringify(view);
      if (text.length > SHARED_INLINE_BYTES) return;
      kept.set(sessionId, text);
      const [oldest] = kept.keys();
      if (kept.size > MAX_FRESH && oldest !== undefined) kept.delete(oldest);
    },
    take(sessionId) {
      const text = kept.get(sessionId);
      kept.delete(sessionId);
      return text === undefined ? undefined : (JSON.parse(text) as View);
    },
  };
}

/** What was refused answers with the items as they are, so the next try needs no second read. */
export async function acceptArrival(
  given: Context,
  fresh: FreshSessions,
  request: AcceptRequest,
): Promise<AcceptResult> {
  const context = forOperation(given);
  const { sessionId, id } = request.arrival;
  // Where the items are there after all, the refusal brings them.
  let known: Found | undefined = request.isLikelyNew && { record: undefined, receipt: undefined };
  return persistently("accept", context.sleep, async () => {
    const found = known ?? (await read(context, sessionId, id));
    known = undefined;
    if (found.record?.pending) {
      await carryOutPending(context, sessionId, found.record.pending);
      return null;
    }
    const view = await viewOf(context, found.record, request.arrival.acceptedAt);
    const receipt = found.receipt ? await receiptFrom(context.texts, found.receipt) : null;
    const inboxCount = found.record ? inboxCountFrom(found.record) : 0;
    const { result, writes } = decideAccept(view.record, receipt, inboxCount, request);
    if (result.kind === "repeated") return result;

    const written = await write(context, {
      sessionId,
      view,
      writes,
      condition: hasRevision(view.rev),
      receipt,
      inbox: inboxTextWith(found.record, result.receipt.seq),
    });
    if (!(written instanceof Map)) {
      if (view.record === null) fresh.keep(sessionId, written);
      return result;
    }
    const items = [...written.values()].filter((item) => item !== undefined);
    if (items.length > 0) known = Object.assign({}, found, ...items.map(asFound)) as Found;
    return null;
  });
}

async function read({ table }: Context, sessionId: string, arrivalId: string): Promise<Found> {
  const items = await table.get([recordKey(sessionId), receiptKey(arrivalId)]);
  return Object.assign({ record: undefined, receipt: undefined }, ...items.map(asFound));
}

function asFound(item: Item): Partial<Found> {
  return item.pk?.S?.startsWith(sessionPartition("")) ? { record: item } : { receipt: item };
}

/**
 * Acceptance looks at no arrival's content. Revisions of a new session begin at its time, so that an id used again after
 * a deletion never comes to a revision that somebody remembers.
 */
async function viewOf({ texts }: Context, item: Item | undefined, now: number): Promise<View> {
  if (item === undefined) return { record: null, rev: Math.max(0, Math.floor(now)), inbox: [] };
  const record = await recordFrom(texts, item, () => undefined);
  return { record, rev: numberFrom(item.rev), inbox: [] };
}
