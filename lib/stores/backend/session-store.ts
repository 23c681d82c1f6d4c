/** A session store on any backend: the decisions of memory, and one document a session that they are kept in. */
import type { DeadLetter, Receipt } from "../../session/arrival.js";
import { StoreUnavailableError } from "../../session/errors.js";
import type { SessionStore } from "../../session/ports.js";
import { deletionGuard, isReceiptExpired } from "../../session/protocol/index.js";
import { isChildSessionOf } from "../../spec/index.js";
import type { Backend } from "../../workspace/index.js";
import { createMemorySessionStore, emptyContents, type StoredSession } from "../memory/index.js";
import { exactFiles } from "./exact.js";
import { inTurns } from "./in-turns.js";
import { documentOf, SESSIONS, sessionOf } from "./places.js";

/**
 * For one process at a time: a backend can replace a file whole and no more, so nothing could keep a second process from
 * deciding on what the first has just changed. In the process every guarantee of the port holds. A method answers once its
 * document is written; where that fails it throws, and what was decided is forgotten here too. A process that dies has
 * either written the document or changed nothing.
 *
 * A document holds the whole session and is written at every step, and what was worked on stays in memory until it is
 * forgotten: this is for sessions of moderate length in moderate number. Where the backend cannot list, what no earlier call of the process has
 * touched is in no list and is not found due.
 *
 * @throws {StoreUnavailableError} from every method, when the backend fails
 */
