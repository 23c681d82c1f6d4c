/** Sessions past their time (S-81…S-83): absent to whoever looks, and deleted by whoever comes upon them. */
import { carryDeletionThrough, type DeletionStores } from "./delete.js";
import { SessionBusyError } from "./errors.js";
import type { AcceptRequest, AcceptResult, Clock, SessionStore } from "./ports.js";

export type ExpiringStores = DeletionStores & { store: Pick<SessionStore, "expire"> };

/**
 * S-83: deletes the session with its children if it has expired, or goes on with a deletion that was not carried through. One caller does
 * it at a time; stopped anywhere, the due mark brings another.
 *
 * @returns whether the session is gone now
 */
export async function removeExpired(stores: ExpiringStores, sessionId: string, now: number): Promise<boolean> {
  if (!(await stores.store.expire(sessionId, now))) return false;
  await carryDeletionThrough(stores, sessionId, now);
  return true;
}

/** Accepts, and where the session has expired deletes it first, so that its id names a new one (S-82). */
export async function acceptUnexpired(
  stores: ExpiringStores & { store: Pick<SessionStore, "accept"> },
  request: AcceptRequest,
): Promise<AcceptResult> {
  const { sessionId, acceptedAt } = request.arrival;
  try {
    return await stores.store.accept(request);
  } catch (error) {
    if (!(error instanceof SessionBusyError) || !(await removeExpired(stores, sessionId, acceptedAt))) throw error;
    return stores.store.accept(request);
  }
}

/** The store as a host reads it: what has expired by its clock is absent (S-82). */
export function hidingExpired(store: SessionStore, clock: Clock): SessionStore {
  const hiding: Pick<SessionStore, "read" | "list"> = {
    read: (sessionId, now = clock.now()) => store.read(sessionId, now),
    list: (filter = {}) => store.list({ now: clock.now(), ...filter }),
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === "read" || name === "list") return hiding[name];
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
