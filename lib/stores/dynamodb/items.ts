/** Arrivals, receipts, thread items, events and dead letters as items, and back. */
import type { Arrival, DeadLetter, Receipt } from "../../session/arrival.js";
import type { LifecycleEvent } from "../../session/lifecycle.js";
import type { ThreadItem } from "../../session/ports.js";
import type { ReceiptChange } from "../../session/protocol/index.js";
import { jsonText, numberFrom, scalar } from "./attributes.js";
import type { Changes, Update } from "./expressions.js";
import {
  eventKey,
  type Item,
  inboxKey,
  letterAddress,
  letterKey,
  letterPartition,
  receiptKey,
  receiptNameKey,
  sessionIdFrom,
  sessionPartition,
  threadItemKey,
  threadKeyFrom,
} from "./keys.js";
import { SHARED_INLINE_BYTES, type Texts } from "./texts.js";

/** Two texts share a receipt's item; each stays under half of what an item may hold. */
const RECEIPT_INLINE_BYTES = 3 * SHARED_INLINE_BYTES;
const isFinal = (status: Receipt["status"]) => status !== "queued" && status !== "running";

export async function inboxItem(texts: Texts, arrival: Arrival): Promise<Item> {
  const { sessionId, seq } = arrival;
  const text = await texts.put(sessionPartition(sessionId), jsonText(arrival, "arrival"));
  return { ...inboxKey(sessionId, seq), arrival: text };
}

export async function arrivalFrom(texts: Texts, item: Item): Promise<Arrival> {
  return JSON.parse(await textFrom(texts, item, "arrival")) as Arrival;
}

export async function threadItem(texts: Texts, sessionId: string, { key, value }: ThreadItem): Promise<Item> {
  return { ...threadItemKey(sessionId, key), value: await texts.put(sessionPartition(sessionId), value) };
}

export async function threadItemFrom(texts: Texts, item: Item): Promise<ThreadItem> {
  return { key: threadKeyFrom(item), value: await textFrom(texts, item, "value") };
}

export async function eventItem(texts: Texts, event: LifecycleEvent, rev: number, position: number): Promise<Item> {
  const text = await texts.put(sessionPartition(event.sessionId), jsonText(event, "event"));
  return { ...eventKey(event.sessionId, rev, position), eventId: scalar(event.id), event: text };
}

export async function eventFrom(texts: Texts, item: Item): Promise<LifecycleEvent> {
  return JSON.parse(await textFrom(texts, item, "event")) as LifecycleEvent;
}

/** A large letter is kept apart from its session, which it may outlive. */
export async function letterItem(texts: Texts, letter: DeadLetter): Promise<Item> {
  const { listShard, listKey } = letterAddress(letter.id, letter.at);
  return {
    ...letterKey(letter.id),
    letter: await texts.put(letterPartition(letter.id), jsonText(letter, "deadLetter")),
    sessionId: scalar(letter.arrival.sessionId),
    expiresAt: scalar(letter.expiresAt),
    ttl: ttlOf(letter.expiresAt),
    listShard: scalar(listShard),
    listKey: scalar(listKey),
  };
}

export async function letterFrom(texts: Texts, item: Item): Promise<DeadLetter> {
  const of = { sessionId: String(item.sessionId?.S), key: String(item.pk?.S) };
  const letter = JSON.parse(await texts.get(String(item.pk?.S), item.letter ?? { M: {} }, of)) as DeadLetter;
  return item.redrivenAs?.S === undefined ? letter : { ...letter, redrivenAs: item.redrivenAs.S };
}

/** S-96: the link stands beside the letter's text. */
export function letterLink({ letterId, arrivalId }: { letterId: string; arrivalId: string }): Update {
  return { key: letterKey(letterId), set: { redrivenAs: scalar(arrivalId) } };
}

/** A receipt that is made: its arrival is queued, so it does not expire yet, and has no outcome. */
export function receiptItem(receipt: Receipt): Item {
  const { arrivalId, sessionId, workflow, kind, seq, fingerprint, status, acceptedAt, expiresAt } = receipt;
  return {
    ...receiptKey(arrivalId),
    arrivalId: scalar(arrivalId),
    sessionId: scalar(sessionId),
    ...(workflow === undefined ? {} : { workflow: scalar(workflow) }),
    ...(kind === undefined ? {} : { kind: scalar(kind) }),
    seq: scalar(seq),
    fingerprint: scalar(fingerprint),
    status: scalar(status),
    acceptedAt: scalar(acceptedAt),
    expiresAt: scalar(expiresAt),
    settledTtl: ttlOf(expiresAt),
  };
}

/** By it the deletion of the session finds the receipt; it goes when a receipt of that age can no longer be there. */
export function receiptNameItem(receipt: Receipt): Item {
  const { arrivalId, sessionId, seq, expiresAt } = receipt;
  return { ...receiptNameKey(sessionId, seq), arrivalId: scalar(arrivalId), ttl: ttlOf(expiresAt) };
}

/** F-55: with its arrival's end a receipt begins to expire. */
export async function receiptUpdate(texts: Texts, sessionId: string, change: ReceiptChange): Promise<Update> {
  const { status, outcome, error } = change.set;
  const area = sessionPartition(sessionId);
  const set: Changes = {};
  if (status !== undefined) set.status = scalar(status);
  if (outcome !== undefined) set.outcome = await texts.put(area, jsonText(outcome, "outcome"), RECEIPT_INLINE_BYTES);
  if (error !== undefined) set.error = await texts.put(area, jsonText(error, "error"), RECEIPT_INLINE_BYTES);
  const expires = status !== undefined && isFinal(status);
  return { key: receiptKey(change.arrivalId), set, ...(expires ? { copies: { ttl: "settledTtl" } } : {}) };
}

export async function receiptFrom(texts: Texts, item: Item): Promise<Receipt> {
  const sessionId = String(item.sessionId?.S);
  const receipt: Receipt = {
    arrivalId: String(item.arrivalId?.S),
    sessionId,
    ...(item.workflow?.S === undefined ? {} : { workflow: item.workflow.S }),
    ...(item.kind?.S === undefined ? {} : { kind: item.kind.S as Receipt["kind"] }),
    seq: numberFrom(item.seq),
    fingerprint: String(item.fingerprint?.S),
    status: item.status?.S as Receipt["status"],
    acceptedAt: numberFrom(item.acceptedAt),
    expiresAt: numberFrom(item.expiresAt),
  };
  for (const name of ["outcome", "error"] as const) {
    const attribute = item[name];
    if (attribute === undefined) continue;
    const of = { sessionId, key: `${name} of ${receipt.arrivalId}` };
    receipt[name] = JSON.parse(await texts.get(sessionPartition(sessionId), attribute, of));
  }
  return receipt;
}

function textFrom(texts: Texts, item: Item, name: string): Promise<string> {
  const sessionId = sessionIdFrom(item);
  return texts.get(sessionPartition(sessionId), item[name] ?? { M: {} }, { sessionId, key: String(item.sk?.S) });
}

/** Epoch seconds, as the service wants them. */
function ttlOf(expiresAt: number) {
  return scalar(Math.ceil(expiresAt / 1000));
}