export function createBackendSessions(backend: Backend, { canList = true } = {}): SessionStore {
  const contents = emptyContents();
  const { sessions, receipts, letters } = contents;
  const decisions = createMemorySessionStore(contents);
  const files = exactFiles(backend);
  const inOrder = inTurns();
  /** The text that is stored, by session; null: none. */
  const stored = new Map<string, string | null>();
  /** What was in memory and is no longer: lists and sweeps look at it again. */
  const left = new Set<string>();
  let all: Promise<void> | undefined;

  async function load(id: string): Promise<void> {
    if (stored.has(id)) return;
    const bytes = await files.get(documentOf(id));
    const text = bytes && new TextDecoder().decode(bytes);
    if (text !== null) take(id, text);
    stored.set(id, text);
    left.delete(id);
  }

  function take(id: string, text: string): void {
    const kept = JSON.parse(text) as SessionDocument;
    if (kept.session) {
      const { record, inbox, thread, events } = kept.session;
      sessions.set(id, { record, inbox: new Map(inbox), thread: new Map(thread), events });
    }
    for (const receipt of kept.receipts) receipts.set(receipt.arrivalId, receipt);
    for (const letter of kept.letters) letters.set(letter.id, letter);
  }

  function drop(id: string): void {
    sessions.delete(id);
    for (const [key, receipt] of receipts) if (receipt.sessionId === id) receipts.delete(key);
    for (const [key, letter] of letters) if (letter.arrival.sessionId === id) letters.delete(key);
    stored.delete(id);
    left.add(id);
  }

  /** Receipts stay: by them a key is known wherever it was used first (S-3). */
  function forget(id: string): Promise<void> {
    return inOrder([id], async () => {
      if (!stored.has(id)) return;
      sessions.delete(id);
      stored.delete(id);
      left.add(id);
    });
  }

  function textOf(id: string): string | null {
    const session = sessions.get(id);
    const own = <Value>(values: Iterable<Value>, of: (value: Value) => string) =>
      [...values].filter((value) => of(value) === id);
    const document: SessionDocument = {
      session: session ? written(session) : null,
      receipts: own(receipts.values(), (receipt) => receipt.sessionId),
      letters: own(letters.values(), (letter) => letter.arrival.sessionId),
    };
    if (!document.session && document.receipts.length === 0 && document.letters.length === 0) return null;
    return JSON.stringify(document);
  }

  /** Writes what has changed; what cannot be written is loaded again by whoever comes next. */
  async function store(id: string): Promise<void> {
    const text = textOf(id);
    if (text === stored.get(id)) return;
    try {
      if (text === null) await files.remove(documentOf(id));
      else await files.put(documentOf(id), new TextEncoder().encode(text));
      stored.set(id, text);
    } catch (error) {
      drop(id);
      throw error instanceof StoreUnavailableError
        ? error
        : new StoreUnavailableError("keep a session", String(error), { cause: error });
    }
  }

  /** @param ids - the session that may change first, and those that its decision looks at */
  function deciding<Result>(ids: readonly [string, ...string[]], decide: () => Promise<Result>): Promise<Result> {
    const distinct = [...new Set(ids)];
    return inOrder(distinct, async () => {
      for (const id of distinct) await load(id);
      const result = await decide();
      await store(ids[0]);
      return result;
    });
  }

  async function loadAll(): Promise<void> {
    if (canList) await loadListed();
    for (const id of left) await inOrder([id], () => load(id));
  }

  async function loadListed(): Promise<void> {
    all ??= (async () => {
      const found = await files.below(SESSIONS);
      for (const id of ["", ...found.flatMap(({ path }) => sessionOf(path) ?? [])]) {
        await inOrder([id], () => load(id));
      }
    })();
    try {
      await all;
    } catch (error) {
      all = undefined;
      throw error;
    }
  }

  const overAll = async <Result>(read: () => Promise<Result>): Promise<Result> => {
    await loadAll();
    return read();
  };
  /** Of a session whose decision is being written, what holds is not known before that has ended. */
  const settled = <Result>(id: string, read: () => Promise<Result>) =>
    inOrder([id], async () => {
      await load(id);
      return read();
    });

  /** F-55: what is expired counts as absent already; this only frees its place. */
  function forgetExpired({ id, sessionId, acceptedAt }: { id: string; sessionId: string; acceptedAt: number }): void {
    for (const [key, receipt] of receipts) {
      if (key !== id && receipt.sessionId === sessionId && isReceiptExpired(receipt, acceptedAt)) receipts.delete(key);
    }
  }

  return {
    async accept({ arrival, ...request }) {
      // A key is known wherever it was used first (S-3).
      if (!receipts.has(arrival.id)) await loadAll();
      const letter = arrival.redrives === undefined ? undefined : letters.get(arrival.redrives);
      const of = letter?.arrival.sessionId ?? arrival.sessionId;
      const result = await deciding([arrival.sessionId, of], async () => {
        forgetExpired(arrival);
        return decisions.accept({ arrival, ...request });
      });
      // The letter's link comes second: without it, redriving again finds the same arrival by its key.
      if (of !== arrival.sessionId) await inOrder([of], () => store(of));
      return result;
    },
    claim: (id, request) => deciding([id], () => decisions.claim(id, request)),
    claimChild: (caller, child) =>
      deciding([child.sessionId, caller.sessionId], () => decisions.claimChild(caller, child)),
    renew: (lease, request) => deciding([lease.sessionId], () => decisions.renew(lease, request)),
    isCancelled: (lease) => settled(lease.sessionId, () => decisions.isCancelled(lease)),
    commit: (lease, commit, request) => deciding([lease.sessionId], () => decisions.commit(lease, commit, request)),
    settle: (lease, settlement, request) =>
      deciding([lease.sessionId], () => decisions.settle(lease, settlement, request)),
    hold: (lease, request) => deciding([lease.sessionId], () => decisions.hold(lease, request)),
    release: (lease, request) => deciding([lease.sessionId], () => decisions.release(lease, request)),
    cancel: (id, now, only) => deciding([id], () => decisions.cancel(id, now, only)),
    read: (id, now) => settled(id, () => decisions.read(id, now)),
    async receipt(arrivalId, now) {
      const id = receipts.get(arrivalId)?.sessionId;
      if (id === undefined) await loadAll();
      return settled(receipts.get(arrivalId)?.sessionId ?? "", () => decisions.receipt(arrivalId, now));
    },
    list: (filter) => overAll(() => decisions.list(filter)),
    due: (before, page) => overAll(() => decisions.due(before, page)),
    unpublished: (id) => settled(id, () => decisions.unpublished(id)),
    published: (id, eventIds, now) => deciding([id], () => decisions.published(id, eventIds, now)),
    deadLetters: (now) => overAll(() => decisions.deadLetters(now)),
    deadLetter: (id, now) => overAll(() => decisions.deadLetter(id, now)),
    keepDeadLetter: (letter) => deciding([letter.arrival.sessionId], () => decisions.keepDeadLetter(letter)),
    beginDelete: (id, now, how) => {
      const guard = deletionGuard(id, how);
      return deciding([id, ...(guard === null ? [] : [guard])], () => decisions.beginDelete(id, now, how));
    },
    children: (id) => overAll(() => settled(id, () => decisions.children(id))),
    expire: (id, now) => deciding([id], () => decisions.expire(id, now)),
    finishDelete: (id) => deciding([id], () => decisions.finishDelete(id)),
    async forget(sessionId) {
      const own = [...stored.keys()].filter((id) => id === sessionId || isChildSessionOf(id, sessionId));
      await Promise.all(own.map(forget));
    },
    close: () => decisions.close(),
  };
}

interface SessionDocument {
  session: {
    record: StoredSession["record"];
    inbox: [number, StoredSession["inbox"] extends Map<number, infer Item> ? Item : never][];
    thread: [string, string][];
    events: StoredSession["events"];
  } | null;
  receipts: Receipt[];
  letters: DeadLetter[];
}

function written({ record, inbox, thread, events }: StoredSession): NonNullable<SessionDocument["session"]> {
  return { record, inbox: [...inbox], thread: [...thread], events };
}
