/** Many at once on one session, each request delayed by chance: nothing is lost, doubled or done in another order. */
import { expect, it } from "vitest";
import { aCommit, anAccept, anEvent, aSettlement, lease, T0 } from "../../../test/harness/builders.js";
import { describeDynamoDb } from "../../../test/harness/dynamodb.js";
import { tap } from "../../../test/harness/dynamodb-wire.js";
import type { SessionStore } from "../../session/ports.js";
import { createDynamoSessionStore } from "./index.js";

const ARRIVALS = 16;
const WORKERS = 3;
const TIME = { now: T0, ...lease };

describeDynamoDb("concurrency", (db) => {
  function shaken(table: string): SessionStore {
    const client = tap(db.client(), "command", async (_, send) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
      return send();
    });
    return createDynamoSessionStore({ table, client });
  }

  it("S-2 S-16 S-25 settles each of many concurrent arrivals once, in order, with whole reads all the while", async () => {
    const table = await db.table();
    const settled: number[] = [];
    let isOver = false;

    const senders = Array.from({ length: ARRIVALS }, (_, n) => shaken(table).accept(anAccept({ id: `arr-${n}` })));
    const workers = Array.from({ length: WORKERS }, async (_, n) => {
      const store = shaken(table);
      while (settled.length < ARRIVALS) {
        const claim = await store.claim("s1", { owner: `w${n}`, ...TIME });
        if (claim.kind !== "claimed") continue;
        for (let work: typeof claim.work | null = claim.work; work !== null; ) {
          const { seq, id } = work.arrival;
          const [old, next] = [`c${seq - 1}`, `c${seq}`];
          const commit = aCommit({ status: "running", checkpoint: seq }, { [next]: "1", [`log${seq}`]: "1" }, [old]);
          await store.commit(claim.lease, commit, TIME);
          settled.push(seq);
          const event = anEvent(seq, { id: `s1/${seq}/1` });
          work = await store.settle(claim.lease, aSettlement(id, { events: [event] }), lease);
        }
      }
    });
    const reader = (async () => {
      const store = shaken(table);
      while (!isOver) {
        const read = await store.read("s1");
        // One checkpoint is there at any time, and it is the one that the record names.
        const checkpoints = read?.thread.filter(({ key }) => key.startsWith("c")).map(({ key }) => key) ?? [];
        expect(checkpoints).toEqual(read?.record.checkpoint == null ? [] : [`c${read.record.checkpoint}`]);
      }
    })();
    const publisher = (async () => {
      const store = shaken(table);
      const out: string[] = [];
      while (out.length < ARRIVALS) {
        const ids = (await store.unpublished("s1")).slice(0, 4).map(({ id }) => id);
        await store.published("s1", ids, T0);
        out.push(...ids);
      }
      return out;
    })();

    const receipts = await Promise.all(senders);
    await Promise.all(workers);
    const published = await publisher;
    isOver = true;
    await reader;

    const numbers = Array.from({ length: ARRIVALS }, (_, n) => n + 1);
    expect(receipts.map(({ receipt }) => receipt.seq).sort((a, b) => a - b)).toEqual(numbers);
    expect(settled).toEqual(numbers);
    expect(published).toEqual(numbers.map((n) => `s1/${n}/1`));
    const last = await shaken(table).read("s1");
    expect(last).toMatchObject({ queued: 0, record: { lease: null, active: null, unpublished: 0, dueAt: null } });
    expect(last?.thread).toHaveLength(ARRIVALS + 1);
  }, 60_000);
});
