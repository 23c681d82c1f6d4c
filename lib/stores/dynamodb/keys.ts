/**
 * Where things lie in the one table. Everything of a session shares its partition:
 *
 *     S#<session>   CH#<child>      names a child of the session, as long as that child's record is there (S-88)
 *                   EV#<rev>#<n>    a lifecycle event not yet published, in the order it was written
 *                   IN#<seq>        an arrival that has not settled
 *                   META            the record; every other item of the partition changes in a transaction with it
 *                   RC#<seq>        names the receipt of an arrival, so that deleting the session finds it (S-87)
 *                   T#<key>         one item of the session's thread
 *     R#<arrival>   META            the receipt
 *     D#<id>        META            a dead letter
 *
 * Two sparse indexes over sharded partitions: `due` by due time, `listing` by last update (and dead letters by age).
 */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";

export type Item = Record<string, AttributeValue>;
/** pk and sk of one item. */
export type Key = { pk: { S: string }; sk: { S: string } };

export const DUE_INDEX = { name: "due", partition: "dueShard", sort: "dueKey" } as const;
export const LISTING_INDEX = { name: "listing", partition: "listShard", sort: "listKey" } as const;

/** S-64: the partitions of an index; each takes 1,000 writes a second. More of them cost a query each per sweep. */
const SHARDS = 4;
export const DUE_SHARDS = Array.from({ length: SHARDS }, (_, shard) => `D#${shard}`);
export const LISTING_SHARDS = Array.from({ length: SHARDS }, (_, shard) => `L#${shard}`);
export const LETTER_SHARD = "X#0";

const META = "META";
export const recordSortKey = META;
const SEQ_DIGITS = 12;
const TIME_DIGITS = 16;

export const sessionPartition = (sessionId: string): string => `S#${sessionId}`;
const childNamePrefix = "CH#";
export const letterPrefix = "D#";
export const letterPartition = (id: string): string => letterPrefix + id;
export const recordKey = (sessionId: string): Key => keyOf(sessionPartition(sessionId), META);
export const receiptKey = (arrivalId: string): Key => keyOf(`R#${arrivalId}`, META);
export const letterKey = (id: string): Key => keyOf(letterPartition(id), META);

/** Ranges of sort keys: the first and the last that belong to it. */
export const RANGES = {
  children: ["CH#", "CH$"],
  /** The record and the inbox, which is all that a decision reads of a session. */
  head: ["IN#", META],
  /** The same with the unpublished events. */
  headAndEvents: ["EV#", META],
  events: ["EV#", "EV#~"],
  receipts: ["RC#", "RC#~"],
  thread: ["T#", "T$"],
} as const;

/** @param child - the whole id of the child */
export function childNameKey(sessionId: string, child: string): Key {
  return keyOf(sessionPartition(sessionId), childNamePrefix + child);
}

export function inboxKey(sessionId: string, seq: number): Key {
  return keyOf(sessionPartition(sessionId), `IN#${padded(seq, SEQ_DIGITS)}`);
}

export function receiptNameKey(sessionId: string, seq: number): Key {
  return keyOf(sessionPartition(sessionId), `RC#${padded(seq, SEQ_DIGITS)}`);
}

/** @param rev - the record's revision with which the event is written */
export function eventKey(sessionId: string, rev: number, position: number): Key {
  return keyOf(sessionPartition(sessionId), `EV#${padded(rev, TIME_DIGITS)}#${padded(position, 4)}`);
}

export function threadItemKey(sessionId: string, key: string): Key {
  return keyOf(sessionPartition(sessionId), `T#${key}`);
}

export function threadKeyFrom(item: Item): string {
  return String(item.sk?.S).slice("T#".length);
}

export function sessionIdFrom(item: Item): string {
  return String(item.pk?.S).slice("S#".length);
}

export function isRecord(item: Item): boolean {
  return item.sk?.S === META;
}

export function isInboxItem(item: Item): boolean {
  return item.sk?.S?.startsWith("IN#") === true;
}

export function childFrom(name: Item): string {
  return String(name.sk?.S).slice(childNamePrefix.length);
}

export function isChildName(item: Item): boolean {
  return item.sk?.S?.startsWith(childNamePrefix) === true;
}

/** The name of a receipt, in its session's partition. */
export function isReceiptName(item: Item): boolean {
  return item.sk?.S?.startsWith("RC#") === true;
}

export function isEvent(item: Item): boolean {
  return item.sk?.S?.startsWith("EV#") === true;
}

export function keyFrom(item: Item): Key {
  return keyOf(String(item.pk?.S), String(item.sk?.S));
}

/** The place of a session in an index: its shard, and time and id as one text that sorts by both. */
export function dueAddress(sessionId: string, dueAt: number): { dueShard: string; dueKey: string } {
  return { dueShard: DUE_SHARDS[shardOf(sessionId)] ?? "", dueKey: timeKey(dueAt, sessionId) };
}

export function listingAddress(sessionId: string, updatedAt: number): { listShard: string; listKey: string } {
  return { listShard: LISTING_SHARDS[shardOf(sessionId)] ?? "", listKey: timeKey(updatedAt, sessionId) };
}

export function letterAddress(id: string, at: number): { listShard: string; listKey: string } {
  return { listShard: LETTER_SHARD, listKey: timeKey(at, id) };
}

/** Times before 1970 sort as 0; nothing is due then. */
export function timeKey(at: number, id: string): string {
  return `${padded(Math.max(0, Math.floor(at)), TIME_DIGITS)}#${id}`;
}

export function timeFrom(key: string): number {
  return Number(key.slice(0, TIME_DIGITS));
}

function keyOf(pk: string, sk: string): Key {
  return { pk: { S: pk }, sk: { S: sk } };
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}

/** FNV-1a over the id's code units: equal in every process, even enough for a few shards. */
function shardOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % SHARDS;
}
