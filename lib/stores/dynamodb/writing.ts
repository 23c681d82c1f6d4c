/** Carrying out what a decision of the protocol wrote: one transaction under one condition on the record. */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { Arrival, Receipt } from "../../session/arrival.js";
import { recordAfter, type Writes } from "../../session/protocol/index.js";
import { scalar, sizeOf } from "./attributes.js";
import { type Context, receiptEntries, transactTolerant } from "./carrying.js";
import {
  allOf,
  type Condition,
  type Entry,
  hasNothingPending,
  isAbsent,
  isExpiredSince,
  isThere,
} from "./expressions.js";
import { eventItem, inboxItem, letterItem, letterLink, receiptItem, receiptNameItem, threadItem } from "./items.js";
import { type Item, inboxKey, type Key, recordKey, threadItemKey, threadKeyFrom } from "./keys.js";
import { type Apart, carryOutPending, storePending } from "./pending.js";
import { inboxText, recordChanges, type View } from "./record-item.js";
import { MAX_TRANSACTION_ITEMS, type Refusal } from "./table.js";
import type { Texts } from "./texts.js";

export interface WriteRequest {
  sessionId: string;
  view: View;
  writes: Writes;
  /** What must be true of the record; one that is not there yet must still not be. */
  condition: Condition;
  /** The receipt that was read under the arrival's id, where one is put. */
  receipt?: Receipt | null;
  /** The inbox's short form afterwards, where the inbox itself was not read. */
  inbox?: string;
  /** What must be true of another item. */
  check?: Entry;
  /** Events that are out. */
  eventRemoves?: readonly Key[];
}

/** The service's limit is 4 MB, counted with what an updated item holds already. */
const MAX_TRANSACTION_BYTES = 3_500_000;
/** More removals than this travel with a large commit's content. */
const FEW = 20;

/**
 * Writes everything at once; what does not fit one transaction is stored first, named by the record's switch, and then
 * carried out (S-78).
 *
 * @returns the session as it is now, or the refusal, whose entry 0 is the record
 */
export async function write(context: Context, request: WriteRequest): Promise<View | Refusal> {
  const { sessionId, view, writes } = request;
  const content = await contentEntries(context.texts, sessionId, writes);
  const rest = await otherEntries(context.texts, request);
  const size = [...content, ...rest].reduce((sum, entry) => sum + entrySize(entry), 0);
  const isLarge = content.length + rest.length >= MAX_TRANSACTION_ITEMS || size > MAX_TRANSACTION_BYTES;

  if (!isLarge) {
    const record = await recordEntry(context.texts, request);
    const refusal = await transactTolerant(context.table, [record, ...content, ...rest]);
    return refusal ?? viewAfter(view, writes);
  }
  const isCrowded = (writes.inboxRemoves?.length ?? 0) + (writes.receiptChanges?.length ?? 0) > FEW;
  const left: Writes = {
    ...writes,
    puts: [],
    removes: [],
    ...(isCrowded ? { inboxRemoves: [], receiptChanges: [] } : {}),
  };
  const apart: Apart = {
    puts: content.flatMap((entry) => ("put" in entry ? [contentOf(entry.put)] : [])),
    removes: content.flatMap((entry) => ("remove" in entry ? [threadKeyFrom(entry.remove)] : [])),
    inboxRemoves: isCrowded ? [...(writes.inboxRemoves ?? [])] : [],
    receiptChanges: isCrowded ? [...(writes.receiptChanges ?? [])] : [],
  };
  const pending = await storePending(context.texts, sessionId, apart);
  const record = await recordEntry(context.texts, request, pending);
  const others = await otherEntries(context.texts, { ...request, writes: left });
  const refusal = await transactTolerant(context.table, [record, ...others]);
  if (refusal) return refusal;
  await carryOutPending(context, sessionId, pending);
  // Its end is a change of the record too.
  return { ...viewAfter(view, writes), rev: view.rev + 2 };
}

