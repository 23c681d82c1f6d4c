/** One of several processes that work on the same folder at the same time; prints what it achieved as JSON. */
import { join } from "node:path";
import { FileConflictError } from "../../lib/session/index.js";
import { createFilesystemFileStore } from "../../lib/stores/filesystem/index.js";
import { createSqliteSessionStore } from "../../lib/stores/sqlite/index.js";
import { aCommit, anAccept, aSettlement, LEASE_MS, T0 } from "../harness/builders.js";

const [dir = "", name = ""] = process.argv.slice(2);
const ROUNDS = 30;
const INCREMENTS = 150;
const store = createSqliteSessionStore({ file: join(dir, "parkway.db") });
const files = createFilesystemFileStore({ dir: join(dir, "sessions") });
const done = { accepted: 0, settled: 0, increments: 0 };

for (let n = 0; n < ROUNDS; n += 1) {
  const shared = await store.accept(anAccept({ id: `shared-${n}`, sessionId: "s1" }));
  if (shared.kind === "accepted") done.accepted += 1;
  await store.accept(anAccept({ id: `${name}-${n}`, sessionId: "s1" }));
  done.accepted += 1;
  await work();
}
while (await work());
for (let n = 0; n < INCREMENTS; n += 1) await increment();
await store.close();
process.stdout.write(JSON.stringify(done));

async function work(): Promise<boolean> {
  const claim = await store.claim("s1", { owner: name, now: T0, leaseMs: LEASE_MS });
  if (claim.kind !== "claimed") return claim.kind === "busy";
  const { id } = claim.work.arrival;
  const settlement = aSettlement(id, { commit: aCommit({}, { [`done/${id}/${claim.lease.fence}`]: name }) });
  if (await store.settle(claim.lease, settlement, { leaseMs: LEASE_MS }))
    await store.release(claim.lease, { now: T0, commit: aCommit() });
  done.settled += 1;
  return true;
}

/** Adds one to a number in a file, as a read and a conditional write, until it has succeeded. */
async function increment(): Promise<void> {
  while (true) {
    const file = await files.read("s1", "count");
    const count = file ? Number(Buffer.from(file.bytes)) : 0;
    try {
      await files.write("s1", "count", Buffer.from(String(count + 1)), { ifVersion: file?.version ?? null });
      done.increments += 1;
      return;
    } catch (error) {
      if (!(error instanceof FileConflictError)) throw error;
    }
  }
}
