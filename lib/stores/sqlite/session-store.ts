/** A session store in one SQLite file, shared by any number of processes: the protocol's decisions over tables. */
import type { Arrival, DeadLetter, Receipt } from "../../session/arrival.js";
import type { LifecycleEvent } from "../../session/lifecycle.js";
import type { SessionFilter, SessionStore } from "../../session/ports.js";
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
  strippedReceipt,
} from "../../session/protocol/index.js";
import type { SessionRecord } from "../../session/record.js";
import { type Database, openDatabase } from "../sqlite-database.js";
import { MIGRATIONS } from "./schema.js";
import {
  carryOut,
  childrenOf,
  inboxCountOf,
  inboxOf,
  json,
  letterOf,
  putLetter,
  putReceipt,
  receiptOf,
  recordOf,
  recordsFrom,
  removeSession,
  threadOf,
} from "./tables.js";

/** Expired receipts removed with each accept: more than one, so that they do not pile up. */
const EXPIRED_PER_ACCEPT = 5;

/**
 * Each method is one SQL transaction, or a part of one that it shares with calls made at the same moment. The file is
 * opened at the first call; a call that meets another process's transaction waits for it.
 *
 * @param options.file - the database file; its folder is made when it is not there
 */
export function createSqliteSessionStore(options: { file: string }): SessionStore {
  let opened: Database | undefined;
  function db(): Database {
    opened ??= openDatabase(options.file, MIGRATIONS);
    return opened;
  }

  /** Reads the record, decides, and writes, in one transaction. */
  function decided<Result>(
    sessionId: string,
    decide: (record: SessionRecord | null) => Decision<Result>,
  ): Promise<Result> {
    return db().writeTogether(() => {
      const record = recordOf(db(), sessionId);
      const { result, writes } = decide(record);
      carryOut(db(), sessionId, record, writes);
      return result;
    });
  }
  const inbox = (sessionId: string): Arrival[] => inboxOf(db(), sessionId);

  return {
    async accept(request) {
      const { sessionId, id, acceptedAt } = request.arrival;
      return decided(sessionId, (record) => {
        const decision = decideAccept(record, receiptOf(db(), id), inboxCountOf(db(), sessionId), request);
        removeExpired(db(), acceptedAt);
        return decision;
      });
    },

    async claim(sessionId, request) {
      return db().writeTogether(() => {
        const record = recordOf(db(), sessionId);
        const { result, writes } = decideClaim(record, inbox(sessionId), request);
        carryOut(db(), sessionId, record, writes);
        return result.kind === "claimed" ? { ...result, thread: threadOf(db(), sessionId) } : result;
      });
    },

    async claimChild(caller, child) {
      const { sessionId } = child;
      return db().writeTogether(() => {
        const record = recordOf(db(), sessionId);
        const { result, writes } = decideClaimChild(recordOf(db(), caller.sessionId), record, caller, child);
        carryOut(db(), sessionId, record, writes);
        return { ...result, thread: threadOf(db(), sessionId) };
      });
    },

    async renew(lease, request) {
      return decided(lease.sessionId, (record) => decideRenew(record, lease, request));
    },

    async isCancelled(lease) {
      return decideIsCancelled(recordOf(db(), lease.sessionId), lease);
    },

    async commit(lease, commit, request) {
      return decided(lease.sessionId, (record) => decideCommit(record, lease, commit, request));
    },

    async settle(lease, settlement, request) {
      const { sessionId } = lease;
      return decided(sessionId, (record) => decideSettle(record, inbox(sessionId), lease, settlement, request));
    },

    async hold(lease, request) {
      return decided(lease.sessionId, (record) => decideHold(record, inbox(lease.sessionId), lease, request));
    },

    async release(lease, request) {
      await decided(lease.sessionId, (record) => decideRelease(record, inbox(lease.sessionId), lease, request));
    },

    async cancel(sessionId, now, only) {
      return decided(sessionId, (record) => decideCancel(record, inbox(sessionId), { now, ...only }));
    },

    async read(sessionId, now) {
      return db().read(() => {
        const record = recordOf(db(), sessionId);
        if (record === null || (now !== undefined && isExpired(record, now))) return null;
        const queued = inbox(sessionId).filter((arrival) => arrival.seq !== record.active?.arrival.seq).length;
        return { record, thread: threadOf(db(), sessionId), queued };
      });
    },

    async receipt(arrivalId, now) {
      const receipt = receiptOf(db(), arrivalId);
      return receipt && !isReceiptExpired(receipt, now) ? receipt : null;
    },

    async list(filter = {}) {
      return recordsFrom(db().all(...listQuery(filter)));
    },

    async due(before, page) {
      const { limit, after = { dueAt: Number.MIN_SAFE_INTEGER, sessionId: "" } } = page;
      const rows = db().all(
        `SELECT session_id, due_at FROM sessions
         WHERE due_at IS NOT NULL AND due_at <= ? AND (due_at, session_id) > (?, ?)
         ORDER BY due_at, session_id LIMIT ?`,
        before,
        after.dueAt,
        after.sessionId,
        limit,
      );
      return rows.map((row) => ({ sessionId: String(row.session_id), dueAt: Number(row.due_at) }));
    },

    async unpublished(sessionId) {
      const rows = db().all("SELECT event FROM events WHERE session_id = ? ORDER BY position", sessionId);
      return rows.map((row) => json<LifecycleEvent>(row.event));
    },

    async published(sessionId, eventIds) {
      const remove = "DELETE FROM events WHERE session_id = ? AND event_id = ?";
      await decided(sessionId, (record) => {
        const removed = eventIds.reduce((count, eventId) => count + db().run(remove, sessionId, eventId), 0);
        return decidePublished(record, inbox(sessionId), removed);
      });
    },

    async deadLetters(now) {
      const rows = db().all("SELECT letter FROM dead_letters WHERE expires_at > ? ORDER BY at, id", now);
      return rows.map((row) => json<DeadLetter>(row.letter));
    },

    async deadLetter(id, now) {
      const letter = letterOf(db(), id);
      return letter && letter.expiresAt > now ? letter : null;
    },

    async keepDeadLetter(letter) {
      return db().writeTogether(() => {
        const known = letterOf(db(), letter.id);
        if (known && known.expiresAt > letter.at) return known;
        putLetter(db(), letter);
        return letter;
      });
    },

    async beginDelete(sessionId, now, how) {
      const judge = deletionGuard(sessionId, how);
      return decided(sessionId, (record) => {
        const guard = judge === null ? null : recordOf(db(), judge);
        return decideBeginDelete(record, inbox(sessionId), now, { how, guard });
      });
    },

    async children(sessionId) {
      return db().read(() => ({
        sessionIds: childrenOf(db(), sessionId),
        goAlong: goesWithChildren(recordOf(db(), sessionId)),
      }));
    },

    async expire(sessionId, now) {
      return decided(sessionId, (record) => decideExpire(record, now));
    },

    async finishDelete(sessionId) {
      await db().writeTogether(() => {
        if (!recordOf(db(), sessionId)?.deleting) return;
        for (const row of db().all("SELECT receipt FROM receipts WHERE session_id = ?", sessionId)) {
          putReceipt(db(), strippedReceipt(json<Receipt>(row.receipt)));
        }
        removeSession(db(), sessionId);
      });
    },

    async close() {
      opened?.close();
      opened = undefined;
    },
  };
}

function listQuery(filter: SessionFilter): [string, ...(string | number)[]] {
  const conditions: [string, string | number | undefined][] = [
    ["status = ?", filter.status],
    ["workflow = ?", filter.workflow],
    ["resume_at <= ?", filter.dueBefore],
    ["ifnull(json_extract(record, '$.expiresAt') > ?, true)", filter.now],
  ];
  const given = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const where = ["status IS NOT NULL", ...given.map(({ sql }) => sql)].join(" AND ");
  const values = [...given.map(({ value }) => value), filter.limit ?? -1];
  return [`SELECT record FROM sessions WHERE ${where} ORDER BY updated_at DESC, session_id LIMIT ?`, ...values];
}

/** F-55: what is expired counts as absent already; this only frees its place. */
function removeExpired(db: Database, now: number): void {
  db.run(
    `DELETE FROM receipts WHERE arrival_id IN
     (SELECT arrival_id FROM receipts WHERE settled_until <= ? ORDER BY settled_until LIMIT ${EXPIRED_PER_ACCEPT})`,
    now,
  );
  db.run("DELETE FROM dead_letters WHERE expires_at <= ?", now);
}
