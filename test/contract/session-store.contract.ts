/** What every session store promises. An adapter runs this suite with a way to open handles on one set of data. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StoredOutcome } from "../../lib/session/arrival.js";
import {
  arrivalIdFor,
  arrivalOfUpload,
  ChildLeftOverError,
  DAY_MS,
  DELETION_RETRY_MS,
  HELD_LIMIT_MS,
  IdempotencyConflictError,
  INBOX_LIMIT,
  InboxFullError,
  LeaseLostError,
  redriveDeadLetter,
  refusedLetter,
  SessionBusyError,
  sessionIdFromKey,
  sha256Hex,
  UPLOADS,
  uploadKey,
  wakeArrivalId,
} from "../../lib/session/index.js";
import type { Lease, SessionStore } from "../../lib/session/ports.js";
import { createMemoryFileStore } from "../../lib/stores/memory/index.js";
import { aCommit, anAccept, anEvent, anInputPark, aSettlement, LEASE_MS, lease, T0, won } from "../harness/builders.js";

export interface StoreUnderTest {
  /** Another handle on the same data, as another process would have. */
  open(): SessionStore;
  dispose(): Promise<void>;
}

const OUTCOME: StoredOutcome = { kind: "completed", disposition: "turn", status: "completed", reply: "secret words" };

