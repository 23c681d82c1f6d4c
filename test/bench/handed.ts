/** What a store is handed: the calls made, and the bytes of what they are to write. */
import type { Commit, SessionStore } from "../../lib/session/ports.js";
import { wrapStore } from "../harness/wrap-store.js";

export interface Handed {
  store: SessionStore;
  /** Calls and bytes by method since the last look, in order of first use. */
  take(): Map<string, { calls: number; bytes: number }>;
}

export function countHanded(store: SessionStore): Handed {
  let seen = new Map<string, { calls: number; bytes: number }>();
  return {
    store: wrapStore(store, ({ name, args }, run) => {
      const known = seen.get(name) ?? { calls: 0, bytes: 0 };
      seen.set(name, { calls: known.calls + 1, bytes: known.bytes + bytesOf(name, args) });
      return run();
    }),
    take() {
      const taken = seen;
      seen = new Map();
      return taken;
    },
  };
}

const WRITING: Record<string, (args: readonly unknown[]) => number> = {
  accept: ([request]) => jsonBytes(request),
  claimChild: ([, child]) => jsonBytes(child),
  commit: ([, commit]) => commitBytes(commit as Commit),
  settle: ([, settlement]) => {
    const { commit, ...rest } = settlement as { commit?: Commit };
    return jsonBytes(rest) + (commit ? commitBytes(commit) : 0);
  },
};

/** Items as they are stored: key and text; the rest as JSON. */
function commitBytes({ puts, removes, record }: Commit): number {
  const items = puts.reduce((sum, { key, value }) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return items + removes.reduce((sum, key) => sum + key.length, 0) + (record ? jsonBytes(record) : 0);
}

function bytesOf(name: string, args: readonly unknown[]): number {
  return WRITING[name]?.(args) ?? 0;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
