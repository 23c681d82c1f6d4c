/** A session store that lives and dies with its process: the protocol's decisions over plain maps. */
import type { Arrival, DeadLetter, Receipt } from "../../session/arrival.js";
import type { LifecycleEvent } from "../../session/lifecycle.js";
import type { Lease, SessionStore, ThreadItem } from "../../session/ports.js";
import {
  type Decision,
  decideAccept,
  decideBeginDelete,
  decideCancel,
  decideClaim,
  decideClaimChild,
  decideCommit,
  decideExpire,
  decideHold,
  decideIsCancelled,
  decidePublished,
  decideRelease,
  decideRenew,
  decideSettle,
  deletionGuard,
  goesWithChildren,
  isExpired,
  isReceiptExpired,
  recordAfter,
  strippedReceipt,
  type Writes,
} from "../../session/protocol/index.js";
import type { SessionRecord } from "../../session/record.js";
import { parentSessionIdOf } from "../../spec/index.js";
import { compareDue, compareText, isAfterDue, latestFirst, matchesFilter } from "../selection.js";

export interface StoredSession {
  record: SessionRecord | null;
  inbox: Map<number, Arrival>;
  thread: Map<string, string>;
  events: LifecycleEvent[];
}

/** What the store holds; nobody changes it but the store. */
export interface MemoryContents {
  sessions: Map<string, StoredSession>;
  receipts: Map<string, Receipt>;
  letters: Map<string, DeadLetter>;
}

export function emptyContents(): MemoryContents {
  return { sessions: new Map(), receipts: new Map(), letters: new Map() };
}

/**
 * Keeps everything in memory. Each method runs from its first read to its last write without giving way, so it is
 * atomic. What goes in and out is copied: no caller holds a piece of the store.
 */
