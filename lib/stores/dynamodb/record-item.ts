/**
 * The record as an item: each field an attribute of its own, so that an owner's commit sets what it knows and needs to
 * read nothing. Null fields are absent. Beside the fields of the record stand:
 *
 *     rev        goes up with every change; a decision made on one revision is written only on that revision
 *     inbox      which arrivals wait, as JSON; an inbox read beside the record is checked against it
 *     pending    a large commit that is decided and not yet carried out to its end (see pending.ts)
 *     due…, list…   the places in the indexes
 *
 * The arrival under way is named by its number: its content stays in the inbox item, for every commit pays for the
 * record's size. A wake-up has no inbox item and is kept here.
 */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { Arrival } from "../../session/arrival.js";
import type { SessionRecord } from "../../session/record.js";
import { jsonText, numberFrom, type Scalar, scalar, scalarFrom } from "./attributes.js";
import type { Changes } from "./expressions.js";
import { dueAddress, type Item, listingAddress, sessionPartition } from "./keys.js";
import { SHARED_INLINE_BYTES, type Texts } from "./texts.js";

/** A session as it was read: what its decisions are made on. */
export interface View {
  /** Null where there is no session. */
  record: SessionRecord | null;
  rev: number;
  /** In order of acceptance. */
  inbox: Arrival[];
}

/** Fields kept as JSON text, for their length or their shape. */
const JSON_FIELDS = ["title", "park", "exit", "usage", "lastFailure"] as const;
const SCALAR_FIELDS = [
  "sessionId",
  "format",
  "status",
  "workflow",
  "position",
  "specHash",
  "checkpoint",
  "turnOrdinal",
  "fence",
  "acceptedSeq",
  "retryAt",
  "hops",
  "wakeFailures",
  "wakeRetryAt",
  "cancelRequested",
  "unpublished",
  "dueAt",
  "deleting",
  "takesChildren",
  "expiresAt",
  "keepMs",
  "claimedBy",
  "rootCreatedAt",
  "createdAt",
  "updatedAt",
] as const;

/**
 * The attributes that a decision's changed fields set.
 *
 * @param before - the record that the decision was made on; where an owner's commit read none, one that holds its lease
 * and an arrival it does not know
 */
export async function recordChanges(
  texts: Texts,
  before: SessionRecord | null,
  sessionId: string,
  decided: Partial<SessionRecord>,
): Promise<Changes> {
  const changed = withoutUnchanged(before, decided);
  const changes: Changes = {};
  for (const field of SCALAR_FIELDS) {
    const value: Scalar | null | undefined = changed[field];
    if (value !== undefined) changes[field] = value === null ? null : scalar(value);
  }
  for (const field of JSON_FIELDS) {
    const value = changed[field];
    if (value !== undefined) changes[field] = value === null ? null : await textOf(texts, sessionId, field, value);
  }
  if (changed.lease !== undefined) {
    changes.leaseOwner = changed.lease && scalar(changed.lease.owner);
    changes.leaseExpiresAt = changed.lease && scalar(changed.lease.expiresAt);
  }
  if (changed.active !== undefined) {
    const { active } = changed;
    changes.attempts = active && scalar(active.attempts);
    if (active === null || active.arrival !== before?.active?.arrival) {
      const isWake = active !== null && active.arrival.seq === 0;
      changes.activeSeq = active && scalar(active.arrival.seq);
      changes.activeWake = isWake ? await textOf(texts, sessionId, "active", active.arrival) : null;
    }
  }
  return { ...changes, ...placesInIndexes(sessionId, changed) };
}

/** What is as it was is not sent again: nobody but the owner changes what an owner's commit sets. */
function withoutUnchanged(before: SessionRecord | null, decided: Partial<SessionRecord>): Partial<SessionRecord> {
  if (before === null) return decided;
  const isChanged = ([field, value]: [string, unknown]) => {
    const was = before[field as keyof SessionRecord];
    if (field !== "lease" || value === null || was === null) return value !== was;
    const { owner, expiresAt } = value as NonNullable<SessionRecord["lease"]>;
    return owner !== before.lease?.owner || expiresAt !== before.lease?.expiresAt;
  };
  return Object.fromEntries(Object.entries(decided).filter(isChanged));
}

/** The session's inbox in short: numbers, and for held arrivals the park that holds them. */
export function inboxText(inbox: readonly Pick<Arrival, "seq" | "heldBy">[]): string {
  return JSON.stringify(inbox.map(({ seq, heldBy }) => (heldBy === undefined ? seq : [seq, heldBy])));
}

export function inboxCountFrom(item: Item): number {
  return (JSON.parse(item.inbox?.S ?? "[]") as unknown[]).length;
}

/** The inbox's short form with one arrival more. */
export function inboxTextWith(item: Item | undefined, seq: number): string {
  return JSON.stringify([...(JSON.parse(item?.inbox?.S ?? "[]") as unknown[]), seq]);
}

/** @param arrivalOf - finds the arrival under way by its number */
export async function recordFrom(
  texts: Texts,
  item: Item,
  arrivalOf: (seq: number) => Arrival | undefined,
): Promise<SessionRecord> {
  const sessionId = String(item.sessionId?.S);
  const fields: Record<string, unknown> = {};
  for (const field of SCALAR_FIELDS) fields[field] = scalarFrom(item[field]);
  for (const field of JSON_FIELDS) fields[field] = await valueFrom(texts, sessionId, field, item[field]);
  const owner = item.leaseOwner?.S;
  fields.lease = owner === undefined ? null : { owner, expiresAt: numberFrom(item.leaseExpiresAt) };
  fields.active = null;
  if (item.activeSeq !== undefined) {
    const wake = await valueFrom(texts, sessionId, "active", item.activeWake);
    fields.active = { arrival: wake ?? arrivalOf(numberFrom(item.activeSeq)), attempts: numberFrom(item.attempts) };
  }
  return fields as unknown as SessionRecord;
}

/** The two addresses follow the fields that they are made of. S-14: what has not run is listed by nobody; list() looks. */
function placesInIndexes(sessionId: string, { dueAt, updatedAt, deleting }: Partial<SessionRecord>): Changes {
  const changes: Changes = {};
  if (dueAt !== undefined) {
    const address = dueAt === null ? null : dueAddress(sessionId, dueAt);
    changes.dueShard = address && scalar(address.dueShard);
    changes.dueKey = address && scalar(address.dueKey);
  }
  if (updatedAt !== undefined || deleting) {
    const address = deleting ? null : listingAddress(sessionId, updatedAt ?? 0);
    changes.listShard = address && scalar(address.listShard);
    changes.listKey = address && scalar(address.listKey);
  }
  return changes;
}

async function textOf(texts: Texts, sessionId: string, field: string, value: unknown): Promise<AttributeValue> {
  return texts.put(sessionPartition(sessionId), jsonText(value, field), SHARED_INLINE_BYTES);
}

async function valueFrom(
  texts: Texts,
  sessionId: string,
  field: string,
  attribute: AttributeValue | undefined,
): Promise<unknown> {
  if (attribute === undefined) return null;
  return JSON.parse(await texts.get(sessionPartition(sessionId), attribute, { sessionId, key: field }));
}
