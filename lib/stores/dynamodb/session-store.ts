/** A session store in one DynamoDB table: the protocol's decisions under conditional writes. */
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { ClaimResult, SessionStore } from "../../session/ports.js";
import {
  decideCancel,
  decideClaim,
  decideExpire,
  decideHold,
  decidePublished,
  decideRelease,
  decideSettle,
  isReceiptExpired,
} from "../../session/protocol/index.js";
import { clientSettings } from "../aws-client.js";
import { type Sleep, sleepFor } from "../backoff.js";
import { acceptArrival, createFreshSessions } from "./accepting.js";
import type { Context } from "./carrying.js";
import { claimChild, findChildren } from "./children.js";
import { decided, ownerDecided, written } from "./deciding.js";
import { beginDelete, removeSession } from "./deleting.js";
import { hasRevision } from "./expressions.js";
import { findDue, findRecords } from "./finding.js";
import { eventFrom, receiptFrom } from "./items.js";
import { keyFrom, RANGES, receiptKey, sessionPartition } from "./keys.js";
import type { LargeValues } from "./large-values.js";
import { createLeaseViews } from "./leases.js";
import { findDeadLetter, findDeadLetters, keepLetter } from "./letters.js";
import { removeOrphans } from "./orphans.js";
import { commitStep, isTurnCancelled, renewLease } from "./owning.js";
import { persistently } from "./persistently.js";
import { collect, loadAll, loadThread, loadView, loadWithEvents } from "./reading.js";
import { createTable, sdk } from "./table.js";
import { createUntakenLeases, type Held, mayTakeLater } from "./taking.js";
import { createTexts } from "./texts.js";
import { write } from "./writing.js";

export interface DynamoSessionStoreOptions {
  /** The table's name; see `tableDefinition` for its keys and indexes. */
  table: string;
  /** One that the caller made, and closes. Without it one is made from the environment at the first request. */
  client?: DynamoDBClient;
  /** Another address than the service's, for a local engine. */
  endpoint?: string;
  region?: string;
  /** Where values over 240 KB go (S-74). Without it they are refused. */
  largeValues?: LargeValues;
  /** How pauses between attempts are made. */
  sleep?: Sleep;
}

/** Events taken off in one transaction. */
const EVENTS_AT_ONCE = 80;

/**
 * Requests: accept 2 (1 for a session that is likely new), claim 2 (a session that has run: 3, two of them at once; one
 * whose lease may be taken later: 1, or none where this process has made it), claim of a new child 1, of a known one 3
 * (two of them at once), commit and renew 1, settle, hold and release
 * 1 (2 and more when somebody else wrote meanwhile).
 *
 * @throws {StoreUnavailableError} from every method, when the service stays busy (S-94)
 */