export function sessionStoreContract(name: string, create: () => Promise<StoreUnderTest>): void {
  describe(`session store contract: ${name}`, () => {
    let under: StoreUnderTest;
    let store: SessionStore;

    beforeEach(async () => {
      under = await create();
      store = under.open();
    });
    afterEach(() => under.dispose());

    const claim = (now = T0, owner = "a", sessionId = "s1") =>
      store.claim(sessionId, { owner, now, leaseMs: LEASE_MS });
    const accept = (id: string, of: Parameters<typeof anAccept>[0] = {}) => store.accept(anAccept({ id, ...of }));

    /** Everything a reader can see of the session, to tell that a refusal changed nothing. */
    async function seen(sessionId = "s1", now = T0) {
      return {
        read: await store.read(sessionId),
        events: await store.unpublished(sessionId),
        letters: await store.deadLetters(now),
        receipts: await Promise.all(["arr-1", "arr-2", "arr-3"].map((id) => store.receipt(id, now))),
        due: await store.due(T0 + 365 * DAY_MS, { limit: 100 }),
      };
    }

    async function refusesUnchanged(act: () => Promise<unknown>, error: new (...args: never[]) => Error) {
      const before = await seen();
      await expect(act()).rejects.toBeInstanceOf(error);
      expect(await seen()).toEqual(before);
    }

    /** Runs one arrival to a park and lets the session rest there. */
    async function parkedAt(park: Parameters<typeof anInputPark>[0]) {
      await accept("arr-0");
      const { lease: mine } = won(await claim());
      await store.settle(mine, aSettlement("arr-0", { commit: aCommit(anInputPark(park)) }), lease);
    }

    describe("accepting", () => {
      it("S-1 makes receipt, inbox item, counter and due mark at once", async () => {
        const result = await accept("arr-1");

        expect(result).toMatchObject({ kind: "accepted", receipt: { arrivalId: "arr-1", seq: 1, status: "queued" } });
        expect(await store.receipt("arr-1", T0)).toEqual(result.receipt);
        expect(await store.read("s1")).toMatchObject({ queued: 1, record: { acceptedSeq: 1, dueAt: T0, fence: 0 } });
        expect(await store.due(T0, { limit: 10 })).toEqual([{ sessionId: "s1", dueAt: T0 }]);
      });

      it("S-1 S-13 makes a session at rest due with a further arrival", async () => {
        await parkedAt({ channel: "decision" });
        expect(await store.due(T0 + DAY_MS, { limit: 1 })).toEqual([]);

        await accept("arr-1", { acceptedAt: T0 + 5 });

        expect(await store.due(T0 + 5, { limit: 1 })).toEqual([{ sessionId: "s1", dueAt: T0 + 5 }]);
      });

      it("S-3 F-9 answers 50 concurrent accepts of one key with one arrival", async () => {
        const handles = Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? store : under.open()));
        const results = await Promise.all(handles.map((handle) => handle.accept(anAccept())));

        expect(results.filter((result) => result.kind === "accepted")).toHaveLength(1);
        expect(new Set(results.map((result) => JSON.stringify(result.receipt))).size).toBe(1);
        expect((await store.read("s1"))?.queued).toBe(1);
      });

      it("S-3 answers a key again with the outcome once it has settled, whatever session it names", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        await store.settle(mine, aSettlement("arr-1", { outcome: OUTCOME }), lease);

        const again = await accept("arr-1", { sessionId: "other", acceptedAt: T0 + 5 });

        expect(again).toMatchObject({ kind: "repeated", receipt: { sessionId: "s1", seq: 1, outcome: OUTCOME } });
        expect(await store.read("other")).toBeNull();
      });

      it("S-4 F-10 refuses a key that comes with another input, and lets a provider's repetition pass", async () => {
        await accept("arr-1");
        const input = { kind: "turn", message: "something else" } as const;

        await refusesUnchanged(() => accept("arr-1", { input }), IdempotencyConflictError);
        const webhook = await accept("arr-1", { input, checkFingerprint: false });
        expect(webhook.kind).toBe("repeated");
      });

      it("S-12 refuses one arrival more than an inbox holds, without a receipt", async () => {
        // Where the case is out of time before it is done, it goes on with its own store and no other case's.
        const filling = store;
        for (let n = 1; n <= INBOX_LIMIT; n += 1) await filling.accept(anAccept({ id: `full-${n}` }));

        await refusesUnchanged(() => accept("arr-1"), InboxFullError);
        expect(await store.receipt("arr-1", T0)).toBeNull();
      }, 60_000);

      it("S-14 lists no session that has only an inbox", async () => {
        await accept("arr-1");

        expect((await store.read("s1"))?.record.status).toBeNull();
        expect(await store.list()).toEqual([]);
      });

      it("S-82 F-55 takes an expired receipt for absent, once its arrival has settled", async () => {
        await accept("arr-1", { receiptExpiresAt: T0 + 10 });
        expect(await store.receipt("arr-1", T0 + 10)).not.toBeNull();
        const { lease: mine } = won(await claim());
        await store.settle(mine, aSettlement("arr-1"), lease);

        expect(await store.receipt("arr-1", T0 + 9)).not.toBeNull();
        expect(await store.receipt("arr-1", T0 + 10)).toBeNull();
        const again = await accept("arr-1", { acceptedAt: T0 + 10 });
        expect(again).toMatchObject({ kind: "accepted", receipt: { seq: 2, status: "queued" } });
        expect(await store.receipt("arr-1", T0 + 11)).toEqual(again.receipt);
      });

      it("S-2 keeps a key known while its arrival waits, however long", async () => {
        await accept("arr-1", { receiptExpiresAt: T0 + 10 });
        await accept("arr-2", { acceptedAt: T0 + DAY_MS });

        expect((await accept("arr-1", { acceptedAt: T0 + DAY_MS })).kind).toBe("repeated");
      });
    });

    describe("redriving", () => {
      const firing = anAccept({ id: "dead", source: "webhook", input: { kind: "delivery", trigger: "paid" } }).arrival;
      const letter = { ...refusedLetter(firing, { reason: "why", at: T0 }), id: "d1" };
      const files = createMemoryFileStore();

      it("S-96 S-5 makes one arrival of a letter at the end of the inbox, linked both ways", async () => {
        await store.keepDeadLetter(letter);
        await accept("arr-1");

        const redrives = [store, under.open(), store, under.open()].map((handle) =>
          redriveDeadLetter({ store: handle, files }, { id: "d1", now: T0 + 1 }),
        );
        const results = await Promise.all(redrives);

        const id = arrivalIdFor({ scope: "", source: "redrive", key: `d1/${T0}` });
        expect(results.map((result) => result?.receipt.arrivalId)).toEqual([id, id, id, id]);
        expect(results.filter((result) => result?.kind === "accepted")).toHaveLength(1);
        expect(await store.deadLetter("d1", T0)).toEqual({ ...letter, redrivenAs: id });
        expect(await store.deadLetters(T0)).toEqual([{ ...letter, redrivenAs: id }]);

        const first = won(await claim(T0 + 1));
        const next = await store.settle(first.lease, aSettlement("arr-1"), lease);
        expect(next?.arrival).toEqual({
          ...firing,
          id,
          seq: 2,
          source: "redrive",
          acceptedAt: T0 + 1,
          redrives: "d1",
        });
      });

      it("S-96 makes none for a letter that was redriven long ago, and refreshes no letter", async () => {
        await store.keepDeadLetter(letter);
        const first = await redriveDeadLetter({ store, files }, { id: "d1", now: T0 });
        const { lease: mine, work } = won(await claim());
        await store.settle(mine, aSettlement(work.arrival.id), lease);

        const late = letter.expiresAt - 1;
        const again = await redriveDeadLetter({ store, files }, { id: "d1", now: late });
        expect(again).toMatchObject({ kind: "repeated", receipt: { arrivalId: first?.receipt.arrivalId } });
        expect(await redriveDeadLetter({ store, files }, { id: "d1", now: letter.expiresAt })).toBeNull();
      });

      it("S-96 S-91 redrives what was given up under a key that had been given up and redriven before", async () => {
        async function givenUp(at: number) {
          await accept("arr-1", { acceptedAt: at, receiptExpiresAt: at + 10 });
          const { lease: mine, work } = won(await claim(at));
          const deadLetter = { ...refusedLetter(work.arrival, { reason: "why", at }), id: "d1" };
          await store.settle(mine, aSettlement("arr-1", { status: "dead", deadLetter, now: at }), lease);
          return redriveDeadLetter({ store, files }, { id: "d1", now: at });
        }
        const first = await givenUp(T0);
        const { lease: mine, work } = won(await claim());
        await store.settle(mine, aSettlement(work.arrival.id), lease);

        const second = await givenUp(T0 + 10);
        expect([first?.kind, second?.kind]).toEqual(["accepted", "accepted"]);
        expect(second?.receipt.arrivalId).not.toBe(first?.receipt.arrivalId);
      });

      it("S-96 S-1 leaves letter and inbox alone when the redrive is refused", async () => {
        await store.keepDeadLetter(letter);
        await accept("arr-1");
        await store.beginDelete("s1", T0);

        await refusesUnchanged(() => redriveDeadLetter({ store, files }, { id: "d1", now: T0 }), SessionBusyError);
        expect(await store.deadLetter("d1", T0)).toEqual(letter);
      });

      it("S-96 S-7 gives a letter without a session the one that its key names", async () => {
        await store.keepDeadLetter({ ...letter, arrival: { ...letter.arrival, sessionId: "" } });

        const result = await redriveDeadLetter({ store, files }, { id: "d1", now: T0 });
        const named = sessionIdFromKey(result?.receipt.arrivalId ?? "");
        expect(result?.receipt.sessionId).toBe(named);
        expect((await store.read(named))?.queued).toBe(1);
      });

      it("S-96 S-10 gives the new arrival copies of the files, one of its own each", async () => {
        const bytes = new TextEncoder().encode("a file");
        const sha256 = sha256Hex(bytes);
        const ref = (key: string) => ({ note: { name: "note.txt", key, sizeBytes: bytes.length, sha256 } });
        const key = uploadKey("dead", sha256);
        await files.writeShared(key, bytes);
        const input = { kind: "turn", files: ref(key) } as const;
        await store.keepDeadLetter({ ...letter, arrival: { ...letter.arrival, input } });

        const result = await redriveDeadLetter({ store, files }, { id: "d1", now: T0 });
        const again = await redriveDeadLetter({ store, files }, { id: "d1", now: T0 });

        const { work } = won(await claim());
        const copied = work.arrival.input.kind === "turn" ? work.arrival.input.files?.note?.key : undefined;
        expect(arrivalOfUpload(copied ?? "")).toBe(work.arrival.id);
        expect(await files.readShared(copied ?? "")).toEqual(bytes);
        expect(work.arrival.input).toEqual({ kind: "turn", files: ref(copied ?? "") });
        expect([result?.kind, again?.kind]).toEqual(["accepted", "repeated"]);
        expect(await files.listShared(UPLOADS, { after: "", limit: 9 })).toHaveLength(2);
      });

      it("S-96 accepts although the letter has gone meanwhile, and does not make it again", async () => {
        const accepted = await accept("arr-1", { source: "redrive", redrives: "gone" });

        expect(accepted.kind).toBe("accepted");
        expect(await store.deadLetter("gone", T0)).toBeNull();
      });
    });

    describe("claiming", () => {
      it("S-22 F-1 gives the lease to one of 20 claimers and raises the fence by one", async () => {
        await accept("arr-1");
        const handles = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? store : under.open()));
        const results = await Promise.all(
          handles.map((handle, n) => handle.claim("s1", { owner: `w${n}`, now: T0, leaseMs: LEASE_MS })),
        );

        const winners = results.filter((result) => result.kind === "claimed");
        expect(winners).toHaveLength(1);
        expect(winners[0]).toMatchObject({
          lease: { fence: 1, sessionId: "s1" },
          record: { fence: 1, lease: { expiresAt: T0 + LEASE_MS }, active: { attempts: 1 } },
          work: { attempt: 1, arrival: { id: "arr-1", seq: 1 } },
          thread: [],
        });
        const losers = results.filter((result) => result.kind === "busy");
        expect(losers).toHaveLength(19);
        expect(losers[0]).toEqual({ kind: "busy", until: T0 + LEASE_MS });
        expect(await store.receipt("arr-1", T0)).toMatchObject({ status: "running" });
        expect((await store.read("s1"))?.queued).toBe(0);
      });

      describe("that may take the lease later", () => {
        const claimLater = (owner = "a", handle = store) =>
          handle.claim("s1", { owner, now: T0, leaseMs: LEASE_MS, mayTakeLater: true });
        const at = { now: T0, ...lease };

        it("S-22 S-23 lets one of twenty write", async () => {
          await accept("arr-1");
          const handles = Array.from({ length: 20 }, () => under.open());
          const claims = await Promise.all(handles.map((handle, n) => claimLater(`w${n}`, handle)));
          const writes = handles.map(async (handle, n) => {
            const result = claims[n];
            if (result?.kind !== "claimed") throw new LeaseLostError("s1", 0);
            await handle.commit(result.lease, aCommit({ position: `w${n}` }, { k: `w${n}` }), at);
          });
          const ends = await Promise.allSettled(writes);

          expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
          const winner = ends.findIndex(({ status }) => status === "fulfilled");
          expect(await store.read("s1")).toMatchObject({
            thread: [{ key: "k", value: `w${winner}` }],
            record: { position: `w${winner}`, fence: 1, lease: { owner: `w${winner}` }, active: { attempts: 0 } },
          });
          expect(await store.receipt("arr-1", T0)).toMatchObject({ status: "running" });
        });

        it("S-22 S-25 writes though an arrival came in between, and works it off after", async () => {
          await accept("arr-1");
          const { lease: mine } = won(await claimLater());
          await accept("arr-2");
          expect(await store.renew(mine, at)).toEqual({ cancelled: false });
          const next = await store.settle(mine, aSettlement("arr-1", { commit: aCommit({}, { k: "v" }) }), lease);

          expect(next?.arrival.id).toBe("arr-2");
          expect(await store.receipt("arr-1", T0)).toMatchObject({ status: "settled" });
          await store.settle(mine, aSettlement("arr-2"), lease);
          expect((await store.read("s1"))?.record).toMatchObject({ fence: 1, lease: null, dueAt: null });
        });

        it("S-23 S-20 changes nothing once another has worked there, or the arrival has gone", async () => {
          await accept("arr-1");
          const { lease: mine } = won(await claimLater());
          await store.cancel("s1", T0, { arrivalId: "arr-1" });
          const other = await claim(T0, "b");
          const write = () => store.commit(mine, aCommit({}, { k: "v" }), at);
          // A store may have taken the lease at once; then the cancellation is told.
          if (other.kind === "busy") expect(await write()).toEqual({ cancelled: true });
          else await refusesUnchanged(write, LeaseLostError);
        });

        it("S-22 S-23 leaves the lease to whoever has it, also where the other tries once more", async () => {
          await accept("arr-1");
          const { lease: mine } = won(await claimLater("a"));
          const other = await claimLater("b", under.open());
          // A store may have given the lease at once.
          if (other.kind === "busy") return;
          await store.commit(mine, aCommit({ position: "mine" }), at);
          const { lease: lost } = won(other);
          const handle = under.open();

          await refusesUnchanged(() => handle.release(lost, { now: T0, failed: "no answer" }), LeaseLostError);
          await refusesUnchanged(() => handle.settle(lost, aSettlement("arr-1"), lease), LeaseLostError);
          await refusesUnchanged(() => handle.hold(lost, { arrivalId: "arr-1", parkId: "p", ...at }), LeaseLostError);
        });

        it("S-50 S-89 gives the lease back, and counts the attempt as any other", async () => {
          await accept("arr-1");
          const { lease: mine } = won(await claimLater());
          await store.release(mine, { now: T0, retryAt: T0 + 5, failed: "broken" });

          expect((await store.read("s1"))?.record).toMatchObject({
            fence: 1,
            lease: null,
            lastFailure: "broken",
            active: { attempts: 1 },
            dueAt: T0 + 5,
          });
          expect(won(await claim(T0 + 5)).work.attempt).toBe(2);
          await refusesUnchanged(() => store.commit(mine, aCommit({}, { k: "v" }), at), LeaseLostError);
        });
      });

      it("S-1 S-3 accepts for a session that only seems to be new", async () => {
        await accept("arr-1");
        const likely = { ...anAccept({ id: "arr-2" }), isLikelyNew: true as const };
        expect(await store.accept(likely)).toMatchObject({ kind: "accepted", receipt: { seq: 2 } });
        expect((await store.accept(likely)).kind).toBe("repeated");
        const elsewhere = { ...anAccept({ id: "arr-2", sessionId: "s2" }), isLikelyNew: true as const };
        expect(await store.accept(elsewhere)).toMatchObject({ kind: "repeated", receipt: { sessionId: "s1" } });
        expect(await store.read("s2")).toBeNull();
      });

      it("S-13 is idle for an unknown session and one without work", async () => {
        expect(await claim()).toEqual({ kind: "idle" });
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        await store.settle(mine, aSettlement("arr-1"), lease);

        expect(await claim()).toEqual({ kind: "idle" });
        expect(await store.due(T0 + DAY_MS, { limit: 10 })).toEqual([]);
      });

      it("S-16 S-17 gives arrivals one at a time in order of acceptance, and sessions apart", async () => {
        await accept("arr-1");
        await accept("arr-2");
        await accept("arr-3", { sessionId: "s2" });
        const first = won(await claim());
        const other = won(await claim(T0, "b", "s2"));
        const second = await store.settle(first.lease, aSettlement("arr-1"), lease);

        expect(first.work.arrival.id).toBe("arr-1");
        expect(other.work.arrival).toMatchObject({ id: "arr-3", seq: 1 });
        expect(second).toMatchObject({ attempt: 1, arrival: { id: "arr-2", seq: 2 } });
      });

      it("S-24 S-29 lets another take over at the expiry, with the arrival under way and all that was committed", async () => {
        await accept("arr-1");
        await accept("arr-2");
        const dead = won(await claim());
        await store.commit(dead.lease, aCommit({ status: "running", position: "start" }, { k: "v" }), {
          now: T0,
          ...lease,
        });

        expect(await claim(T0 + LEASE_MS - 1, "b")).toEqual({ kind: "busy", until: T0 + LEASE_MS });
        const heir = won(await claim(T0 + LEASE_MS, "b"));
        expect(heir).toMatchObject({
          lease: { owner: "b", fence: 2 },
          record: { status: "running", position: "start" },
          thread: [{ key: "k", value: "v" }],
          work: { arrival: { id: "arr-1" }, attempt: 1 },
        });
      });

      it("S-23 F-1 refuses every write of a former owner and changes nothing", async () => {
        await accept("arr-1");
        const { lease: old } = won(await claim());
        won(await claim(T0 + LEASE_MS, "b"));
        const at = { now: T0 + LEASE_MS + 1, ...lease };

        const writes: [string, () => Promise<unknown>][] = [
          ["commit", () => store.commit(old, aCommit({ position: "x" }, { k: "v" }), at)],
          ["renew", () => store.renew(old, at)],
          ["isCancelled", () => store.isCancelled(old)],
          ["settle", () => store.settle(old, aSettlement("arr-1", { events: [anEvent(1)] }), lease)],
          ["hold", () => store.hold(old, { arrivalId: "arr-1", parkId: "p", ...at })],
          ["release", () => store.release(old, { now: T0, commit: aCommit({}, { k: "v" }) })],
        ];
        for (const [, write] of writes) await refusesUnchanged(write, LeaseLostError);
      });

      it("S-23 S-86 refuses a former owner though a new session of the same id has come to its fence", async () => {
        await accept("arr-1");
        const { lease: old } = won(await claim());
        const later = T0 + LEASE_MS;
        await store.beginDelete("s1", later);
        await store.finishDelete("s1");
        await accept("arr-2", { acceptedAt: later });
        expect(won(await claim(later, "b")).lease.fence).toBe(old.fence);
        const at = { now: later, ...lease };

        const writes: (() => Promise<unknown>)[] = [
          () => store.commit(old, aCommit({ position: "x" }, { k: "v" }), at),
          () => store.renew(old, at),
          () => store.settle(old, aSettlement("arr-2"), lease),
          () => store.hold(old, { arrivalId: "arr-2", parkId: "p", ...at }),
          () => store.release(old, { now: later }),
        ];
        for (const write of writes) await refusesUnchanged(write, LeaseLostError);
      });

      it("S-23 refuses an owner's writes after it released", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        await store.release(mine, { now: T0 });

        await refusesUnchanged(
          () => store.commit(mine, aCommit({}, { k: "v" }), { now: T0, ...lease }),
          LeaseLostError,
        );
      });

      it("S-24 lets an owner whose lease ran out go on while nobody has taken over", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        const late = T0 + 10 * LEASE_MS;
        await store.commit(mine, aCommit({ position: "late" }), { now: late, ...lease });

        expect(await claim(late + 1, "b")).toEqual({ kind: "busy", until: late + LEASE_MS });
      });

      it("S-24 renews with a step only a lease of which a third is over", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        const expiry = async () => {
          const record = (await store.read("s1"))?.record;
          expect(record?.dueAt).toBe(record?.lease?.expiresAt);
          return record?.dueAt;
        };
        await store.commit(mine, aCommit({ position: "early" }), { now: T0 + LEASE_MS / 3 - 1, ...lease });
        expect(await expiry()).toBe(T0 + LEASE_MS);
        await store.commit(mine, aCommit({ position: "later" }), { now: T0 + LEASE_MS / 3, ...lease });
        expect(await expiry()).toBe(T0 + LEASE_MS / 3 + LEASE_MS);
      });

      it("F-1 F-3 keeps the due mark at the lease's expiry through renewals and accepts", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        expect(await store.renew(mine, { now: T0 + 20_000, ...lease })).toEqual({ cancelled: false });
        await accept("arr-2", { acceptedAt: T0 + 25_000 });

        expect((await store.read("s1"))?.record).toMatchObject({
          dueAt: T0 + 20_000 + LEASE_MS,
          lease: { expiresAt: T0 + 20_000 + LEASE_MS },
        });
      });
    });

    describe("children", () => {
      const CHILD = "s1~1";
      const at = { now: T0, ...lease };
      const claimChild = (caller: Lease, sessionId = CHILD, now = T0) =>
        store.claimChild(caller, { sessionId, workflow: "billing", now });

      /** The root's owner, with its arrival under way. */
      async function owner(now = T0, name = "a") {
        return won(await claim(now, name)).lease;
      }
      async function root() {
        await accept("arr-1");
        return owner();
      }
      const seenChild = () => Promise.all([seen(), seen(CHILD)]);

      it("S-28 S-43 makes a child under its caller's fence, with a thread of its own and none of what makes others run it", async () => {
        const mine = await root();

        const child = await claimChild(mine);
        expect(child).toMatchObject({ lease: { sessionId: CHILD, owner: "a", fence: 1 }, thread: [] });
        expect(child.record).toMatchObject({
          sessionId: CHILD,
          workflow: "billing",
          status: null,
          fence: 1,
          lease: null,
        });
        await store.commit(child.lease, aCommit({ status: "running", position: "one" }, { k: "v" }), at);

        const read = await under.open().read(CHILD);
        expect(read).toMatchObject({ record: { position: "one", lease: null, active: null, dueAt: null }, queued: 0 });
        expect(read?.thread).toEqual([{ key: "k", value: "v" }]);
        expect((await store.read("s1"))?.thread).toEqual([]);
        expect(read?.record).toEqual({ ...child.record, status: "running", position: "one" });
      });

      it("S-43 gives its owner the child again, as it stands", async () => {
        const mine = await root();
        const child = await claimChild(mine);
        await store.commit(child.lease, aCommit({ status: "completed" }, { k: "v" }), at);

        const again = await claimChild(mine);
        expect(again.lease).toEqual(child.lease);
        expect(again).toMatchObject({ record: { status: "completed" }, thread: [{ key: "k", value: "v" }] });
        await store.commit(again.lease, aCommit({ position: "two" }, { k: "w" }), at);
        expect(await store.read(CHILD)).toMatchObject({ record: { position: "two" }, thread: [{ value: "w" }] });
      });

      it("S-28 S-23 F-1 lets a later owner of the root take the child over, and the former write nothing more", async () => {
        const old = await claimChild(await root());
        await store.commit(old.lease, aCommit({ status: "running" }, { k: "v" }), at);
        const later = T0 + LEASE_MS;
        const other = under.open();
        const mine = won(await other.claim("s1", { owner: "b", now: later, leaseMs: LEASE_MS })).lease;

        const child = await other.claimChild(mine, { sessionId: CHILD, workflow: "billing", now: later });
        expect(child).toMatchObject({
          lease: { fence: 2, owner: "b" },
          record: { fence: 2 },
          thread: [{ value: "v" }],
        });
        const before = await seenChild();
        await expect(store.commit(old.lease, aCommit({}, { k: "w" }), at)).rejects.toBeInstanceOf(LeaseLostError);
        await expect(store.isCancelled(old.lease)).rejects.toBeInstanceOf(LeaseLostError);
        await expect(store.renew(old.lease, at)).rejects.toBeInstanceOf(LeaseLostError);
        expect(await seenChild()).toEqual(before);
        await other.commit(child.lease, aCommit({}, { k: "w" }), at);
        expect((await store.read(CHILD))?.thread).toEqual([{ key: "k", value: "w" }]);
      });

      it("S-28 S-23 refuses a child to a former owner of the root, one that is there and one that is not", async () => {
        const old = await root();
        await claimChild(old);
        const mine = won(await under.open().claim("s1", { owner: "b", now: T0 + LEASE_MS, leaseMs: LEASE_MS })).lease;

        const before = await seenChild();
        await expect(claimChild(old)).rejects.toBeInstanceOf(LeaseLostError);
        await expect(claimChild(old, "s1~2")).rejects.toBeInstanceOf(LeaseLostError);
        await expect(claimChild({ ...mine, owner: "a" }, "s1~2")).rejects.toBeInstanceOf(LeaseLostError);
        expect(await seenChild()).toEqual(before);
        expect(await store.read("s1~2")).toBeNull();
      });

      it("S-28 makes one child, however often its owner claims it at a time", async () => {
        const mine = await root();
        const handles = Array.from({ length: 5 }, () => under.open());
        const claims = await Promise.all(
          handles.map((handle) => handle.claimChild(mine, { sessionId: CHILD, workflow: "billing", now: T0 })),
        );

        for (const claimed of claims) expect(claimed).toEqual(claims[0]);
        await store.commit(claims[0]!.lease, aCommit({}, { k: "v" }), at);
      });

      it("S-28 R-179 takes a child of a child under the same fence", async () => {
        const child = await claimChild(await root());
        const grandchild = await claimChild(child.lease, "s1~1~1");
        expect(grandchild.lease).toEqual({ sessionId: "s1~1~1", owner: "a", fence: 1 });
        await store.commit(grandchild.lease, aCommit({ status: "running" }, { k: "v" }), at);
        expect((await store.read(CHILD))?.thread).toEqual([]);

        const mine = await owner(T0 + LEASE_MS, "b");
        await expect(claimChild(mine, "s1~1~1")).rejects.toThrow("is no child of");
        const taken = await claimChild(mine);
        await expect(claimChild(child.lease, "s1~1~1")).rejects.toBeInstanceOf(LeaseLostError);
        await claimChild(taken.lease, "s1~1~1");
        await expect(store.commit(grandchild.lease, aCommit(), at)).rejects.toBeInstanceOf(LeaseLostError);
      });

      it("S-66 S-28 is never due and never claimed, parked with a time to wake at or not", async () => {
        const mine = await root();
        const { lease: held } = await claimChild(mine);
        await store.commit(held, aCommit(anInputPark({ resumeAt: T0 + 5 }), { k: "v" }), at);
        await store.renew(held, at);
        await store.settle(mine, aSettlement("arr-1", { commit: aCommit({ status: "completed" }) }), lease);

        const later = T0 + DAY_MS;
        expect(await store.due(T0 + 365 * DAY_MS, { limit: 10 })).toEqual([]);
        expect(await claim(later, "b", CHILD)).toEqual({ kind: "idle" });
        expect(await store.cancel(CHILD, later)).toBe(false);
        expect(await store.expire(CHILD, later)).toBe(false);
        expect((await store.read(CHILD))?.record).toMatchObject({ dueAt: null, lease: null, active: null, fence: 1 });
      });

      it("R-200 S-14 is listed once it runs, by its last activity, to within a third of a lease", async () => {
        const mine = await root();
        const { lease: held } = await claimChild(mine);
        expect(await store.list()).toEqual([]);
        const updatedAt = async (now: number, record: Parameters<typeof aCommit>[0]) => {
          await store.commit(held, aCommit(record, { k: String(now) }), { now, ...lease });
          return (await store.list({ workflow: "billing" }))[0]?.updatedAt;
        };

        expect(await updatedAt(T0 + 1, { status: "running" })).toBe(T0 + 1);
        expect(await updatedAt(T0 + LEASE_MS / 3, { position: "two" })).toBe(T0 + 1);
        expect(await updatedAt(T0 + 1 + LEASE_MS / 3, { position: "three" })).toBe(T0 + 1 + LEASE_MS / 3);
        expect(await updatedAt(T0 + 2 + LEASE_MS / 3, { status: "completed" })).toBe(T0 + 2 + LEASE_MS / 3);
        expect((await store.list({ status: "completed" })).map(({ sessionId }) => sessionId)).toEqual([CHILD]);
      });

      it("S-22 takes the lease that the caller had yet to take", async () => {
        await accept("arr-1");
        const request = { owner: "a", now: T0, leaseMs: LEASE_MS, mayTakeLater: true as const };
        const { lease: mine } = won(await store.claim("s1", request));

        await claimChild(mine);
        expect((await under.open().read("s1"))?.record).toMatchObject({ fence: 1, lease: { owner: "a" } });
        await store.commit(mine, aCommit({}, { k: "v" }), at);
      });

      it("S-28 gives nothing of an earlier session's child under the same id", async () => {
        const old = await claimChild(await root());
        await store.commit(old.lease, aCommit({ status: "completed" }, { k: "v" }), at);
        await store.beginDelete("s1", T0 + LEASE_MS);
        await store.finishDelete("s1");
        await accept("arr-2", { acceptedAt: T0 + LEASE_MS });
        const mine = await owner(T0 + LEASE_MS);
        expect(mine.fence).toBe(old.lease.fence);

        const before = await seenChild();
        await expect(claimChild(mine)).rejects.toBeInstanceOf(ChildLeftOverError);
        expect(await seenChild()).toEqual(before);
      });
    });

    describe("committing", () => {
      it("S-30 makes a step visible whole: items put, replaced and removed, and the record's fields", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        const at = { now: T0 + 1, ...lease };
        await store.commit(mine, aCommit({ position: "one", status: "running" }, { b: "2", a: "1" }), at);
        await store.commit(mine, aCommit({ position: "two" }, { b: "3", c: "4" }, ["a"]), at);

        const read = await under.open().read("s1");
        expect(read?.thread).toEqual([
          { key: "b", value: "3" },
          { key: "c", value: "4" },
        ]);
        expect(read?.record).toMatchObject({ position: "two", status: "running", fence: 1 });
      });

      it("F-43 keeps a value of 3 MB and text in any script as it was", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        const value = JSON.stringify({ text: "ä漢🙂\u0000".repeat(300_000) });
        await store.commit(mine, aCommit({ title: "漢字 🙂" }, { big: value }), { now: T0, ...lease });

        const read = await under.open().read("s1");
        expect(read?.thread[0]?.value === value).toBe(true);
        expect(read?.record.title).toBe("漢字 🙂");
      });

      it("F-34 reads a park back as it was written", async () => {
        const park = { parkId: "p/1:ü", state: "warten", resumeAt: T0 + 5, reason: "„auf Post“ \\ '" } as const;
        await parkedAt(park);

        expect((await store.read("s1"))?.record.park).toEqual({ channel: "input", ...park });
      });
    });

    describe("attempts", () => {
      it("S-89 counts claims without a committed step, and a step sets the count to zero", async () => {
        await accept("arr-1");
        const attempts: number[] = [];
        for (let n = 0; n < 3; n += 1) attempts.push(won(await claim(T0 + n * LEASE_MS, `w${n}`)).work.attempt);
        const alive = won(await claim(T0 + 3 * LEASE_MS, "w3"));
        await store.commit(alive.lease, aCommit(), { now: T0 + 3 * LEASE_MS, ...lease });
        const next = won(await claim(T0 + 4 * LEASE_MS, "w4"));

        expect(attempts).toEqual([1, 2, 3]);
        expect(alive.work.attempt).toBe(4);
        expect(next.work.attempt).toBe(1);
      });

      it("S-89 delays the next attempt until retryAt, with a due mark", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        await store.release(mine, { now: T0, retryAt: T0 + 4_000, failed: "the provider is down" });

        expect(await claim(T0 + 3_999, "b")).toEqual({ kind: "idle", dueAt: T0 + 4_000 });
        expect(await store.due(T0 + 4_000, { limit: 1 })).toEqual([{ sessionId: "s1", dueAt: T0 + 4_000 }]);
        const retried = won(await claim(T0 + 4_000, "b"));
        expect(retried.work.attempt).toBe(2);
        expect(retried.record).toMatchObject({ lastFailure: "the provider is down", retryAt: null });
      });

      it("S-50 S-56 does not count a hand-over that committed, nor one that only waits", async () => {
        await accept("arr-1");
        await accept("arr-2");
        const first = won(await claim());
        await store.release(first.lease, { now: T0, commit: aCommit({ position: "half" }, { k: "v" }) });
        expect(await store.due(T0, { limit: 1 })).toEqual([{ sessionId: "s1", dueAt: T0 }]);

        const second = won(await claim(T0, "b"));
        expect(second).toMatchObject({ work: { attempt: 1, arrival: { id: "arr-1" } }, record: { position: "half" } });
        expect(second.thread).toEqual([{ key: "k", value: "v" }]);
        await store.release(second.lease, { now: T0, retryAt: T0 + 60_000 });
        expect(won(await claim(T0 + 60_000, "c")).work).toMatchObject({ attempt: 1, arrival: { id: "arr-1" } });
      });

      it("S-56 counts and delays a hand-over without a step", async () => {
        await accept("arr-1");
        await store.release(won(await claim()).lease, { now: T0 });

        expect(await claim(T0, "b")).toEqual({ kind: "idle", dueAt: T0 + 1_000 });
        expect(won(await claim(T0 + 1_000, "b")).work.attempt).toBe(2);
      });

      it("S-21 takes the arrival under way before any other, also when it waits", async () => {
        await accept("arr-1");
        await accept("arr-2");
        const { lease: mine } = won(await claim());
        await store.release(mine, { now: T0, retryAt: T0 + 5_000, failed: "x" });

        expect((await claim(T0 + 1, "b")).kind).toBe("idle");
        expect(won(await claim(T0 + 5_000, "b")).work.arrival.id).toBe("arr-1");
      });
    });

    describe("settling", () => {
      it("S-32 S-15 writes step, outcome, events and dead letter at once and releases the lease", async () => {
        await accept("arr-1");
        const { lease: mine, work } = won(await claim());
        const deadLetter = { id: "d1", arrival: work.arrival, attempts: 1, reason: "why", at: T0, expiresAt: T0 + 90 };
        const next = await store.settle(
          mine,
          aSettlement("arr-1", {
            outcome: OUTCOME,
            commit: aCommit({ status: "completed" }, { k: "v" }),
            events: [anEvent(1), anEvent(2)],
            deadLetter,
            now: T0 + 7,
          }),
          lease,
        );

        expect(next).toBeNull();
        expect(await store.read("s1")).toMatchObject({
          queued: 0,
          thread: [{ key: "k", value: "v" }],
          record: { status: "completed", lease: null, active: null, unpublished: 2, updatedAt: T0 + 7, dueAt: T0 + 7 },
        });
        expect(await store.receipt("arr-1", T0)).toMatchObject({ status: "settled", outcome: OUTCOME });
        expect(await store.unpublished("s1")).toEqual([anEvent(1), anEvent(2)]);
        expect(await store.deadLetters(T0 + 89)).toEqual([deadLetter]);
        expect(await store.deadLetters(T0 + 90)).toEqual([]);
      });

      it("S-93 keeps the first letter under an id, until it expires", async () => {
        const firing = { ...anAccept({ id: "never", sessionId: "", source: "bus" }).arrival };
        const letter = refusedLetter(firing, { reason: "no such trigger", at: T0 });

        expect(await store.keepDeadLetter(letter)).toEqual(letter);
        const again = await store.keepDeadLetter({ ...letter, reason: "another", at: T0 + 1 });
        expect(again).toEqual(letter);
        expect(await under.open().deadLetter(letter.id, T0 + 1)).toEqual(letter);
        expect(await store.deadLetters(T0)).toEqual([letter]);
        expect(letter).toMatchObject({ attempts: 0, arrival: { seq: 0, sessionId: "" } });

        expect(await store.deadLetter(letter.id, letter.expiresAt)).toBeNull();
        const later = { ...letter, at: letter.expiresAt, expiresAt: letter.expiresAt + 1 };
        expect(await store.keepDeadLetter(later)).toEqual(later);
        expect(await store.deadLetter("unknown", T0)).toBeNull();
      });

      it("S-15 keeps the error of a refused arrival in its receipt", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        const error = { name: "SessionNotParkedError", message: "no park", sessionId: "s1" };
        await store.settle(mine, aSettlement("arr-1", { status: "refused", error }), lease);

        expect(await store.receipt("arr-1", T0)).toMatchObject({ status: "refused", error });
        expect((await store.read("s1"))?.record.status).toBeNull();
      });

      it("S-25 F-6 goes on with an arrival accepted between the owner's last look and its release", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        expect((await store.read("s1"))?.queued).toBe(0);
        await under.open().accept(anAccept({ id: "arr-2", acceptedAt: T0 + 1 }));
        const next = await store.settle(mine, aSettlement("arr-1", { now: T0 + 2 }), lease);

        expect(next).toMatchObject({ attempt: 1, arrival: { id: "arr-2" } });
        expect((await store.read("s1"))?.record).toMatchObject({
          lease: { owner: "a", expiresAt: T0 + 2 + LEASE_MS },
          fence: 1,
          dueAt: T0 + 2 + LEASE_MS,
        });
        expect(await store.receipt("arr-2", T0)).toMatchObject({ status: "running" });
      });

      it("S-2 settles an arrival once: what is not under way cannot be settled", async () => {
        await accept("arr-1");
        await accept("arr-2");
        const { lease: mine } = won(await claim());
        await store.settle(mine, aSettlement("arr-1"), lease);

        await refusesUnchanged(() => store.settle(mine, aSettlement("arr-1"), lease), Error);
      });
    });

    describe("holding", () => {
      const firing = { source: "webhook", input: { kind: "turn", trigger: "order" } } as const;

      it("S-19 F-5 passes a held arrival while its park lasts and looks at it again afterwards, in order", async () => {
        await parkedAt({ parkId: "h1", channel: "decision", state: "review" });
        await accept("arr-1", firing);
        await accept("arr-2");
        await accept("arr-3");
        const { lease: mine } = won(await claim(T0, "b"));
        const hold = { arrivalId: "arr-1", parkId: "h1", now: T0, ...lease };
        const passed = await store.hold(mine, hold);
        expect(passed?.arrival.id).toBe("arr-2");
        expect(await store.receipt("arr-1", T0)).toMatchObject({ status: "queued" });
        expect((await store.read("s1"))?.queued).toBe(2);

        const commit = aCommit({ status: "completed", park: null });
        const next = await store.settle(mine, aSettlement("arr-2", { commit }), lease);
        expect(next?.arrival).toMatchObject({ id: "arr-1", seq: 2, heldBy: "h1" });
      });

      it("S-19 looks at a held arrival again when another park follows the one that held it", async () => {
        await parkedAt({ parkId: "h1", channel: "decision", state: "review" });
        await accept("arr-1", firing);
        await accept("arr-2");
        const { lease: mine } = won(await claim(T0, "b"));
        await store.hold(mine, { arrivalId: "arr-1", parkId: "h1", now: T0, ...lease });
        const commit = aCommit(anInputPark({ parkId: "h2", channel: "decision" }));

        expect((await store.settle(mine, aSettlement("arr-2", { commit }), lease))?.arrival.id).toBe("arr-1");
      });

      it("S-19 lets the session rest while only held arrivals wait, and finds them again after 30 days", async () => {
        await parkedAt({ parkId: "h1", channel: "decision", state: "review" });
        await accept("arr-1", firing);
        const { lease: mine } = won(await claim(T0, "b"));
        expect(await store.hold(mine, { arrivalId: "arr-1", parkId: "h1", now: T0, ...lease })).toBeNull();

        const end = T0 + HELD_LIMIT_MS;
        expect(await claim(end - 1, "c")).toEqual({ kind: "idle", dueAt: end });
        expect(won(await claim(end, "c")).work.arrival.id).toBe("arr-1");
      });
    });

    it("F-75 gives a wake-up the hops of the arrival before it", async () => {
      await accept("arr-0", { hops: 4 });
      const first = won(await claim());
      expect(first.work.arrival.hops).toBe(4);
      const commit = aCommit(anInputPark({ resumeAt: T0 + 5 }));
      await store.settle(first.lease, aSettlement("arr-0", { commit }), lease);

      const wake = won(await claim(T0 + 5));
      expect(wake.work.arrival).toMatchObject({ source: "wake", hops: 4 });
      await store.settle(wake.lease, aSettlement(wake.work.arrival.id, { commit }), lease);
      await accept("arr-1");
      const last = won(await claim(T0 + 6));
      await store.settle(
        last.lease,
        aSettlement("arr-1", { commit: aCommit(anInputPark({ parkId: "p2", resumeAt: T0 })) }),
        lease,
      );
      expect(won(await claim(T0 + 7)).work.arrival.hops).toBeUndefined();
    });

    describe("waking", () => {
      const resumeAt = T0 + 3_600_000;

      it("S-58 S-59 S-61 F-23 is due at resumeAt, not before, with a delivery made from the park", async () => {
        await parkedAt({ resumeAt });

        expect(await store.due(resumeAt, { limit: 5 })).toEqual([{ sessionId: "s1", dueAt: resumeAt }]);
        expect(await claim(resumeAt - 1)).toEqual({ kind: "idle", dueAt: resumeAt });
        const { work } = won(await claim(resumeAt + 5));
        expect(work).toEqual({
          attempt: 1,
          arrival: {
            id: wakeArrivalId("s1", "p1"),
            sessionId: "s1",
            seq: 0,
            source: "wake",
            workflow: "orders",
            input: { kind: "delivery", trigger: "timer", variables: { now: new Date(resumeAt + 5).toISOString() } },
            acceptedAt: resumeAt + 5,
            wakes: "p1",
          },
        });
      });

      it("S-59 F-26 wakes a park once, however many wakers come", async () => {
        await parkedAt({ resumeAt });
        const claims = await Promise.all(Array.from({ length: 20 }, (_, n) => claim(resumeAt, `w${n}`)));
        const winners = claims.filter((result) => result.kind === "claimed");
        expect(winners).toHaveLength(1);
        const { lease: mine, work } = won(winners[0] ?? { kind: "idle" });
        const commit = aCommit({ status: "completed", park: null });
        await store.settle(mine, aSettlement(work.arrival.id, { commit, now: resumeAt }), lease);

        expect(await claim(resumeAt + DAY_MS)).toEqual({ kind: "idle" });
        expect(await store.due(resumeAt + DAY_MS, { limit: 5 })).toEqual([]);
      });

      it("S-60 S-63 F-24 wakes a second park for the same instant, by whoever finds it due", async () => {
        await parkedAt({ resumeAt });
        const { lease: mine, work } = won(await claim(resumeAt));
        const commit = aCommit(anInputPark({ parkId: "p2", resumeAt }));
        const next = await store.settle(mine, aSettlement(work.arrival.id, { commit, now: resumeAt }), lease);
        const due = await store.due(resumeAt, { limit: 5 });
        const second = won(await claim(resumeAt));

        expect(next).toBeNull();
        expect(due).toMatchObject([{ sessionId: "s1" }]);
        expect(second.work.arrival).toMatchObject({ wakes: "p2", id: wakeArrivalId("s1", "p2") });
      });

      it("S-62 S-70 takes an accepted arrival before the wake-up, which is then moot", async () => {
        await parkedAt({ resumeAt });
        await accept("arr-1", { acceptedAt: resumeAt + 1 });
        const { lease: mine, work } = won(await claim(resumeAt + 2));
        expect(work.arrival.id).toBe("arr-1");
        const commit = aCommit({ status: "completed", park: null });

        expect(await store.settle(mine, aSettlement("arr-1", { commit, now: resumeAt + 2 }), lease)).toBeNull();
      });

      it("S-69 wakes no park that waits for a decision or names no time", async () => {
        await parkedAt({ channel: "decision", resumeAt });
        expect(await claim(resumeAt + DAY_MS)).toEqual({ kind: "idle" });
        expect(await store.due(resumeAt + DAY_MS, { limit: 5 })).toEqual([]);
      });

      it("F-27 S-91 tries a failed wake-up again with growing pauses, neither dropped nor in a hurry", async () => {
        await parkedAt({ resumeAt });
        let now = resumeAt;
        const pauses: number[] = [];
        for (let n = 1; n <= 14; n += 1) {
          const { lease: mine, work } = won(await claim(now, `w${n}`));
          expect(work.attempt).toBe(n);
          await store.release(mine, { now, failed: "no model" });
          const idle = await claim(now, "x");
          const dueAt = idle.kind === "idle" ? (idle.dueAt ?? 0) : 0;
          expect(await store.due(dueAt, { limit: 1 })).toEqual([{ sessionId: "s1", dueAt }]);
          pauses.push(dueAt - now);
          now = dueAt;
        }

        expect(pauses.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
        expect(pauses.at(-1)).toBe(3_600_000);
        expect((await store.read("s1"))?.record).toMatchObject({
          wakeFailures: 14,
          active: null,
          park: { parkId: "p1" },
        });
      });

      it("F-27 S-62 counts a wake-up whose owner vanished as failed, and lets an event pass it", async () => {
        await parkedAt({ resumeAt });
        won(await claim(resumeAt, "dead"));
        const lapsed = resumeAt + LEASE_MS;
        expect(await claim(lapsed, "b")).toEqual({ kind: "idle", dueAt: lapsed + 1_000 });
        await accept("arr-1", { acceptedAt: lapsed });

        const { record, work } = won(await claim(lapsed, "b"));
        expect(work.arrival.id).toBe("arr-1");
        expect(record.wakeFailures).toBe(1);
      });

      it("F-27 S-91 takes a wake-up for an arrival like any other once its delivery has committed", async () => {
        await parkedAt({ resumeAt });
        await store.release(won(await claim(resumeAt)).lease, { now: resumeAt, retryAt: resumeAt, failed: "once" });
        const { lease: mine } = won(await claim(resumeAt, "dead"));
        await store.commit(mine, aCommit({ status: "running", park: null }), { now: resumeAt, ...lease });
        await accept("arr-1", { acceptedAt: resumeAt });

        const { record, work } = won(await claim(resumeAt + LEASE_MS, "b"));
        expect(work).toMatchObject({ attempt: 1, arrival: { source: "wake", wakes: "p1" } });
        expect(record).toMatchObject({ wakeFailures: 0, wakeRetryAt: null });
      });

      it("F-27 pauses before a wake-up that settled without ending its park", async () => {
        await parkedAt({ resumeAt });
        const { lease: mine, work } = won(await claim(resumeAt));

        expect(await store.settle(mine, aSettlement(work.arrival.id, { now: resumeAt }), lease)).toBeNull();
        expect(await claim(resumeAt, "b")).toEqual({ kind: "idle", dueAt: resumeAt + 1_000 });
      });
    });

    describe("cancelling", () => {
      it("S-20 tells the owner of a running turn through the record, and is forgotten when it settles", async () => {
        expect(await store.cancel("s1", T0)).toBe(false);
        await accept("arr-1");
        await accept("arr-2");
        expect(await store.cancel("s1", T0)).toBe(false);
        const { lease: mine } = won(await claim());

        expect(await store.isCancelled(mine)).toBe(false);
        expect(await store.cancel("s1", T0)).toBe(true);
        expect(await store.isCancelled(mine)).toBe(true);
        expect(await store.renew(mine, { now: T0, ...lease })).toEqual({ cancelled: true });
        expect(await store.commit(mine, aCommit(), { now: T0, ...lease })).toEqual({ cancelled: true });
        expect((await store.read("s1"))?.record.cancelRequested).toBe(true);
        await store.settle(mine, aSettlement("arr-1", { status: "error" }), lease);
        expect(await store.renew(mine, { now: T0, ...lease })).toEqual({ cancelled: false });
        expect(await store.commit(mine, aCommit(), { now: T0, ...lease })).toEqual({ cancelled: false });
      });

      it("S-20 S-50 is not put off by an owner that gives the turn back for later", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        await store.cancel("s1", T0);
        await store.release(mine, { now: T0, retryAt: T0 + DAY_MS });

        expect(await store.due(T0, { limit: 1 })).toEqual([{ sessionId: "s1", dueAt: T0 }]);
        expect(won(await claim(T0, "b")).record.cancelRequested).toBe(true);
      });

      it("S-20 S-50 reaches a turn without an owner at once, though it pauses", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        await store.release(mine, { now: T0, retryAt: T0 + DAY_MS, failed: "x" });

        expect(await store.cancel("s1", T0 + 5)).toBe(true);
        expect(await store.due(T0 + 5, { limit: 1 })).toEqual([{ sessionId: "s1", dueAt: T0 + 5 }]);
        expect(won(await claim(T0 + 5, "b")).record.cancelRequested).toBe(true);
      });

      it("S-50 does not let a cancelled turn wait when its owner gives it back", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        await store.cancel("s1", T0);
        await store.release(mine, { now: T0 + 1, retryAt: T0 + DAY_MS });

        expect(won(await claim(T0 + 1, "b")).record.cancelRequested).toBe(true);
      });

      it("S-20 S-15 removes a queued arrival as superseded, and leaves the running one", async () => {
        await accept("arr-1");
        await accept("arr-2");
        const { lease: mine } = won(await claim());

        expect(await store.cancel("s1", T0, { arrivalId: "arr-2" })).toBe(true);
        expect(await store.receipt("arr-2", T0)).toMatchObject({ status: "superseded" });
        expect((await store.read("s1"))?.record.cancelRequested).toBe(false);
        expect(await store.settle(mine, aSettlement("arr-1"), lease)).toBeNull();
        expect(await store.cancel("s1", T0, { arrivalId: "arr-2" })).toBe(false);
      });
    });

    describe("finding sessions", () => {
      it("F-56 lists sessions that have run, latest first, by status, workflow, time and number", async () => {
        for (const [n, sessionId] of ["s1", "s2", "s3"].entries()) {
          await accept(`l-${n}`, { sessionId, workflow: n === 2 ? "other" : "orders" });
          const { lease: mine } = won(await claim(T0, "a", sessionId));
          const commit =
            n === 0 ? aCommit({ status: "completed" }) : aCommit(anInputPark({ parkId: `p${n}`, resumeAt: T0 + n }));
          await store.settle(mine, aSettlement(`l-${n}`, { commit, now: T0 + n }), lease);
        }
        const ids = async (filter: Parameters<SessionStore["list"]>[0]) =>
          (await store.list(filter)).map((record) => record.sessionId);

        expect(await ids(undefined)).toEqual(["s3", "s2", "s1"]);
        expect(await ids({ limit: 2 })).toEqual(["s3", "s2"]);
        expect(await ids({ status: "completed" })).toEqual(["s1"]);
        expect(await ids({ workflow: "orders" })).toEqual(["s2", "s1"]);
        expect(await ids({ dueBefore: T0 + 1 })).toEqual(["s2"]);
        expect((await store.list({ status: "completed" }))[0]).toEqual((await store.read("s1"))?.record);
      });

      it("S-64 pages due sessions by time, oldest first, each once", async () => {
        for (let n = 0; n < 7; n += 1) {
          await accept(`d-${n}`, { sessionId: `s${n}`, acceptedAt: T0 + Math.floor(n / 3) });
        }
        const found: string[] = [];
        let page = await store.due(T0 + 1, { limit: 2 });
        while (page.length > 0) {
          found.push(...page.map((entry) => entry.sessionId));
          page = await store.due(T0 + 1, { limit: 2, after: page.at(-1) });
        }

        expect(found).toEqual(["s0", "s1", "s2", "s3", "s4", "s5"]);
      });
    });

    describe("publishing", () => {
      it("S-97 S-98 S-99 keeps events in order until they are published, with a due mark", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        const events = [anEvent(1), anEvent(2), anEvent(3)];
        await store.settle(mine, aSettlement("arr-1", { events }), lease);

        await store.published("s1", ["s1/1/1", "s1/1/2"], T0 + 1);
        expect(await store.unpublished("s1")).toEqual([anEvent(3)]);
        expect(await store.due(T0, { limit: 1 })).toHaveLength(1);
        await store.published("s1", ["s1/1/3", "s1/1/1"], T0 + 2);
        expect(await store.unpublished("s1")).toEqual([]);
        expect((await store.read("s1"))?.record).toMatchObject({ unpublished: 0, dueAt: null });
      });
    });

    describe("expiring", () => {
      const retention = { finishedMs: 10_000, openMs: 50_000 };
      const EXPIRY = T0 + 10_000;

      /** Runs one arrival to its end and lets the session rest. */
      async function ended(id: string, of: Parameters<typeof aSettlement>[1] = {}, at = T0) {
        const { lease: mine } = won(await claim(at));
        const settlement = { commit: aCommit({ status: "completed", park: null }), now: at, ...of };
        await store.settle(mine, aSettlement(id, settlement), { ...lease, retention });
      }

      it("S-81 S-82 is absent from its time on, found by its due mark, and deleted by one who comes", async () => {
        await accept("arr-1");
        await ended("arr-1", { outcome: OUTCOME, commit: aCommit({ status: "completed" }, { k: "v" }) });

        expect(await store.due(EXPIRY, { limit: 5 })).toEqual([{ sessionId: "s1", dueAt: EXPIRY }]);
        expect((await store.read("s1", EXPIRY - 1))?.record).toMatchObject({ expiresAt: EXPIRY });
        expect(await store.list({ now: EXPIRY - 1 })).toHaveLength(1);
        expect(await store.expire("s1", EXPIRY - 1)).toBe(false);

        expect(await store.read("s1", EXPIRY)).toBeNull();
        expect(await store.list({ now: EXPIRY })).toEqual([]);
        expect(await claim(EXPIRY)).toEqual({ kind: "idle", dueAt: EXPIRY });
        const takers = await Promise.all([store, under.open(), store].map((handle) => handle.expire("s1", EXPIRY)));
        expect(takers.filter(Boolean)).toHaveLength(1);

        await store.finishDelete("s1");
        expect(await store.read("s1")).toBeNull();
        expect(await store.due(T0 + DAY_MS, { limit: 5 })).toEqual([]);
        expect((await store.receipt("arr-1", EXPIRY))?.outcome).toMatchObject({ kind: "completed", reply: "" });
      });

      it("S-82 S-86 takes nothing in for what has expired, until it is gone", async () => {
        await accept("arr-1");
        await ended("arr-1", { commit: aCommit({ status: "completed" }, { k: "v" }) });

        await refusesUnchanged(() => accept("arr-2", { acceptedAt: EXPIRY }), SessionBusyError);
        await store.expire("s1", EXPIRY);
        await refusesUnchanged(() => accept("arr-2", { acceptedAt: EXPIRY }), SessionBusyError);
        await store.finishDelete("s1");
        await accept("arr-2", { acceptedAt: EXPIRY });
        expect(await store.read("s1", EXPIRY)).toMatchObject({
          thread: [],
          record: { acceptedSeq: 1, expiresAt: null },
        });
      });

      it("S-81 starts the time anew with every arrival, and keeps what waits for one longer", async () => {
        await accept("arr-1");
        await ended("arr-1");
        await accept("arr-2", { acceptedAt: EXPIRY - 1 });
        expect((await store.read("s1", EXPIRY))?.record).toMatchObject({ expiresAt: null, dueAt: EXPIRY - 1 });
        expect(await store.expire("s1", EXPIRY)).toBe(false);

        const commit = aCommit(anInputPark({ channel: "decision" }));
        await ended("arr-2", { commit }, EXPIRY);
        expect((await store.read("s1"))?.record).toMatchObject({ expiresAt: EXPIRY + 50_000, dueAt: EXPIRY + 50_000 });
      });

      it("S-81 expires nothing that is kept for ever, and no wait before its time", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        await store.settle(mine, aSettlement("arr-1", { commit: aCommit({ status: "completed" }) }), lease);
        expect((await store.read("s1"))?.record).toMatchObject({ expiresAt: null, dueAt: null });

        const resumeAt = T0 + 365 * DAY_MS;
        await accept("arr-2");
        await ended("arr-2", { commit: aCommit(anInputPark({ resumeAt })) });
        expect((await store.read("s1"))?.record).toMatchObject({ expiresAt: null, dueAt: resumeAt });
      });

      it("S-81 S-19 S-20 expires nothing while an arrival waits, and counts from its withdrawal", async () => {
        await accept("arr-0");
        await ended("arr-0", { commit: aCommit(anInputPark({ parkId: "h1", channel: "decision" })) });
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        await store.hold(mine, { arrivalId: "arr-1", parkId: "h1", now: T0, leaseMs: LEASE_MS });
        expect((await store.read("s1"))?.record.expiresAt).toBeNull();

        await store.cancel("s1", T0 + 7, { arrivalId: "arr-1" });
        expect((await store.read("s1"))?.record).toMatchObject({ expiresAt: T0 + 50_007, dueAt: T0 + 50_007 });
      });

      it("S-83 S-98 lets events out first", async () => {
        await accept("arr-1");
        await ended("arr-1", { events: [anEvent(1)] });

        expect(await store.expire("s1", EXPIRY)).toBe(false);
        expect((await store.read("s1"))?.record.dueAt).toBe(T0);
        await store.published("s1", [anEvent(1).id], EXPIRY);
        expect((await store.read("s1"))?.record.dueAt).toBe(EXPIRY);
        expect(await store.expire("s1", EXPIRY)).toBe(true);
      });

      it("S-84 is taken over by whoever finds it due, where it was not carried through", async () => {
        await accept("arr-1");
        await ended("arr-1");
        await store.expire("s1", EXPIRY);
        const later = EXPIRY + DELETION_RETRY_MS;

        expect(await store.expire("s1", later - 1)).toBe(false);
        expect(await store.due(later, { limit: 5 })).toEqual([{ sessionId: "s1", dueAt: later }]);
        expect(await claim(later)).toEqual({ kind: "idle", dueAt: later });
        expect([await store.expire("s1", later), await store.expire("s1", later)]).toEqual([true, false]);
        await store.finishDelete("s1");
        expect(await store.read("s1")).toBeNull();
      });
    });

    describe("deleting", () => {
      it("S-85 refuses while a lease lives, and changes nothing", async () => {
        await accept("arr-1");
        won(await claim());

        await refusesUnchanged(() => store.beginDelete("s1", T0 + 1), SessionBusyError);
      });

      it("S-84 S-86 fences former owners, refuses what waits, and accepts nothing meanwhile", async () => {
        await accept("arr-1");
        await accept("arr-2");
        const { lease: mine } = won(await claim());
        await store.commit(mine, aCommit({ status: "running" }), { now: T0, ...lease });
        expect(await store.list()).toHaveLength(1);
        expect(await store.beginDelete("s1", T0 + LEASE_MS)).toBe(true);

        expect(await store.receipt("arr-1", T0)).toMatchObject({ status: "refused" });
        expect(await store.receipt("arr-2", T0)).toMatchObject({ status: "refused" });
        expect(await store.due(T0 + DELETION_RETRY_MS - 1, { limit: 5 })).toEqual([]);
        expect(await store.list()).toEqual([]);
        expect((await store.read("s1"))?.queued).toBe(0);
        await refusesUnchanged(
          () => store.commit(mine, aCommit({}, { k: "v" }), { now: T0, ...lease }),
          LeaseLostError,
        );
        await refusesUnchanged(() => accept("arr-3"), SessionBusyError);
        expect((await claim(T0 + DAY_MS, "b")).kind).toBe("idle");
        expect(await store.beginDelete("s1", T0 + LEASE_MS)).toBe(true);
      });

      it("S-84 S-87 F-47 removes all but receipts without content, and the id then names a new session", async () => {
        await accept("arr-1");
        const { lease: mine } = won(await claim());
        const commit = aCommit({ status: "completed" }, { k: "v" });
        const events = [anEvent(1)];
        await store.settle(mine, aSettlement("arr-1", { commit, events, outcome: OUTCOME }), lease);
        await accept("arr-2");
        await store.beginDelete("s1", T0);
        await store.finishDelete("s1");
        await store.finishDelete("s1");

        expect(await store.read("s1")).toBeNull();
        expect(await store.unpublished("s1")).toEqual([]);
        expect(await store.list()).toEqual([]);
        expect(await store.beginDelete("s1", T0)).toBe(false);
        const kept = await store.receipt("arr-1", T0);
        expect(kept).toMatchObject({ status: "settled", seq: 1, outcome: { kind: "completed", reply: "" } });
        expect(JSON.stringify(kept)).not.toContain("secret");
        expect(await store.receipt("arr-2", T0)).not.toHaveProperty("error");
        expect((await accept("arr-1")).kind).toBe("repeated");
        expect(await store.read("s1")).toBeNull();
        expect(await accept("arr-3")).toMatchObject({ kind: "accepted", receipt: { seq: 1 } });
        expect((await store.read("s1"))?.thread).toEqual([]);
      });

      it("S-84 removes nothing of a session that is not marked", async () => {
        await accept("arr-1");
        await store.finishDelete("s1");

        expect((await store.read("s1"))?.queued).toBe(1);
      });

      it("R-312 leaves sessions alone whose id begins with the deleted one's", async () => {
        const others = ["run7/cases/x", "run70", "run"];
        for (const sessionId of ["run7", ...others]) {
          await accept(`p-${sessionId}`, { sessionId });
          const { lease: mine } = won(await claim(T0, "a", sessionId));
          const child = await store.claimChild(mine, { sessionId: `${sessionId}~1`, workflow: "billing", now: T0 });
          await store.commit(child.lease, aCommit({ status: "completed" }, { k: sessionId }), { now: T0, ...lease });
          const commit = aCommit({ status: "completed" }, { k: sessionId });
          const events = [anEvent(1, { id: `${sessionId}/1/1`, sessionId })];
          await store.settle(mine, aSettlement(`p-${sessionId}`, { commit, events, outcome: OUTCOME }), lease);
        }
        const view = (sessionId: string) => seen(sessionId).then(({ read, events }) => ({ read, events }));
        const kept = [...others, "run7~1", ...others.map((sessionId) => `${sessionId}~1`)];
        const before = await Promise.all(kept.map(view));
        await store.beginDelete("run7", T0);
        await store.finishDelete("run7");

        expect(await Promise.all(kept.map(view))).toEqual(before);
        for (const sessionId of others) {
          expect(await store.receipt(`p-${sessionId}`, T0)).toMatchObject({ outcome: OUTCOME });
        }
      });
    });

    describe("deleting with children", () => {
      const at = { now: T0, ...lease };
      const CHILDREN = ["s1~1", "s1~1~1", "s1~2"];

      /** A root that has completed, with two children and a grandchild, each with something in it. */
      async function aFamily(rootEnds: Parameters<typeof aCommit>[0] = { status: "completed" }, id = "s1") {
        await accept(`root-${id}`, { sessionId: id });
        const mine = won(await claim(T0, "a", id)).lease;
        const child = async (caller: Lease, sessionId: string) => {
          const { lease: held } = await store.claimChild(caller, { sessionId, workflow: "billing", now: T0 });
          await store.commit(held, aCommit({ status: "completed" }, { k: "v" }), at);
          return held;
        };
        const first = await child(mine, `${id}~1`);
        await child(first, `${id}~1~1`);
        await child(mine, `${id}~2`);
        const settle = () => store.settle(mine, aSettlement(`root-${id}`, { commit: aCommit(rootEnds) }), lease);
        return { mine, first, settle };
      }
      const reads = (ids: readonly string[]) => Promise.all(ids.map((id) => store.read(id)));
      const remove = async (id: string, how?: Parameters<SessionStore["beginDelete"]>[2]) => {
        const isMarked = await store.beginDelete(id, T0, how);
        await store.finishDelete(id);
        return isMarked;
      };
      const refused = async (id: string, now = T0) => {
        const before = await store.read(id);
        await expect(store.beginDelete(id, now)).rejects.toBeInstanceOf(SessionBusyError);
        expect(await store.read(id)).toEqual(before);
      };

      it("S-88 R-301 leaves the children of a deleted root, listed, and readable by their ids", async () => {
        for (const id of ["s1", "s10", "\u00e9"]) await (await aFamily({ status: "completed" }, id)).settle();
        const before = await reads(CHILDREN);
        await remove("s1");

        expect(await reads(CHILDREN)).toEqual(before);
        const listed = (await store.list()).map(({ sessionId }) => sessionId);
        expect(listed).toEqual(expect.arrayContaining(CHILDREN));
        for (const id of ["s1", "s10", "\u00e9"]) {
          expect(await store.children(id)).toEqual({ sessionIds: [`${id}~1`, `${id}~2`], goAlong: false });
        }
        expect(await store.children("s1~1")).toEqual({ sessionIds: ["s1~1~1"], goAlong: false });
        expect(await store.children("s1~2")).toEqual({ sessionIds: [], goAlong: false });
        expect(await remove("s1~2")).toBe(true);
        expect(await remove("s1~2")).toBe(false);
        expect(await store.children("s1")).toEqual({ sessionIds: ["s1~1"], goAlong: false });
        expect(await reads(["s1~2", "s1~1~1"])).toEqual([null, before[1]]);
      });

      it("S-88 S-84 remembers that children go along, for whoever carries the deletion through", async () => {
        await (await aFamily()).settle();
        await store.beginDelete("s1", T0);
        expect((await store.children("s1")).goAlong).toBe(false);
        expect(await store.beginDelete("s1~1", T0, { withParent: true })).toBe(false);

        await store.beginDelete("s1", T0 + 1, { children: true });
        await store.beginDelete("s1", T0 + 2);
        expect(await under.open().children("s1")).toEqual({ sessionIds: ["s1~1", "s1~2"], goAlong: true });
        expect(await remove("s1~1", { withParent: true, children: true })).toBe(true);
        expect(await store.children("s1")).toEqual({ sessionIds: ["s1~2"], goAlong: true });
        expect(await remove("s1~1~1", { withParent: true })).toBe(false);
      });

      it("S-88 refuses to delete a child alone while its root works, and changes nothing", async () => {
        const { settle } = await aFamily();
        for (const id of CHILDREN) await refused(id);
        // A turn whose owner is gone goes on, and finds the child again (S-29, S-43).
        await refused("s1~1", T0 + LEASE_MS);
        await settle();

        expect(await remove("s1~1~1")).toBe(true);
      });

      it("S-88 refuses to delete a child that its root presents, or whose child it presents", async () => {
        const park = anInputPark({ channel: "decision", delegation: "s1~1~1" });
        await (await aFamily(park)).settle();
        await refused("s1~1");
        await refused("s1~1~1");

        expect(await remove("s1~2")).toBe(true);
        await store.beginDelete("s1", T0, { children: true });
        expect(await remove("s1~1", { withParent: true })).toBe(true);
      });

      it("S-84 S-23 ends what a former owner does to a child, and gives nobody the child meanwhile", async () => {
        const { mine, first } = await aFamily();
        const later = T0 + LEASE_MS;
        await store.beginDelete("s1", later, { children: true });
        const child = (sessionId: string) => ({ sessionId, workflow: "billing", now: T0 });
        await expect(store.claimChild(mine, child("s1~3"))).rejects.toBeInstanceOf(LeaseLostError);
        await store.beginDelete("s1~1", later, { withParent: true });

        await expect(store.commit(first, aCommit({}, { k: "w" }), at)).rejects.toBeInstanceOf(LeaseLostError);
        await expect(store.claimChild(first, child("s1~1~2"))).rejects.toBeInstanceOf(LeaseLostError);
        expect(await reads(["s1~3", "s1~1~2"])).toEqual([null, null]);
        expect((await store.list()).map(({ sessionId }) => sessionId).sort()).toEqual(["s1~1~1", "s1~2"]);
      });

      it("S-84 S-86 does not give a child out while it is being deleted, and brings somebody who ends that", async () => {
        await (await aFamily()).settle();
        await store.beginDelete("s1~2", T0);
        await accept("arr-2");
        const { lease: mine } = won(await claim());

        const child = { sessionId: "s1~2", workflow: "billing", now: T0 };
        await expect(store.claimChild(mine, child)).rejects.toBeInstanceOf(SessionBusyError);
        const due = await store.due(T0 + DELETION_RETRY_MS, { limit: 10 });
        expect(due).toContainEqual({ sessionId: "s1~2", dueAt: T0 + DELETION_RETRY_MS });
        expect(await claim(T0, "b", "s1~2")).toEqual({ kind: "idle", dueAt: T0 + DELETION_RETRY_MS });
        expect(await store.expire("s1~2", T0 + DELETION_RETRY_MS)).toBe(true);
        await store.finishDelete("s1~2");
        expect(await store.claimChild(mine, child)).toMatchObject({ record: { status: null }, thread: [] });
      });

      it("S-84 S-86 touches no child of a new session under the id, however late", async () => {
        const old = await aFamily();
        const later = T0 + LEASE_MS;
        await store.beginDelete("s1", later, { children: true });
        for (const id of ["s1~1", "s1~1~1", "s1~2"])
          await store.beginDelete(id, later, { withParent: true, children: true });
        for (const id of ["s1~1~1", "s1~1", "s1~2", "s1"]) await store.finishDelete(id);
        await accept("arr-2", { acceptedAt: later });
        const { lease: mine } = won(await claim(later, "b"));
        expect(mine.fence).toBe(old.mine.fence);
        const child = await store.claimChild(mine, { sessionId: "s1~1", workflow: "billing", now: later });
        await store.commit(child.lease, aCommit({ status: "running" }, { k: "new" }), at);

        expect(await store.beginDelete("s1~1", later, { withParent: true })).toBe(false);
        await store.finishDelete("s1~1");
        await expect(store.commit(old.first, aCommit({}, { k: "old" }), at)).rejects.toBeInstanceOf(LeaseLostError);
        await expect(store.isCancelled(old.first)).rejects.toBeInstanceOf(LeaseLostError);
        expect(await store.read("s1~1")).toMatchObject({ record: { deleting: false }, thread: [{ value: "new" }] });
      });

      it("S-88 lets go of what an earlier session of the id left, though the new one works", async () => {
        await (await aFamily()).settle();
        await remove("s1");
        await accept("arr-2", { acceptedAt: T0 + 1 });
        won(await claim(T0 + 1));

        expect(await remove("s1~1")).toBe(true);
      });

      it("S-81 S-83 marks the children of an expired session to go with it", async () => {
        const { mine } = await aFamily();
        const settlement = aSettlement("root-s1", { commit: aCommit({ status: "completed" }) });
        await store.settle(mine, settlement, { ...lease, retention: { finishedMs: 10 } });
        expect(await store.expire("s1", T0 + 9)).toBe(false);
        expect(await store.expire("s1~1", T0 + 365 * DAY_MS)).toBe(false);

        expect(await store.expire("s1", T0 + 10)).toBe(true);
        expect(await store.children("s1")).toEqual({ sessionIds: ["s1~1", "s1~2"], goAlong: true });
        expect(await store.expire("s1", T0 + 10 + DELETION_RETRY_MS)).toBe(true);
        expect((await store.children("s1")).goAlong).toBe(true);
      });
    });

    it("F-13 S-103 shows a fresh handle all that another wrote", async () => {
      await accept("arr-1");
      const { lease: mine }: { lease: Lease } = won(await claim());
      await store.commit(mine, aCommit({ status: "running" }, { k: "v" }), { now: T0, ...lease });

      const fresh = under.open();
      expect(await fresh.read("s1")).toEqual(await store.read("s1"));
      expect(await fresh.settle(mine, aSettlement("arr-1"), lease)).toBeNull();
      expect((await store.read("s1"))?.record.lease).toBeNull();
    });

    it("hands out copies: changing what was read or given changes nothing stored", async () => {
      const request = anAccept({ input: { kind: "turn", message: "m", variables: { a: [1] } } });
      await store.accept(request);
      const before = await seen();
      (request.arrival.input as { message: string }).message = "changed";
      const read = await store.read("s1");
      if (read) read.record.workflow = "changed";

      expect(await seen()).toEqual(before);
      expect(won(await claim()).work.arrival.input).toMatchObject({ message: "m" });
    });
  });
}