/** What a session is once the writes are done. */
function viewAfter(view: View, writes: Writes): View {
  return { record: recordAfter(view.record, writes), rev: view.rev + 1, inbox: inboxAfter(view.inbox, writes) };
}

function inboxAfter(inbox: readonly Arrival[], { inboxPuts = [], inboxRemoves = [] }: Writes): Arrival[] {
  const changed = new Set([...inboxRemoves, ...inboxPuts.map(({ seq }) => seq)]);
  const kept = inbox.filter(({ seq }) => !changed.has(seq));
  return [...kept, ...inboxPuts].sort((a, b) => a.seq - b.seq);
}

async function recordEntry(texts: Texts, request: WriteRequest, pending?: AttributeValue): Promise<Entry> {
  const { sessionId, view, writes } = request;
  const changes = await recordChanges(texts, view.record, sessionId, writes.record ?? {});
  if (pending) changes.pending = pending;
  if (writes.inboxPuts || writes.inboxRemoves) {
    changes.inbox = scalar(request.inbox ?? inboxText(inboxAfter(view.inbox, writes)));
  }
  const key = recordKey(sessionId);
  if (view.record === null) {
    const set = Object.entries(changes).filter((change): change is [string, AttributeValue] => change[1] !== null);
    return { put: { ...key, ...Object.fromEntries(set), rev: scalar(view.rev + 1) }, condition: isAbsent };
  }
  const condition = allOf(request.condition, hasNothingPending);
  return { update: { key, set: changes, raisesRevision: true }, condition };
}

/** Thread items. One key is written once, and what is put is not removed. */
async function contentEntries(texts: Texts, sessionId: string, writes: Writes): Promise<Entry[]> {
  const puts = new Map((writes.puts ?? []).map((item) => [item.key, item]));
  const items = await Promise.all([...puts.values()].map((item) => threadItem(texts, sessionId, item)));
  const removes = new Set((writes.removes ?? []).filter((key) => !puts.has(key)));
  return [...items.map((put) => ({ put })), ...[...removes].map((key) => ({ remove: threadItemKey(sessionId, key) }))];
}

async function otherEntries(texts: Texts, request: WriteRequest): Promise<Entry[]> {
  const { sessionId, view, writes, receipt = null, eventRemoves = [] } = request;
  const entries: Entry[] = [];
  for (const arrival of writes.inboxPuts ?? []) entries.push({ put: await inboxItem(texts, arrival) });
  for (const seq of writes.inboxRemoves ?? []) entries.push({ remove: inboxKey(sessionId, seq) });
  if (writes.receiptPut) {
    const condition = receipt === null ? isAbsent : isExpiredSince(receipt.expiresAt);
    entries.push({ put: receiptItem(writes.receiptPut), condition }, { put: receiptNameItem(writes.receiptPut) });
  }
  entries.push(...(await receiptEntries(texts, sessionId, writes.receiptChanges ?? [])));
  for (const [position, event] of (writes.events ?? []).entries()) {
    entries.push({ put: await eventItem(texts, event, view.rev + 1, position) });
  }
  if (request.check) entries.push(request.check);
  for (const key of eventRemoves) entries.push({ remove: key, condition: isThere });
  if (writes.deadLetter) entries.push({ put: await letterItem(texts, writes.deadLetter) });
  if (writes.redriven) entries.push({ update: letterLink(writes.redriven), condition: isThere });
  return entries;
}

function contentOf(item: Item): Apart["puts"][number] {
  return { key: threadKeyFrom(item), value: item.value ?? { S: "" } };
}

function entrySize(entry: Entry): number {
  if ("put" in entry) return sizeOf(entry.put);
  if (!("update" in entry)) return 0;
  return Object.values(entry.update.set).reduce((sum, value) => sum + (value ? sizeOf({ value }) : 0), 0);
}