export function createDynamoSessionStore(options: DynamoSessionStoreOptions): SessionStore {
  const { sleep = sleepFor, largeValues: large } = options;
  const table = createTable({ name: options.table, open: () => openClient(options), sleep });
  const context: Context = { table, texts: createTexts(large), large, sleep };
  const held: Held = { views: createLeaseViews(), untaken: createUntakenLeases() };
  const fresh = createFreshSessions();

  return {
    accept: (request) => acceptArrival(context, fresh, request),

    async claim(sessionId, request) {
      let made = fresh.take(sessionId);
      return persistently("claim", sleep, async (): Promise<ClaimResult | null> => {
        const view = made ?? (await loadView(context, sessionId));
        const { result, writes } = decideClaim(view.record, view.inbox, request);
        const isRead = made === undefined;
        made = undefined;
        // That nothing is to do is believed only on what was read.
        if (result.kind !== "claimed" && !isRead) return null;
        if (result.kind === "claimed" && request.mayTakeLater && mayTakeLater(view, result.work.arrival, request.now)) {
          held.untaken.add(result.lease, { view, claim: { ...request }, arrivalId: result.work.arrival.id });
          return structuredClone({ ...result, thread: [] });
        }
        const write = written(context, sessionId, view, writes);
        if (result.kind !== "claimed") return (await write) && result;
        // Begun after the record was read, and right only if the record is unchanged when the lease is taken.
        const hasRun = view.record !== null && view.record.fence > 0;
        const [after, thread] = await Promise.all([
          write,
          hasRun ? loadThread(context, sessionId, { emptyWhereCorrupt: true }) : [],
        ]);
        if (after === null) return null;
        held.views.keep(result.lease, after);
        return structuredClone({ ...result, thread });
      });
    },

    claimChild: (caller, child) => claimChild(context, held, caller, { ...child }),

    renew: (lease, request) => renewLease(context, held, lease, request),

    isCancelled: (lease) => isTurnCancelled(context, held, lease),

    commit: (lease, commit, request) => commitStep(context, held, lease, structuredClone(commit), request),

    async settle(lease, settlement, request) {
      const given = structuredClone(settlement);
      return structuredClone(
        await ownerDecided(context, held, lease, ({ record, inbox }) =>
          decideSettle(record, inbox, lease, given, request),
        ),
      );
    },

    async hold(lease, request) {
      return structuredClone(
        await ownerDecided(context, held, lease, ({ record, inbox }) => decideHold(record, inbox, lease, request)),
      );
    },

    async release(lease, request) {
      const given = structuredClone(request);
      await ownerDecided(context, held, lease, ({ record, inbox }) => decideRelease(record, inbox, lease, given));
    },

    async cancel(sessionId, now, only) {
      return decided(context, sessionId, ({ record, inbox }) => decideCancel(record, inbox, { now, ...only }));
    },

    async read(sessionId, now) {
      const found = await loadAll(context, sessionId, now);
      if (found === null || found.view.record === null) return null;
      const { record, inbox } = found.view;
      const queued = inbox.filter((arrival) => arrival.seq !== record.active?.arrival.seq).length;
      return structuredClone({ record, thread: found.thread, queued });
    },

    async receipt(arrivalId, now) {
      const [item] = await table.get([receiptKey(arrivalId)]);
      const receipt = item ? await receiptFrom(context.texts, item) : null;
      return receipt && !isReceiptExpired(receipt, now) ? receipt : null;
    },

    list: (filter = {}) => findRecords(context, filter),

    due: (before, page) => findDue(context, before, page),

    async unpublished(sessionId) {
      const items = await collect(table.query({ partition: sessionPartition(sessionId), range: RANGES.events }));
      return Promise.all(items.map((item) => eventFrom(context.texts, item)));
    },

    async published(sessionId, eventIds) {
      for (let at = 0; at < eventIds.length; at += EVENTS_AT_ONCE) {
        const ids = new Set(eventIds.slice(at, at + EVENTS_AT_ONCE));
        await persistently("write", sleep, async () => {
          const { view, events } = await loadWithEvents(context, sessionId);
          const eventRemoves = events.filter((item) => ids.has(String(item.eventId?.S))).map(keyFrom);
          const { writes } = decidePublished(view.record, view.inbox, eventRemoves.length);
          if (!writes.record) return true;
          const condition = hasRevision(view.rev);
          const result = await write(context, { sessionId, view, writes, condition, eventRemoves });
          return result instanceof Map ? null : true;
        });
      }
    },

    deadLetters: (now) => findDeadLetters(context, now),

    deadLetter: (id, now) => findDeadLetter(context, id, now),

    keepDeadLetter: (letter) => keepLetter(context, structuredClone(letter)),

    beginDelete: (sessionId, now, how) => beginDelete(context, sessionId, now, how),

    children: (sessionId) => findChildren(context, sessionId),

    async expire(sessionId, now) {
      return decided(context, sessionId, ({ record }) => decideExpire(record, now));
    },

    removeOrphans: (page) => removeOrphans(context, page),

    finishDelete: (sessionId) => removeSession(context, sessionId),

    async close() {
      if (!options.client) table.close();
    },
  };
}

async function openClient({ client, ...place }: DynamoSessionStoreOptions): Promise<DynamoDBClient> {
  if (client) return client;
  const { DynamoDBClient: Client } = await sdk();
  return new Client(clientSettings(place));
}
