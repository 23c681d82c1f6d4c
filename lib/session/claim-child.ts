/** Claiming a child, whatever an earlier session of its root's id left under the child's id (S-28, S-88). */
import { type DeletionStores, deleteSession } from "./delete.js";
import { ChildLeftOverError } from "./errors.js";
import type { ChildRequest, ClaimedChild, FileStore, Lease, SessionStore } from "./ports.js";

/**
 * `claimChild` of the store. What is left over of a deleted session's child, with its files and its own children, gives
 * way to the new one: an id names one session, and a new session's numbers begin at 1 again.
 *
 * @throws {LeaseLostError} the caller's lease is lost, or the child is held under a higher fence
 * @throws {SessionBusyError} while the child is being deleted
 */
export async function claimChild(
  stores: DeletionStores & { store: Pick<SessionStore, "claimChild">; files: Pick<FileStore, "list"> },
  caller: Lease,
  child: ChildRequest,
): Promise<ClaimedChild> {
  try {
    return await stores.store.claimChild(caller, child);
  } catch (error) {
    if (!(error instanceof ChildLeftOverError)) throw error;
    await deleteSession(stores, child.sessionId, child.now, { children: true });
    return stores.store.claimChild(caller, child);
  }
}