export function createMemorySessionStore(contents: MemoryContents = emptyContents()): SessionStore {
  const { sessions, receipts, letters } = contents;

  const recordOf = (sessionId: string) => sessions.get(sessionId)?.record ?? null;
  const inboxOf = (sessionId: string) => inOrder(sessions.get(sessionId)?.inbox);

  function carryOut<Result>(sessionId: string, { result, writes }: Decision<Result>): Result {
    const session = sessions.get(sessionId) ?? emptySession();
    sessions.set(sessionId, session);
    const copied = structuredClone(writes);
    const { receiptPut, receiptChanges = [], deadLetter, redriven } = copied;
    applyToSession(session, copied);
    if (receiptPut) receipts.set(receiptPut.arrivalId, receiptPut);
    for (const { arrivalId, set } of receiptChanges) {
      const receipt = receipts.get(arrivalId);
      if (receipt) receipts.set(arrivalId, { ...receipt, ...set });
    }
    if (deadLetter) letters.set(deadLetter.id, deadLetter);
    const source = redriven && letters.get(redriven.letterId);
    if (source) letters.set(source.id, { ...source, redrivenAs: redriven.arrivalId });
    if (session.record === null) sessions.delete(sessionId);
    return structuredClone(result);
  }

  const store: SessionStore = {
    async accept(request) {
      const { sessionId, id } = request.arrival;
      const receipt = receipts.get(id) ?? null;
      const inboxCount = sessions.get(sessionId)?.inbox.size ?? 0;
      return carryOut(sessionId, decideAccept(recordOf(sessionId), receipt, inboxCount, request));
    },

    async claim(sessionId, request) {
      const result = carryOut(sessionId, decideClaim(recordOf(sessionId), inboxOf(sessionId), request));
      return result.kind === "claimed" ? { ...result, thread: threadOf(sessions.get(sessionId)) } : result;
    },

    async claimChild(caller, child) {
      const decision = decideClaimChild(recordOf(caller.sessionId), recordOf(child.sessionId), caller, child);
      return { ...carryOut(child.sessionId, decision), thread: threadOf(sessions.get(child.sessionId)) };
    },

    async renew(lease, request) {
      return carryOut(lease.sessionId, decideRenew(recordOf(lease.sessionId), lease, request));
    },

    async isCancelled(lease) {
      return decideIsCancelled(recordOf(lease.sessionId), lease);
    },

    async commit(lease, commit, request) {
      return carryOut(lease.sessionId, decideCommit(recordOf(lease.sessionId), lease, commit, request));
    },

    async settle(lease, settlement, request) {
      return owned(lease, (record, inbox) => decideSettle(record, inbox, lease, settlement, request));
    },

    async hold(lease, request) {
      return owned(lease, (record, inbox) => decideHold(record, inbox, lease, request));
    },

    async release(lease, request) {
      owned(lease, (record, inbox) => decideRelease(record, inbox, lease, request));
    },

    async cancel(sessionId, now, only) {
      return carryOut(sessionId, decideCancel(recordOf(sessionId), inboxOf(sessionId), { now, ...only }));
    },

    async read(sessionId, now) {
      const record = recordOf(sessionId);
      if (record === null || (now !== undefined && isExpired(record, now))) return null;
      const queued = inboxOf(sessionId).filter((arrival) => arrival.seq !== record.active?.arrival.seq).length;
      return { record: structuredClone(record), thread: threadOf(sessions.get(sessionId)), queued };
    },

    async receipt(arrivalId, now) {
      const receipt = receipts.get(arrivalId);
      return receipt && !isReceiptExpired(receipt, now) ? structuredClone(receipt) : null;
    },

    async list(filter = {}) {
      const found = recordsOf(sessions).filter((record) => matchesFilter(record, filter));
      return structuredClone(found.sort(latestFirst).slice(0, filter.limit));
    },

    async due(before, page) {
      const entries = recordsOf(sessions).flatMap(({ sessionId, dueAt }) =>
        dueAt !== null && dueAt <= before ? [{ sessionId, dueAt }] : [],
      );
      return entries
        .filter((entry) => isAfterDue(entry, page.after))
        .sort(compareDue)
        .slice(0, page.limit);
    },

    async unpublished(sessionId) {
      return structuredClone(sessions.get(sessionId)?.events ?? []);
    },

    async published(sessionId, eventIds) {
      const session = sessions.get(sessionId);
      if (!session) return;
      const left = session.events.filter((event) => !eventIds.includes(event.id));
      const removed = session.events.length - left.length;
      carryOut(sessionId, decidePublished(session.record, inOrder(session.inbox), removed));
      session.events = left;
    },

    async deadLetters(now) {
      const kept = [...letters.values()].filter((letter) => letter.expiresAt > now);
      return structuredClone(kept.sort((a, b) => a.at - b.at || compareText(a.id, b.id)));
    },

    async deadLetter(id, now) {
      const letter = letters.get(id);
      return letter && letter.expiresAt > now ? structuredClone(letter) : null;
    },

    async keepDeadLetter(letter) {
      const known = letters.get(letter.id);
      const kept = known && known.expiresAt > letter.at ? known : structuredClone(letter);
      letters.set(letter.id, kept);
      return structuredClone(kept);
    },

    async beginDelete(sessionId, now, how) {
      const judge = deletionGuard(sessionId, how);
      const guard = judge === null ? null : recordOf(judge);
      return carryOut(sessionId, decideBeginDelete(recordOf(sessionId), inboxOf(sessionId), now, { how, guard }));
    },

    async children(sessionId) {
      const record = recordOf(sessionId);
      const sessionIds = [...sessions.keys()].filter((id) => parentSessionIdOf(id) === sessionId).sort(compareText);
      return { sessionIds, goAlong: goesWithChildren(record) };
    },

    async expire(sessionId, now) {
      return carryOut(sessionId, decideExpire(recordOf(sessionId), now));
    },

    async finishDelete(sessionId) {
      if (!recordOf(sessionId)?.deleting) return;
      for (const receipt of receipts.values()) {
        if (receipt.sessionId === sessionId) receipts.set(receipt.arrivalId, strippedReceipt(receipt));
      }
      sessions.delete(sessionId);
    },

    async close() {},
  };

  function owned<Result>(
    { sessionId }: Lease,
    decide: (record: SessionRecord | null, inbox: Arrival[]) => Decision<Result>,
  ): Result {
    return carryOut(sessionId, decide(recordOf(sessionId), inboxOf(sessionId)));
  }

  return store;
}

function applyToSession(session: StoredSession, writes: Writes): void {
  session.record = recordAfter(session.record, writes);
  for (const arrival of writes.inboxPuts ?? []) session.inbox.set(arrival.seq, arrival);
  for (const seq of writes.inboxRemoves ?? []) session.inbox.delete(seq);
  for (const key of writes.removes ?? []) session.thread.delete(key);
  for (const item of writes.puts ?? []) session.thread.set(item.key, item.value);
  session.events.push(...(writes.events ?? []));
}

function emptySession(): StoredSession {
  return { record: null, inbox: new Map(), thread: new Map(), events: [] };
}

function inOrder(inbox: Map<number, Arrival> | undefined): Arrival[] {
  return [...(inbox?.values() ?? [])].sort((a, b) => a.seq - b.seq);
}

function threadOf(session: StoredSession | undefined): ThreadItem[] {
  const items = [...(session?.thread ?? [])].map(([key, value]) => ({ key, value }));
  return items.sort((a, b) => compareText(a.key, b.key));
}

function recordsOf(sessions: Map<string, StoredSession>): SessionRecord[] {
  return [...sessions.values()].flatMap(({ record }) => (record === null ? [] : [record]));
}
