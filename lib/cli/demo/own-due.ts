/** What a worker of the demo finds due: the demo's session alone, though others share the store. */
import type { DueEntry, SessionStore } from "../../session/ports.js";

/**
 * The store with a sweep of one session. The scripted replies answer for this one only: a session of the user's own, or
 * one that an interrupted demo has left, must not be woken with them.
 */
export function dueOnly<Store extends Pick<SessionStore, "due">>(store: Store, sessionId: string): Store {
  return {
    ...store,
    async due(before, { limit, after }) {
      const found: DueEntry[] = [];
      let last = after;
      while (found.length < limit) {
        const entries = await store.due(before, { limit, after: last });
        found.push(...entries.filter((entry) => entry.sessionId === sessionId));
        last = entries.at(-1);
        if (entries.length < limit || last === undefined) break;
      }
      return found;
    },
  };
}
