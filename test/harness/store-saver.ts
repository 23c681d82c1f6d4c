/** The turn's saver over a session store without a turn: every thread is a session under a lease, every change a commit. */
import { arrivalIdFor } from "../../lib/session/index.js";
import type { Commit, Lease, SessionStore } from "../../lib/session/ports.js";
import { ThreadImage } from "../../lib/turn/thread/image.js";
import { ThreadSaver, type ThreadWriter } from "../../lib/turn/thread/saver.js";
import { anAccept } from "./builders.js";

const LEASE = { now: 0, leaseMs: 60_000 };

/** Keeps every checkpoint, as a general saver has to; reads each thread back from the store at every call. */
export function storeSaver(store: SessionStore): ThreadSaver {
  const leases = new Map<string, Lease>();

  async function leaseOf(threadId: string): Promise<Lease> {
    const held = leases.get(threadId);
    if (held) return held;
    const id = arrivalIdFor({ scope: "", source: "api", key: threadId });
    await store.accept(anAccept({ id, sessionId: threadId, acceptedAt: 0 }));
    const claim = await store.claim(threadId, { owner: "saver", ...LEASE });
    if (claim.kind !== "claimed") throw new Error(`The thread ${threadId} is ${claim.kind}.`);
    leases.set(threadId, claim.lease);
    return claim.lease;
  }

  const commit = async (threadId: string, change: Commit) => {
    await store.commit(await leaseOf(threadId), change, LEASE);
  };
  const writer: ThreadWriter = {
    keepsLatestOnly: false,
    image: async (threadId) => new ThreadImage(threadId, (await store.read(threadId))?.thread ?? []),
    threads: () => [...leases.keys()],
    checkpointPut: commit,
    writesPut: commit,
    async removeThread(threadId) {
      const lease = leases.get(threadId);
      if (!lease) return;
      await store.release(lease, { now: 0 });
      await store.beginDelete(threadId, 0);
      await store.finishDelete(threadId);
      leases.delete(threadId);
    },
  };
  return new ThreadSaver(writer);
}
