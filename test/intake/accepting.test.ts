/** What accepting promises at an entrance, over every store (chapter S, 22). */
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { SessionStore } from "../../lib/session/ports.js";
import { createDynamoSessionStore, createMemoryLargeValues } from "../../lib/stores/dynamodb/index.js";
import { createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { createSqliteSessionStore } from "../../lib/stores/sqlite/index.js";
import { aSettlement } from "../harness/builders.js";
import { describeDynamoDb } from "../harness/dynamodb.js";
import { intakes } from "../harness/intake.js";
import { temporaryFolder } from "../harness/temporary.js";
import { ANSWERS } from "../turn/workflows.js";

const specs = { case: ANSWERS };
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

describe.each<[string, () => SessionStore]>([
  ["memory", createMemorySessionStore],
  [
    "SQLite",
    () => {
      const folder = temporaryFolder();
      const store = createSqliteSessionStore({ file: join(folder.dir, "parkway.db") });
      undo.push(folder.remove, () => store.close());
      return store;
    },
  ],
])("accepting into %s", (_name, open) => acceptingSuite(async () => open()));

describeDynamoDb("accepting into DynamoDB", (db) =>
  acceptingSuite(async () => {
    const client = db.client();
    const store = createDynamoSessionStore({ table: await db.table(), client, largeValues: createMemoryLargeValues() });
    undo.push(
      () => client.destroy(),
      () => store.close(),
    );
    return store;
  }),
);

function acceptingSuite(open: () => Promise<SessionStore>): void {
  const bench = intakes();
  const firing = { workflow: "case", message: "Go" };

  it("S-3 S-7 F-9 makes one arrival in one session of 50 concurrent accepts with one key, and gives 50 equal answers", async () => {
    const { intake, host, clock } = bench({ specs, host: { store: await open() } });

    const accepted = await Promise.all(
      Array.from({ length: 50 }, () => intake.fire(firing, { source: "webhook", key: "delivery-1" })),
    );

    const [first] = accepted;
    expect(new Set(accepted.map(({ receipt }) => JSON.stringify(receipt)))).toEqual(
      new Set([JSON.stringify(first?.receipt)]),
    );
    expect(accepted.filter(({ repeated }) => !repeated)).toHaveLength(1);
    const { sessionId = "", arrivalId = "" } = first?.receipt ?? {};
    expect(sessionId).toMatch(/^session-[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect((await host.store.read(sessionId))?.queued).toBe(1);
    expect(await host.store.due(clock.now(), { limit: 10 })).toMatchObject([{ sessionId }]);
    expect(await intake.known("webhook", "delivery-1")).toMatchObject({ arrivalId, seq: 1, status: "queued" });
  });

  it("S-5 S-6 keeps the same key of two sources, and of two senders of one source, apart", async () => {
    const { intake } = bench({ specs, host: { store: await open() } });

    const accepted = await Promise.all([
      intake.fire(firing, { source: "webhook", key: "1" }),
      intake.fire(firing, { source: "bus", key: "1" }),
      intake.fire(firing, { source: "bus", key: "1", scope: "another" }),
      intake.fire(firing, { source: "api", key: "1" }),
      intake.fire(firing, { source: "api" }),
      intake.fire(firing, { source: "api" }),
    ]);

    expect(accepted.map(({ repeated }) => repeated)).toEqual(accepted.map(() => false));
    expect(new Set(accepted.map(({ receipt }) => receipt.sessionId)).size).toBe(6);
    expect(await intake.known("bus", "1", "another")).toEqual(accepted[2]?.receipt);
  });

  it("S-102 counts per workflow what is accepted and what was known, and nothing that is refused", async () => {
    const counted: unknown[] = [];
    const metrics = { count: (...count: unknown[]) => void counted.push(count) };
    const { intake } = bench({ specs, host: { store: await open(), metrics } });
    await intake.fire(firing, { source: "bus", key: "1" });
    await intake.fire(firing, { source: "bus", key: "1" });
    await intake.fire({ ...firing, trigger: "nobody" }, { source: "bus", key: "2" }).catch(() => undefined);

    expect(counted).toEqual([
      ["accepted", 1, { workflow: "case" }],
      ["duplicates", 1, { workflow: "case" }],
    ]);
  });

  it("S-6 F-9 remembers a key for 7 days, and takes a later one for new", async () => {
    const { intake, host, clock } = bench({ specs, host: { store: await open() } });
    const fire = () => intake.fire({ ...firing, sessionId: "s1" }, { source: "webhook", key: "1" });
    const { receipt } = await fire();
    const claim = await host.store.claim("s1", { owner: "o", now: clock.now(), leaseMs: 1_000 });
    if (claim.kind !== "claimed") throw new Error(claim.kind);
    await host.store.settle(claim.lease, aSettlement(receipt.arrivalId, { now: clock.now() }), { leaseMs: 1_000 });

    clock.advance(7 * 86_400_000 - 1);
    expect(await fire()).toMatchObject({ repeated: true, receipt: { status: "settled", seq: 1 } });
    clock.advance(1);
    expect(await intake.known("webhook", "1")).toBeNull();
    expect(await fire()).toMatchObject({ repeated: false, receipt: { status: "queued", seq: 2 } });
  });

  it("S-4 F-10 refuses a caller's key with another input, and takes a provider's key again whatever it brings", async () => {
    const { intake, host } = bench({ specs, host: { store: await open() } });
    const named = { ...firing, sessionId: "s1" };
    await intake.fire(named, { source: "api", key: "1" });
    await intake.fire(named, { source: "webhook", key: "1" });

    const changed = { ...named, message: "Changed" };
    await expect(intake.fire(changed, { source: "api", key: "1" })).rejects.toThrow(/another input/);
    expect(await intake.fire(changed, { source: "webhook", key: "1" })).toMatchObject({ repeated: true });
    expect((await host.store.read("s1"))?.queued).toBe(2);
  });

  it("S-93 keeps what was not accepted, once, and S-96 redrives it once", async () => {
    const { intake, rung } = bench({ specs, host: { store: await open() } });
    const letter = {
      firing: { ...firing, trigger: "nobody" },
      options: { source: "bus" as const, key: "e1" },
      reason: "no",
    };
    const kept = await intake.keep(letter);
    expect(await intake.keep({ ...letter, reason: "again" })).toEqual(kept);
    expect(await intake.deadLetters()).toEqual([kept]);

    const [first, second] = await Promise.all([intake.redrive(kept.id), intake.redrive(kept.id)]);

    expect(first).toMatchObject({ status: "queued", seq: 1 });
    expect(second?.arrivalId).toBe(first?.arrivalId);
    expect(await intake.deadLetters()).toMatchObject([{ id: kept.id, redrivenAs: first?.arrivalId }]);
    expect(rung).toContain(first?.sessionId);
    expect(await intake.redrive("unknown")).toBeNull();
  });

  it.each(["first", "last"])(
    "S-93 S-96 S-3 takes an event once that was refused, then accepted, and redriven %s",
    async (when) => {
      const { intake, host } = bench({ specs, host: { store: await open() } });
      const options = { source: "bus", key: "e1" } as const;
      const kept = await intake.keep({ firing, options, reason: "no such workflow yet" });
      const redrive = () => intake.redrive(kept.id);
      const delivery = async () => (await intake.fire(firing, options)).receipt;

      const [one, other] = when === "first" ? [await redrive(), await delivery()] : [await delivery(), await redrive()];

      expect(other).toEqual(one);
      expect((await host.store.read(one?.sessionId ?? ""))?.queued).toBe(1);
    },
  );
}
