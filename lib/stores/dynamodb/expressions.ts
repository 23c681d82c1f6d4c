/** Writes and the conditions they stand under, as data, and their expressions. */
import type { AttributeValue, TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Lease } from "../../session/ports.js";
import { isChild } from "../../session/protocol/index.js";
import type { SessionRecord } from "../../session/record.js";
import { scalar } from "./attributes.js";
import type { Item, Key } from "./keys.js";

export interface Condition {
  text: string;
  names: Record<string, string>;
  values: Item;
}

/** Attributes set; those that are null removed. */
export type Changes = Record<string, AttributeValue | null>;

export interface Update {
  key: Key;
  set: Changes;
  /** Attributes set to the value of another one of the item. */
  copies?: Record<string, string>;
  /** The record's revision goes up by one with every change of it. */
  raisesRevision?: boolean;
}

export type Entry = { condition?: Condition } & (
  | { put: Item }
  | { update: Update }
  | { remove: Key }
  /** Writes nothing; the transaction stands under the condition. */
  | { check: Key }
);

export const isAbsent: Condition = { text: "attribute_not_exists(#pk)", names: { "#pk": "pk" }, values: {} };

export const isThere: Condition = { text: "attribute_exists(#pk)", names: { "#pk": "pk" }, values: {} };

/** The record is as it was read. */
export function hasRevision(rev: number): Condition {
  return { text: "#rev = :isRev", names: { "#rev": "rev" }, values: { ":isRev": scalar(rev) } };
}

/** S-23: the lease is the present one; a released one has no owner. Its expiry does not matter (S-24). */
export function isHeldUnder(lease: Lease): Condition {
  return {
    text: `#fence = :isFence AND ${ownerAttribute(lease)} = :isOwner`,
    names: { "#fence": "fence" },
    values: { ":isFence": scalar(lease.fence), ":isOwner": scalar(lease.owner) },
  };
}

/** Where the record's item names the owner; a child has one without a lease (S-28). */
export function ownerAttribute({ sessionId }: Lease): "leaseOwner" | "claimedBy" {
  return isChild(sessionId) ? "claimedBy" : "leaseOwner";
}

/** S-20: nobody asked the running turn to stop. */
export const isNotCancelled: Condition = {
  text: "NOT cancelRequested = :isCancelled",
  names: {},
  values: { ":isCancelled": scalar(true) },
};

/** S-78: no large commit waits to be carried out to its end. */
export const hasNothingPending: Condition = {
  text: "attribute_not_exists(#pending)",
  names: { "#pending": "pending" },
  values: {},
};

/** The record still names this large commit. */
export function hasPending(pending: AttributeValue): Condition {
  return { text: "#pending = :isPending", names: { "#pending": "pending" }, values: { ":isPending": pending } };
}

/** The session is still being deleted, and by the one who marked it or took it over last: each sets a due mark of its own. */
export function isInDeletion({ fence, dueAt }: Pick<SessionRecord, "fence" | "dueAt">): Condition {
  const marked = dueAt === null ? "attribute_not_exists(#dueAt)" : "#dueAt = :isDue";
  return {
    text: `#deleting = :isTrue AND #fence = :isFence AND ${marked}`,
    names: { "#deleting": "deleting", "#fence": "fence", "#dueAt": "dueAt" },
    values: {
      ":isTrue": scalar(true),
      ":isFence": scalar(fence),
      ...(dueAt === null ? {} : { ":isDue": scalar(dueAt) }),
    },
  };
}

/** The receipt still is the expired one that was read, so its place is free (F-55). */
export function isExpiredSince(expiresAt: number): Condition {
  return {
    text: "expiresAt = :isExpiry",
    names: {},
    values: { ":isExpiry": scalar(expiresAt) },
  };
}

export function allOf(...conditions: Condition[]): Condition {
  return {
    text: conditions.map(({ text }) => text).join(" AND "),
    names: Object.assign({}, ...conditions.map(({ names }) => names)),
    values: Object.assign({}, ...conditions.map(({ values }) => values)),
  };
}

/** The item of a transaction. A refused condition answers with the item as it is, so that nobody reads it a second time. */
export function transactItem(table: string, entry: Entry): TransactWriteItem {
  const condition = entry.condition
    ? {
        ConditionExpression: entry.condition.text,
        ...namesOf(entry.condition.names),
        ...valuesOf(entry.condition.values),
        ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
      }
    : {};
  if ("put" in entry) return { Put: { TableName: table, Item: entry.put, ...condition } };
  if ("remove" in entry) return { Delete: { TableName: table, Key: entry.remove, ...condition } };
  if ("check" in entry) {
    return { ConditionCheck: { TableName: table, Key: entry.check, ConditionExpression: "", ...condition } };
  }
  return {
    Update: {
      TableName: table,
      Key: entry.update.key,
      ...condition,
      ...updateExpression(entry.update, entry.condition),
    },
  };
}

/** The expression of an update, and the names and values of it and its condition. */
export function updateExpression(update: Update, condition?: Condition) {
  const names: Record<string, string> = { ...condition?.names };
  const values: Item = { ...condition?.values };
  const sets: string[] = [];
  const removes: string[] = [];
  const named = (name: string): string => {
    if (isNoReservedWord(name)) return name;
    names[`#${name}`] = name;
    return `#${name}`;
  };
  for (const [name, value] of Object.entries(update.set)) {
    if (value === null) removes.push(named(name));
    else {
      const token = `:${sets.length}`;
      values[token] = value;
      sets.push(`${named(name)} = ${token}`);
    }
  }
  for (const [name, source] of Object.entries(update.copies ?? {})) sets.push(`${named(name)} = ${named(source)}`);
  if (update.raisesRevision) {
    names["#rev"] = "rev";
    values[":one"] = scalar(1);
    sets.push("#rev = #rev + :one");
  }
  const clauses = [
    ...(sets.length > 0 ? [`SET ${sets.join(", ")}`] : []),
    ...(removes.length > 0 ? [`REMOVE ${removes.join(", ")}`] : []),
  ];
  return { UpdateExpression: clauses.join(" "), ...namesOf(names), ...valuesOf(values) };
}

/** Reserved words (developer guide) are single words; a name with a capital within stands in an expression as it is. */
function isNoReservedWord(name: string): boolean {
  return /[A-Z]/.test(name);
}

/** The service refuses empty maps. */
function namesOf(names: Record<string, string>): { ExpressionAttributeNames?: Record<string, string> } {
  return Object.keys(names).length > 0 ? { ExpressionAttributeNames: names } : {};
}

function valuesOf(values: Item): { ExpressionAttributeValues?: Item } {
  return Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {};
}
